package loop

import (
	"strings"
	"testing"
)

func TestSecrets(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"gh pr merge 142 --squash", ""},
		{
			"curl -H 'Authorization: Bearer abc.def-ghi' https://api.github.com/x",
			"curl -H 'Authorization: <redacted>' https://api.github.com/x",
		},
		{
			`curl -H "authorization: token 0123456789abcdef" x`,
			`curl -H "authorization: <redacted>" x`,
		},
		{
			"http PUT host/merge Authorization:'Bearer abcdefghij'",
			"http PUT host/merge Authorization:'<redacted>'",
		},
		{"curl -H Authorization:\\ Basic abc= x", "curl -H Authorization:\\ <redacted> x"},
		{"curl -HAuthorization: Basic dXNlcjpw x", "curl -HAuthorization: <redacted> x"},
		{`http PUT h Authorization:"Basic dXNlcjpw" x`, `http PUT h Authorization:"<redacted>" x`},
		{"said Bearer 0123456789abcdef here", "said Bearer <redacted> here"},
		{"Bearer $TOKEN", ""},
		{
			"git push https://me:hunter2@github.com/a/b main",
			"git push https://<redacted>@github.com/a/b main",
		},
		{"git clone https://0123456789abcdef0123@host/x", "git clone https://<redacted>@host/x"},
		{"git clone ssh://git@github.com/a/b", ""},
		{"GH_TOKEN=ghp_0123456789abcdefghij gh pr merge 1", "GH_TOKEN=<redacted> gh pr merge 1"},
		{"echo xghp_0123456789abcdefghij|x", "echo x<redacted>|x"},
		{"gh auth login github_pat_11AAAAAAA0123456789", "gh auth login <redacted>"},
		{"glab -pglpat-abcdefgh12345678", "glab -p<redacted>"},
		{"x xoxb-1234-5678-abcd y", "x <redacted> y"},
		{"aws AKIAIOSFODNN7EXAMPLE z", "aws <redacted> z"},
		{"key sk-ant-api03-abcdefghijkl", "key <redacted>"},
		{"git push origin task-sk-list-0123456789-more", ""},
		{"git switch sk-a-branch-of-many-words", ""},
		{"x --sk-service-of-many-words-api-key=hunter2 y",
			"x --sk-service-of-many-words-api-key=<redacted> y"},
		{"eyJhbGciOiJIUzI1NiJ9 x", "<redacted> x"},
		{
			"curl https://h/x?private_token=abcd1234&y=1",
			"curl https://h/x?private_token=<redacted>&y=1",
		},
		{`{"token": "abcd1234", "n": 1}`, `{"token": "<redacted>", "n": 1}`},
		{"tea login add --token 0123abcd --url h", "tea login add --token <redacted> --url h"},
		{"tea login add --token $TEA --url h", ""},
		{"deploy --password --force", ""},
		{"curl -u me:hunter2 https://h", "curl -u me:<redacted> https://h"},
		{"curl --user=me:hunter2 https://h", "curl --user=me:<redacted> https://h"},
		{"sudo -u deploy ls", ""},
		{"gh secret set NAME", ""},
		{"curl -H 'PRIVATE-TOKEN: abcdefgh' h", "curl -H 'PRIVATE-TOKEN: <redacted>' h"},
		{"--max-tokens=1234", ""},
		{"", ""},
	} {
		want := c.want
		if want == "" {
			want = c.text
		}
		if got := Secrets(c.text); got != want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, want)
		}
	}
}

// What was redacted is not redacted again, and no text takes long.
func FuzzSecrets(f *testing.F) {
	f.Add("curl -u a:b -H 'Authorization: Bearer abcdefgh' https://u:p@h token=abcd")
	f.Add(strings.Repeat("--token-", 1000))
	f.Fuzz(func(t *testing.T, text string) {
		once := Secrets(text)
		if strings.Count(once, hidden) == 0 && once != text {
			t.Errorf("%q became %q", text, once)
		}
		_ = Secrets(once)
	})
}
