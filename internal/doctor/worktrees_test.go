package doctor

import (
	"context"
	"os"
	"testing"

	"hooks/internal/tracker"
)

// A13–A15: a worktree is offered only where its loop is complete and its work is elsewhere too.
func TestAuditWorktrees(t *testing.T) {
	w := healthy(t)
	w.git("commit", "-q", "--allow-empty", "-m", "x")
	w.git("worktree", "add", "-q", w.path("w"), "-b", "audit")
	for _, tt := range []struct {
		name   string
		change func()
		want   bool
	}{
		{"merged", func() {}, true},
		{"a file is not committed", func() { w.write("w/x", "y") }, false},
		{"committed on its own branch alone", func() {
			w.git("-C", w.path("w"), "add", ".")
			w.git("-C", w.path("w"), "commit", "-qm", "x")
		}, false},
		{"pushed", func() { w.git("update-ref", "refs/remotes/origin/audit", "audit") }, true},
		{"gone", func() { w.must(os.RemoveAll(w.path("w"))) }, false},
	} {
		tt.change()
		if got := tracker.Elsewhere(context.Background(), w.path("w"), "audit"); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
