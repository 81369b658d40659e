//go:build !windows

package tracker

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe in place of a git file must not hold the hook.
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
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if f := Repo(ctx, repo); f.Branch != "" || f.Top != repo || f.Err == nil {
		t.Errorf("pipes: %+v", f)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, ".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Project(env(), dir); got != dir {
		t.Errorf("project %s", got)
	}
}
