package forge

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"hooks/internal/config"
)

// A tracker whose issues are kept apart from the code says nothing of the code's PRs.
func TestATrackerOfIssuesAloneTellsOfNoPR(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "-q"}, {"remote", "add", "origin", "https://github.com/acme/app"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	q := Question{Project: dir, Env: os.Getenv, PR: 142}
	q.Config.Tracker = config.Tracker{Type: "github", Repo: "acme/issues"}
	run, _, _ := q.choose(context.Background())
	q.Run = &run
	a := Ask(context.Background(), q)
	const want = "the tracker is github.com/acme/issues, but the git remote is github.com/acme/app"
	if got := a.Unknown(); got != want || len(a.PRs) != 0 {
		t.Errorf("%q, want %q; PRs %v", got, want, a.PRs)
	}
}
