package backlog

import (
	"slices"
	"strconv"
	"strings"
)

// State is the known state of an issue or PR.
type State string

// The states of an issue or PR. Unknown is the zero value.
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

// String returns the reference as "#5" or "owner/repo#5".
func (r Ref) String() string { return r.Repo + "#" + strconv.Itoa(r.Number) }

// Issue is an open issue from the tracker. Sort fills its unexported fields.
type Issue struct {
	Number    int
	Title     string
	Body      string
	Labels    []string
	Milestone string
	Assignees []string
	// BlockedBy holds the dependencies that the tracker records: the issues that block this one,
	// and its sub-issues, with their states if known. Blocking holds the issues that it blocks.
	BlockedBy, Blocking []Ref
	// Cut reports whether BlockedBy is incomplete.
	Cut bool
	// PRs holds the open PRs that close the issue.
	PRs []int

	blockers []Ref // all dependencies, from the tracker and the bodies, without duplicates
	loose    []Ref
	criteria string
}

// labelled reports whether the issue has the label name. It ignores case, treats a space or "_" as
// "-", and drops a prefix that ends with a colon or slash, such as "status:".
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
