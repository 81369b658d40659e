package backlog

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// State is what is known of an issue or PR.
type State string

// The states. Unknown is the zero value: nothing follows from it.
const (
	Unknown State = ""
	Open    State = "open"
	Closed  State = "closed" // or merged
)

// Ref names an issue or PR. Repo is "owner/repo" in lower case, "" for the tracker's own repository.
type Ref struct {
	Repo   string
	Number int
	State  State
}

// String is the reference as people write it: "#5" or "owner/repo#5".
func (r Ref) String() string { return r.Repo + "#" + strconv.Itoa(r.Number) }

// Issue is an open issue as its tracker tells it.
type Issue struct {
	Number    int
	Title     string
	Body      string
	Labels    []string
	Milestone string
	Assignees []string
	// BlockedBy are the tracker's own dependencies: blocking issues and sub-issues, with their states where it said
	// them; Blocking are those the other way round.
	BlockedBy, Blocking []Ref
	// Cut says that the tracker has more dependencies than it told.
	Cut bool
	// PRs are open PRs that would close the issue.
	PRs []int
}

// Pull is an open PR as far as the backlog needs it.
type Pull struct {
	Number int
	Closes []int
}

// inProgress: somebody works on the issue, by its label (R78) or because somebody took it and a PR is open.
func (i *Issue) inProgress() bool {
	return i.labelled("in-progress") || len(i.Assignees) > 0 && len(i.PRs) > 0
}

// labelled compares in any case, a blank or "_" like "-", and without what stands before a colon or slash, as in
// "status: In Progress".
func (i *Issue) labelled(name string) bool {
	return slices.ContainsFunc(i.Labels, func(l string) bool {
		if l == "" || l[len(l)-1] > ' ' && l[len(l)-1] < utf8.RuneSelf && l[len(l)-1]|0x20 != name[len(name)-1] { // most labels end otherwise
			return false
		}
		l = strings.TrimSpace(l)
		l = l[strings.LastIndexAny(l, ":/")+1:]
		l = strings.Map(func(r rune) rune {
			if r == ' ' || r == '_' {
				return '-'
			}
			return r
		}, strings.ToLower(strings.TrimSpace(l)))
		return l == name
	})
}
