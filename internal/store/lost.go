package store

import (
	"fmt"
	"slices"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// LostAudits are the audit loops of a repository that could continue and whose worktrees are gone,
// each as an error whose hint brings it back. has reports whether the repository has a commit;
// trees are its worktrees, to one of which the run may have moved.
func LostAudits(seals seal.Dir, trees []string, has func(commit string) bool) (lost []error) {
	projects, _ := seals.Projects() // a record that cannot be read is reported in its project
	for _, p := range projects {
		if Exists(p) {
			continue
		}
		records, _ := seals.Of(p)
		for _, r := range records {
			l := r.Loop(string(loop.Audit))
			if l == nil || slices.ContainsFunc(trees, r.Adopt) {
				continue
			}
			b, err := parse[loop.Budget](l.Budget, []byte(l.State.Budget))
			if err != nil {
				continue
			}
			own := loop.AuditOf(b)
			if own == nil || !b.Restartable() || !has(own.Base) {
				continue
			}
			back := fmt.Sprintf("git worktree add %q %s && mkdir -p %[1]q/%[3]s", p,
				own.Branch, Dir)
			lost = append(lost, hint.New(back+" brings it back; there `hooks status` shows it, "+
				"its last line continues it, and `hooks loop reset audit` closes it",
				"the worktree %s is gone, and with it the audit of %s (%s)", p, own.Plan,
				own.Result()))
		}
	}
	return lost
}
