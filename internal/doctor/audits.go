package doctor

import (
	"context"
	"path/filepath"

	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// auditWorktrees offers to remove the worktrees of audit loops that are complete, committed, and
// pushed or merged. All others are left as they are: a person may take them up again (A13–A15).
func auditWorktrees(m *machine, n *notes) {
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	list, err := tracker.Worktrees(ctx, m.project)
	if err != nil {
		n.warn("see that `git worktree list` works here", "%v", err)
	}
	for _, w := range list {
		path := w.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(m.project, path)
		}
		b := auditOf(path)
		switch {
		case b == nil:
		case b.Restartable():
			n.note("%s: the audit of %s is %s", path, b.Audit.Plan, b.AuditStatus())
		case !tracker.Elsewhere(ctx, path, b.Audit.Branch):
			n.note("%s: the audit of %s is complete, and its work is nowhere else yet", path,
				b.Audit.Plan)
		default:
			n.warn("git worktree remove "+path+" removes it with the loop's history; the branch "+
				"stays", "%s: the audit of %s is complete, and its work is pushed or merged", path,
				b.Audit.Plan)
		}
	}
	n.noteIfFine("no worktree of an audit loop waits to be removed")
}

// auditOf is the audit loop of a worktree, nil without one that can be read.
func auditOf(worktree string) *loop.Budget {
	files, err := store.Open(worktree)
	if err != nil {
		return nil
	}
	defer files.Close()
	st, err := files.LoadRun(loop.Audit)
	if err != nil || st.Budget == nil || st.Budget.Audit == nil {
		return nil
	}
	return st.Budget
}
