package loop

import (
	"strings"
	"testing"
)

func TestSecretsAreRewritten(t *testing.T) {
	const s = "s3cr3tvalue0123456789"
	for _, text := range []string{
		"curl -H 'Authorization: Bearer " + s + "' https://api.github.com",
		`curl -H "authorization: token ` + s + `" x`,
		"curl -H 'Authorization: Digest a=b, response=" + s + "' x",
		"curl -H 'PRIVATE-TOKEN: " + s + "' https://gitlab.com/api/v4/projects",
		"curl -H 'X-Api-Key:" + s + "' x",
		"curl -u me:" + s + " https://x", "curl --user me:" + s + " https://x",
		"curl -H 'Cookie: a=1; b=" + s + "' x",
		"curl --oauth2-bearer " + s + " x", "gh api --token=" + s, "tool --password '" + s + "' go",
		"git push https://me:" + s + "@github.com/o/r main",
		"git clone https://" + s + "@github.com/o/r",
		"GH_TOKEN=" + s + " gh pr merge 1", `export GITLAB_TOKEN="` + s + `"`,
		"AWS_SECRET_ACCESS_KEY=" + s + " aws",
		`{"password": "` + s + `", "a": 1}`, "curl 'https://x/?private_token=" + s + "&a=1'",
		"gh auth login ghp_" + s, "echo github_pat_" + s, "glab glpat-" + s,
		"echo eyJhbGciOiJIUzI1NiJ9" + s + " x", "Proxy-Authorization: Basic " + s,
	} {
		if got := Secrets(text); strings.Contains(got, s) || !strings.Contains(got, redactedMark) {
			t.Errorf("%s\nbecame %s", text, got)
		}
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	for _, text := range []string{
		"gh pr merge 142 --squash --match-head-commit 0123456789abcdef0123456789abcdef01234567",
		"git push origin HEAD:main", "git clone git@github.com:o/r.git", "ssh://git@github.com/o/r",
		"curl https://example.com/a@b?x=1",
		"a token is refreshed: no", "curl -u me https://x", "input_tokens: 5", "",
		"\xff\xfe ünïcode",
	} {
		if got := Secrets(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add("curl -u a:b https://c:d@e -H 'Authorization: Bearer x'")
	f.Add("--token=://@:\"")
	f.Fuzz(func(t *testing.T, text string) {
		if got := Secrets(text); len(got) > len(text)*11+20 {
			t.Errorf("%q grew to %d bytes", text, len(got))
		}
	})
}
