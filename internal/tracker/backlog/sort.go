// Package backlog determines which issues may be worked on: which open issues are in scope, what
// each depends on, and which have unfinished acceptance criteria. It parses issues as people write
// them. It marks an unknown fact as unknown instead of guessing.
package backlog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Board holds the open issues and PRs of a tracker.
type Board struct {
	Home   loop.Tracker
	Issues []Issue       // open issues, in the tracker's order
	Pulls  map[int][]int // open PRs, each with the issues that it closes
	// Whole and PullsWhole report whether Issues and Pulls are complete.
	Whole, PullsWhole bool
	// Shared reports whether issues and PRs share one number sequence, so that #5 may be either.
	Shared bool
}

// The states of an open issue for a loop.
const (
	Unblocked  = "unblocked"
	Blocked    = "blocked"
	InProgress = "in-progress"
	Merged     = "merged" // labelled merged, but not closed yet
	Undecided  = "unknown"
)

// Fact describes one open issue in scope.
type Fact struct {
	Number    int      `json:"number"`
	Title     string   `json:"title"`
	State     string   `json:"state"` // unblocked, blocked, in-progress, merged or unknown
	Criteria  string   `json:"criteria"`
	Labels    []string `json:"labels,omitempty"`
	Milestone string   `json:"milestone,omitempty"`
	// BlockedBy holds the open dependencies, and Unknown the dependencies in an unknown state.
	BlockedBy []string `json:"blocked_by,omitempty"`
	Unknown   []string `json:"unknown,omitempty"`
	// Loose holds open issues that the body names in a line with a word such as "requires", but not
	// in a form that hooks reads.
	Loose []string `json:"-"`
}

// Result is the backlog within a scope.
type Result struct {
	Facts []Fact
	// Backlog holds the numbers of the issues in scope by state.
	Backlog loop.Backlog
	// Edges holds the dependencies (blocker, blocked) of the issues in scope and, transitively, of
	// their blockers. Both ends of an edge are open issues.
	Edges [][2]int
	// Partial reports whether the result is incomplete or uncertain. If so, an issue that is absent
	// may still be in scope.
	Partial bool
	Notes   []string
}

// sorter determines the states of the issues on a board.
type sorter struct {
	*Board
	open map[int]*Issue // open issues by number
	res  Result
}

// Sort determines the state of each issue in scope. A dependency is satisfied if its issue is
// closed or labelled merged. An issue with a dependency of unknown state, but no open one, is
// Undecided and makes the result Partial. A dependency in another repository counts only if the
// tracker knows its state.
func Sort(b *Board, scope Scope) Result {
	s := sorter{Board: b, open: make(map[int]*Issue, len(b.Issues))}
	for i := range b.Issues {
		s.open[b.Issues[i].Number] = &b.Issues[i]
	}
	for pull, closes := range b.Pulls {
		for _, n := range closes {
			if i := s.open[n]; i != nil {
				i.PRs = append(i.PRs, pull)
			}
		}
	}
	for i := range b.Issues {
		s.connect(&b.Issues[i])
	}
	s.res.Partial = !b.Whole || len(scope.Unclear) > 0
	if len(scope.Unclear) > 0 {
		words := strings.Join(scope.Unclear, " ")
		s.note("the scope words %q were not understood, so the list may be too long", words)
	}
	s.res.Backlog = loop.Backlog{Unblocked: []int{}, Blocked: []int{}, InProgress: []int{}}
	var in []*Issue
	for i := range b.Issues {
		if scope.Holds(&b.Issues[i]) {
			in = append(in, &b.Issues[i])
			s.add(&b.Issues[i])
		}
	}
	for _, n := range scope.Issues {
		if s.open[n] == nil && s.Whole && len(scope.Issues) <= 20 {
			s.note("#%d is not open", n)
		}
	}
	s.edges(in)
	for _, list := range [][]int{
		s.res.Backlog.Unblocked, s.res.Backlog.Blocked, s.res.Backlog.InProgress,
	} {
		slices.Sort(list)
	}
	return s.res
}

