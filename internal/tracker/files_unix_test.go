//go:build !windows

package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe or a huge file in place of a git file must neither hold the hook nor fill its memory.
func TestGitFilesThatAreNone(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	for _, name := range []string{"HEAD", "config"} {
		path := filepath.Join(repo, ".git", name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if f := Repo(os.Getenv, repo); f.Branch != "" || f.Top != repo || !f.Partial {
		t.Errorf("pipes: %+v", f)
	}
	os.Remove(filepath.Join(repo, ".git", "config"))
	write(t, filepath.Join(repo, ".git", "config"), "[a]\nb=1\n"+strings.Repeat("#", maxConfig))
	if f := Repo(os.Getenv, repo); f.Config["a.b"] != "" || !f.Partial {
		t.Errorf("a huge config: %+v", f)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Project(env(), dir); got != dir {
		t.Errorf("project %s", got)
	}
}
