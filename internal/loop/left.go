package loop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// left names what an interrupted iteration began and did not finish, so that a person can finish
// or undo it: its worktrees, its branches that are not on the remote, files that are not committed,
// its labels (R44). Nothing is cleaned up.
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
		out = append(out, uncommitted(w.Path, e.Dirty[w.Path])...)
	}
	if t.EndedWorkers != nil { // else what lies in the project itself may be the person's
		out = append(out, uncommitted("the project", e.Dirty["."])...)
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

// maxShown is how many files a line of left names.
const maxShown = 5

// uncommitted is a line about files that are not committed in a folder, none where there are none.
func uncommitted(where string, files []string) []string {
	if len(files) == 0 {
		return nil
	}
	list := strings.Join(files[:min(len(files), maxShown)], ", ")
	if more := len(files) - maxShown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return []string{fmt.Sprintf("%s not committed in %s: %s", Plural(len(files), "file"), where,
		list)}
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
