package loop

import (
	"fmt"
	"maps"
	"slices"
)

// left names what an interrupted iteration began and did not finish, so that a person can finish
// or undo it: its worktrees, its branches that are not on the remote, its labels (R44). Nothing
// is cleaned up.
func (t *Tick) left(e Ending) []string {
	var out []string
	branches := maps.Clone(e.Branches)
	for _, w := range e.Worktrees {
		if slices.ContainsFunc(t.Worktrees, func(o Worktree) bool { return o.Path == w.Path }) {
			continue
		}
		delete(branches, w.Branch)
		out = append(out,
			fmt.Sprintf("worktree %s (branch %s, %s)", w.Path, orNone(w.Branch),
				pushed(w.Branch, w.HeadSHA, e.Remote)))
	}
	for _, b := range slices.Sorted(maps.Keys(branches)) {
		if state := pushed(b, branches[b], e.Remote); state != "pushed" {
			out = append(out, fmt.Sprintf("branch %s (%s)", b, state))
		}
	}
	for _, l := range t.Labels {
		out = append(out, "label "+l)
	}
	return out
}

// pushed compares a branch with its head on the remote. heads is nil when the remote could not be
// asked.
func pushed(branch, head string, heads map[string]string) string {
	remote, there := heads[branch]
	switch {
	case branch == "":
		return "not on a branch"
	case heads == nil:
		return "whether it is pushed is not known"
	case !there:
		return "not pushed"
	case SameSHA(remote, head):
		return "pushed"
	}
	return "partly pushed, the remote is at " + remote[:min(7, len(remote))]
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
