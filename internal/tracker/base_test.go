package tracker

import (
	"os"
	"path/filepath"
	"testing"
)

// A remote is recorded without a password, and with all of its path.
func TestAddressOfABase(t *testing.T) {
	for url, want := range map[string]string{
		"https://ann:secret@example.com/a/b.git":     "https://example.com/a/b.git",
		"https://git.example.org/team@2x/app.git":    "https://git.example.org/team@2x/app.git",
		"ssh://git@example.com:22/a@b":               "ssh://example.com:22/a@b",
		"git@example.com:a/b.git":                    "git@example.com:a/b.git",
		"https://ann:secret@example.com/team@2x/app": "https://example.com/team@2x/app",
	} {
		if got := RepositoryAt(url).URL; got != want {
			t.Errorf("%s is recorded as %s", url, got)
		}
	}
}

// Settings as git writes them, and as only git reads them, lead to the repository that gh takes.
func TestBase(t *testing.T) {
	dir := sandbox(t)
	included := filepath.Join(dir, "included")
	text := "[url \"https://github.com/evil/\"]\n\tinsteadOf = https://github.com/acme/\n"
	if err := os.WriteFile(included, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const acme, evil = "https://github.com/acme/app", "https://github.com/evil/app"
	for name, c := range map[string]struct {
		settings []string // name and value in turns
		want     string
	}{
		"origin":         {nil, "github.com/acme/app"},
		"upstream":       {[]string{"remote.upstream.url", evil}, "github.com/evil/app"},
		"another remote": {[]string{"remote.fork.url", evil}, "github.com/acme/app"},
		"upstream at another host": {[]string{"remote.upstream.url", "https://gitlab.com/evil/app"},
			"github.com/acme/app"},
		"origin made the base": {[]string{"remote.upstream.url", evil,
			"remote.origin.gh-resolved", "base"}, "github.com/acme/app"},
		"insteadOf": {[]string{
			"url.https://github.com/evil/.insteadOf", "https://github.com/acme/",
		}, "github.com/evil/app"},
		"the first of two insteadOf": {[]string{
			"url.https://github.com/evil/.insteadOf", "https://github.com/acme/",
			"url.https://github.com/evil/.insteadOf", "none"}, "github.com/evil/app"},
		"an empty address before another": {[]string{"remote.origin.url", "",
			"remote.origin.url", evil}, "github.com/evil/app"},
		"an included file": {[]string{"include.path", included}, "github.com/evil/app"},
	} {
		repo := newRepo(t, filepath.Join(dir, name))
		run(t, repo, "remote", "add", "origin", acme)
		for i := 0; i < len(c.settings); i += 2 {
			run(t, repo, "config", "--add", c.settings[i], c.settings[i+1])
		}
		if got := Repo(t.Context(), repo).Base().String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
