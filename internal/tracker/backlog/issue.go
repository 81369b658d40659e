package backlog

import (
	"slices"
	"strconv"
	"strings"
)

// State is the known state of an issue or PR.
type State string

// The states. Unknown is the zero value: it proves nothing.
const (
	Unknown State = ""
	Open    State = "open"
	Closed  State = "closed" // or merged
)

// Ref names an issue or PR. Repo is "owner/repo" in lower case, or empty for the tracker's own
// repository.
type Ref struct {
	Repo   string
	Number int
	State  State
}

// String is the reference as people write it: "#5" or "owner/repo#5".
func (r Ref) String() string { return r.Repo + "#" + strconv.Itoa(r.Number) }

// Issue is an open issue as its tracker has it.
type Issue struct {
	Number    int
	Title     string
	Body      string
	Labels    []string
	Milestone string
	Assignees []string
	// BlockedBy are the tracker's own dependencies: blocking issues and sub-issues, with their
	// states if it named them. Blocking are those the other way round.
	BlockedBy, Blocking []Ref
	// Cut reports that the tracker has more dependencies than are here.
	Cut bool
	// PRs are open PRs that would close the issue.
	PRs []int
}

// Pull is an open PR as far as the backlog needs it.
type Pull struct {
	Number int
	Closes []int
}

// inProgress reports whether somebody works on the issue: by its label (R78), or because it has an
// assignee and an open PR.
func (i *Issue) inProgress() bool {
	return i.labelled("in-progress") || len(i.Assignees) > 0 && len(i.PRs) > 0
}

// labelled ignores case, takes a blank or "_" for "-", and drops everything before a colon or
// slash, as in "status: In Progress".
func (i *Issue) labelled(name string) bool {
	return slices.ContainsFunc(i.Labels, func(l string) bool {
		l = strings.TrimSpace(l)
		l = strings.TrimSpace(l[strings.LastIndexAny(l, ":/")+1:])
		if len(l) != len(name) {
			return false
		}
		return strings.EqualFold(strings.NewReplacer(" ", "-", "_", "-").Replace(l), name)
	})
}