// connect collects an issue's dependencies and criteria.
func (s *sorter) connect(i *Issue) {
	for _, r := range i.BlockedBy {
		s.wait(i.Number, r)
	}
	for _, r := range i.Blocking {
		if r.Repo == "" {
			s.wait(r.Number, Ref{Number: i.Number})
		}
	}
	read := read(i.Body, s.Home)
	i.criteria, i.loose = read.criteria, read.loose
	for _, d := range read.deps {
		if d.blocked.Repo == "" {
			d.blocker.Number = cmp.Or(d.blocker.Number, i.Number)
			s.wait(cmp.Or(d.blocked.Number, i.Number), d.blocker)
		}
	}
}

// maxBlockers is the maximum number of dependencies of one issue. An issue with more is marked Cut.
const maxBlockers = 1000

// wait adds a blocker of an open issue. If the blocker is already listed with an unknown state,
// wait sets the state.
func (s *sorter) wait(blocked int, by Ref) {
	i := s.open[blocked]
	if i == nil {
		return
	}
	known := slices.IndexFunc(i.blockers, func(r Ref) bool {
		return r.Repo == by.Repo && r.Number == by.Number
	})
	switch {
	case known >= 0:
		i.blockers[known].State = cmp.Or(i.blockers[known].State, by.State)
	case len(i.blockers) < maxBlockers:
		i.blockers = append(i.blockers, by)
	default:
		i.Cut = true
	}
}

// state determines a blocker's state from the open issues and PRs, or else from the dependency. A
// blocker that is missing from complete lists is closed.
func (s *sorter) state(r Ref) State {
	issue := s.open[r.Number]
	_, pull := s.Pulls[r.Number]
	switch {
	case r.Repo != "":
		return r.State
	case issue != nil && issue.labelled(Merged):
		return Closed
	case issue != nil, s.Shared && pull:
		return Open
	case r.State != Unknown:
		return r.State
	case s.Whole && (s.PullsWhole || !s.Shared):
		return Closed
	}
	return Unknown
}

// add adds an issue in scope to the result.
func (s *sorter) add(i *Issue) {
	f := Fact{
		Number: i.Number, Title: i.Title, Labels: i.Labels, Milestone: i.Milestone,
		Criteria: i.criteria,
	}
	undecided := i.Cut
	for _, r := range i.blockers {
		switch s.state(r) {
		case Open:
			f.BlockedBy = append(f.BlockedBy, r.String())
		case Unknown:
			f.Unknown = append(f.Unknown, r.String())
			undecided = undecided || r.Repo == ""
		}
	}
	for _, r := range i.loose {
		name := r.String()
		named := slices.Contains(f.BlockedBy, name) || slices.Contains(f.Loose, name)
		if r.Number != i.Number && s.state(r) == Open && !named {
			f.Loose = append(f.Loose, name)
		}
	}
	b, unknown := &s.res.Backlog, strings.Join(f.Unknown, ", ")
	switch {
	case i.labelled(Merged):
		f.State = Merged
	case i.labelled("in-progress"), len(i.Assignees) > 0 && len(i.PRs) > 0: // R78
		f.State = InProgress
		b.InProgress = append(b.InProgress, i.Number)
	case len(f.BlockedBy) > 0:
		f.State = Blocked
		b.Blocked = append(b.Blocked, i.Number)
	case undecided:
		f.State = Undecided
		s.res.Partial = true
		unknown = cmp.Or(unknown, "a dependency that was not reported")
		s.note("cannot tell whether #%d is blocked by %s", i.Number, unknown)
	default:
		f.State = Unblocked
		b.Unblocked = append(b.Unblocked, i.Number)
		if unknown != "" {
			s.note("#%d depends on %s, whose state is unknown", i.Number, unknown)
		}
	}
	s.res.Facts = append(s.res.Facts, f)
}

// edges adds the dependencies of the issues in todo and, transitively, of their blockers.
func (s *sorter) edges(todo []*Issue) {
	seen := make(map[*Issue]bool, len(todo))
	for _, i := range todo {
		seen[i] = true
	}
	for ; len(todo) > 0; todo = todo[1:] {
		i := todo[0]
		if i.labelled(Merged) {
			continue
		}
		for _, r := range i.blockers {
			by := s.open[r.Number]
			if r.Repo != "" || by == nil || by.labelled(Merged) {
				continue
			}
			s.res.Edges = append(s.res.Edges, [2]int{by.Number, i.Number})
			if !seen[by] {
				seen[by] = true
				todo = append(todo, by)
			}
		}
	}
}

func (s *sorter) note(format string, args ...any) {
	s.res.Notes = append(s.res.Notes, fmt.Sprintf(format, args...))
}
