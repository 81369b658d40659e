package tracker

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"hooks/internal/loop"
)

func TestWorktrees(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "my app"))
	head := run(t, repo, "rev-parse", "HEAD")
	run(t, repo, "worktree", "add", "-q", "-b", "feature/123-foo", ".sdd/worktrees/feature-123-foo")
	run(t, repo, "worktree", "add", "-q", "--detach", filepath.Join(dir, "out side\nline"))
	run(t, repo, "worktree", "add", "-q", "-b", "gone", "gone")
	if err := os.RemoveAll(filepath.Join(repo, "gone")); err != nil {
		t.Fatal(err)
	}
	want := []loop.Worktree{
		{Path: ".sdd/worktrees/feature-123-foo", Branch: "feature/123-foo", HeadSHA: head},
		{Path: "gone", Branch: "gone", HeadSHA: head},
		{Path: filepath.Join(dir, "out side\nline"), HeadSHA: head},
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(repo, link); err != nil {
		t.Fatal(err)
	}
	for _, project := range []string{repo, link} {
		got, err := Worktrees(context.Background(), project)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(byPath(want), byPath(got)); diff != "" {
			t.Errorf("from %s: %s", project, diff)
		}
	}
	// Seen from a linked worktree, neither that one nor the main one is listed.
	got, err := Worktrees(context.Background(),
		filepath.Join(repo, ".sdd/worktrees/feature-123-foo"))
	if err != nil || len(got) != 2 {
		t.Errorf("from a linked worktree: %v, %v", got, err)
	}
}

func byPath(list []loop.Worktree) map[string]loop.Worktree {
	m := map[string]loop.Worktree{}
	for _, w := range list {
		m[w.Path] = w
	}
	return m
}

func TestWorktreesOutsideARepository(t *testing.T) {
	dir := sandbox(t)
	if list, err := Worktrees(context.Background(), dir); err == nil {
		t.Errorf("no error, but %v", list)
	}
}

func TestCheckWorktrees(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	head := run(t, repo, "rev-parse", "HEAD")
	for _, name := range []string{"same", "short", "moved", "switched", "removed", "detached",
		"partial"} {
		run(t, repo, "worktree", "add", "-q", "-b", name, ".w/"+name)
	}
	run(t, repo, "worktree", "add", "-q", "--detach", ".w/free")
	run(t, filepath.Join(repo, ".w/moved"), "commit", "-q", "--allow-empty", "-m", "more")
	run(t, filepath.Join(repo, ".w/switched"), "switch", "-q", "-c", "other")
	run(t, filepath.Join(repo, ".w/detached"), "switch", "-q", "--detach")
	if err := os.RemoveAll(filepath.Join(repo, ".w/removed")); err != nil {
		t.Fatal(err)
	}
	now, err := Worktrees(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	got := CheckWorktrees(repo, []loop.Worktree{
		{Path: ".w/same", Branch: "same", HeadSHA: head},
		{Path: "./.w/short/", Branch: "refs/heads/short", HeadSHA: head[:7]},
		{Path: ".w/moved", Branch: "moved", HeadSHA: head},
		{Path: ".w/switched", Branch: "switched", HeadSHA: head},
		{Path: filepath.Join(repo, ".w/removed"), Branch: "removed", HeadSHA: head},
		{Path: ".w/never", Branch: "never", HeadSHA: head},
		{Path: ".w/detached", Branch: "detached", HeadSHA: head},
		{Path: ".w/partial"},
		{Path: ".w/free", HeadSHA: head},
	}, now)
	rule := " — leaving in place per worktree-preservation rule"
	want := []string{
		"Worktree .w/moved diverged" + rule,
		"Worktree .w/switched diverged" + rule,
		"Worktree " + filepath.Join(repo, ".w/removed") + " missing" + rule,
		"Worktree .w/never missing" + rule,
		"Worktree .w/detached diverged" + rule,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
