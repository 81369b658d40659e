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

// FuzzHead: a HEAD that holds anything is read without a fault and never outside of the ref names.
func FuzzHead(f *testing.F) {
	f.Add("ref: refs/heads/main\n")
	f.Add("ref:refs/heads/")
	path := filepath.Join(f.TempDir(), "HEAD")
	f.Fuzz(func(t *testing.T, head string) {
		if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		if name := symbolic(path, "refs/heads/"); !strings.Contains(head, "refs/heads/"+name) {
			t.Errorf("%q", name)
		}
	})
}
