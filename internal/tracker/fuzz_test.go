package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzReadings: what git prints or keeps is read without a fault, whatever it holds, and
// nothing is longer than the text it came from.
func FuzzReadings(f *testing.F) {
	f.Add("worktree /a/b\x00HEAD 1234\x00branch refs/heads/x\x00")
	f.Add("ref: refs/heads/main\n")
	f.Add("gitdir: ../.git/worktrees/x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if w := parseWorktree(text); len(w.Path)+len(w.Branch)+len(w.HeadSHA) > len(text) {
			t.Errorf("worktree %+v", w)
		}
	})
}

// FuzzRepo: a repository whose files hold anything is read without a fault and never outside of
// the ref names.
func FuzzRepo(f *testing.F) {
	f.Add("ref: refs/heads/main\n", "[remote \"origin\"]\n\turl = a\n[include]\n\tpath = ../x\n",
		"ref: refs/remotes/origin/main")
	f.Add("1234", "[extensions]\n\trefStorage = reftable\n\tworktreeConfig\n", "")
	f.Add("ref:refs/heads/", "[remote \"../..\"]\nurl = x", "ref: refs/remotes/../../x")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, head, config, remote string) {
		for name, text := range map[string]string{"HEAD": head, "config": config,
			"refs/remotes/origin/HEAD": remote} {
			path := filepath.Join(dir, ".git", name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := Repo(func(string) string { return "" }, dir)
		if strings.ContainsAny(r.Branch+r.Default, "\n") &&
			!strings.ContainsAny(strings.TrimSpace(head)+strings.TrimSpace(remote), "\n") {
			t.Errorf("%+v", r)
		}
		if _, err := parseConfig(config).overrule(true); err == nil {
			Project(func(string) string { return "" }, dir)
		}
	})
}
