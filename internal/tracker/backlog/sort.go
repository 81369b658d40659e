package backlog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Board is what a tracker told.
type Board struct {
	Home   Home
	Issues []Issue // the open ones, in the tracker's order
	Pulls  []Pull  // the open ones
	// Whole says that no open issue is missing, PullsWhole that no open PR is.
	Whole, PullsWhole bool
	// Shared says that issues and PRs are numbered in one row, so that #5 may be either.
	Shared bool
}

// What an open issue is to a loop.
const (
	Unblocked  = "unblocked"
	Blocked    = "blocked"
	InProgress = "in-progress"
	Merged     = "merged" // labelled so: done, not yet closed
	Undecided  = "unknown"
)

// Fact is what is known of one open issue in scope.
type Fact struct {
	Number    int      `json:"number"`
	Title     string   `json:"title"`
	State     string   `json:"state"` // unblocked, blocked, in-progress, merged or unknown
	Criteria  string   `json:"criteria"`
	Labels    []string `json:"labels,omitempty"`
	Milestone string   `json:"milestone,omitempty"`
	// BlockedBy are dependencies that are open, Unknown those of which nobody knows.
	BlockedBy []string `json:"blocked_by,omitempty"`
	Unknown   []string `json:"unknown,omitempty"`
}

// Result is a backlog as a loop needs it.
type Result struct {
	Facts []Fact
	// Backlog are the issues by number.
	Backlog loop.Backlog
	// Edges are the open dependencies among open issues, (blocker, blocked), of every issue in scope and of what
	// those wait for.
	Edges [][2]int
	// Partial says that something is missing: nothing follows from absence.
	Partial bool
	Notes   []string
}

// sorter holds a board while it is sorted.
type sorter struct {
	*Board
	at       map[int]int   // number → index of an open issue
	pulls    map[int]bool  // open PRs
	blockers map[int][]Ref // what each open issue waits for, in order, once each
	criteria map[int]string
	res      Result
}

// Sort applies a scope to a board. A dependency is satisfied when the other issue is closed or labelled merged. An
// issue with a dependency of which nothing is known is neither blocked nor unblocked, and the result is partial; one
// in another repository counts only where the tracker told its state.
func Sort(b *Board, scope Scope) Result {
	s := sorter{Board: b, at: make(map[int]int, len(b.Issues)), pulls: make(map[int]bool, len(b.Pulls)), blockers: make(map[int][]Ref, len(b.Issues)), criteria: make(map[int]string, len(b.Issues))}
	for i := range b.Issues {
		s.at[b.Issues[i].Number] = i
	}
	s.join()
	for i := range b.Issues {
		s.connect(&b.Issues[i])
	}
	s.res.Partial = !b.Whole
	if len(scope.Unclear) > 0 {
		s.res.Partial = true
		s.note("the scope %q is not understood: it may be narrower than this", strings.Join(scope.Unclear, " "))
	}
	s.res.Backlog = loop.Backlog{Unblocked: []int{}, Blocked: []int{}, InProgress: []int{}}
	var in []int
	for i := range b.Issues {
		if scope.Holds(&b.Issues[i]) {
			in = append(in, b.Issues[i].Number)
			s.sort(&b.Issues[i])
		}
	}
	s.absent(scope)
	s.edges(in)
	for _, list := range [][]int{s.res.Backlog.Unblocked, s.res.Backlog.Blocked, s.res.Backlog.InProgress} {
		slices.Sort(list)
	}
	return s.res
}

// join links PRs with the issues they would close.
func (s *sorter) join() {
	for _, p := range s.Pulls {
		s.pulls[p.Number] = true
		for _, n := range p.Closes {
			if i, ok := s.at[n]; ok && !slices.Contains(s.Issues[i].PRs, p.Number) {
				s.Issues[i].PRs = append(s.Issues[i].PRs, p.Number)
			}
		}
	}
}

// connect collects what an issue and its body say.
func (s *sorter) connect(i *Issue) {
	for _, r := range i.BlockedBy {
		s.wait(i.Number, r)
	}
	for _, r := range i.Blocking {
		if r.Repo == "" {
			s.wait(r.Number, Ref{Number: i.Number})
		}
	}
	deps, criteria := read(i.Body, s.Home)
	s.criteria[i.Number] = criteria
	for _, d := range deps {
		blocked, blocker := d.blocked, d.blocker
		if blocked.Number == 0 {
			blocked.Number = i.Number
		}
		if blocker.Number == 0 {
			blocker.Number = i.Number
		}
		if d.within && blocked.Repo == blocker.Repo && blocked.Number == blocker.Number { // one of a row, waiting for the row
			continue
		}
		if blocked.Repo == "" {
			s.wait(blocked.Number, blocker)
		}
	}
}

// mostBlockers bounds what one issue waits for; of one with more the rest is not known.
const mostBlockers = 1000

// wait adds a blocker; a state that is known stays known.
func (s *sorter) wait(blocked int, by Ref) {
	list := s.blockers[blocked]
	for i, r := range list {
		if r.Repo == by.Repo && r.Number == by.Number {
			if r.State == Unknown {
				list[i].State = by.State
			}
			return
		}
	}
	if len(list) < mostBlockers {
		s.blockers[blocked] = append(list, by)
	} else if i, ok := s.at[blocked]; ok {
		s.Issues[i].Cut = true
	}
}

// state is what is known of a blocker: what the list of open issues says, else what came with the dependency.
func (s *sorter) state(r Ref) State {
	if r.Repo != "" {
		return r.State
	}
	if i, ok := s.at[r.Number]; ok {
		if s.Issues[i].labelled(Merged) {
			return Closed
		}
		return Open
	}
	switch {
	case s.Shared && s.pulls[r.Number]:
		return Open
	case r.State != Unknown:
		return r.State
	case s.Whole && (s.PullsWhole || !s.Shared):
		return Closed
	}
	return Unknown
}

// sort says what one issue in scope is.
func (s *sorter) sort(i *Issue) {
	f := Fact{Number: i.Number, Title: i.Title, Labels: i.Labels, Milestone: i.Milestone, Criteria: s.criteria[i.Number]}
	undecided := i.Cut
	for _, r := range s.blockers[i.Number] {
		switch s.state(r) {
		case Open:
			f.BlockedBy = append(f.BlockedBy, r.String())
		case Unknown:
			f.Unknown = append(f.Unknown, r.String())
			undecided = undecided || r.Repo == ""
		}
	}
	b := &s.res.Backlog
	switch {
	case i.labelled(Merged):
		f.State = Merged
	case i.inProgress():
		f.State = InProgress
		b.InProgress = append(b.InProgress, i.Number)
	case len(f.BlockedBy) > 0:
		f.State = Blocked
		b.Blocked = append(b.Blocked, i.Number)
	case undecided:
		f.State = Undecided
		s.res.Partial = true
		s.note("#%d is neither blocked nor unblocked: %s", i.Number, cmp.Or(strings.Join(f.Unknown, ", "), "it has more dependencies than were told")+" unknown")
	default:
		f.State = Unblocked
		b.Unblocked = append(b.Unblocked, i.Number)
		if len(f.Unknown) > 0 {
			s.note("#%d depends on %s, whose state is not known", i.Number, strings.Join(f.Unknown, ", "))
		}
	}
	s.res.Facts = append(s.res.Facts, f)
}

// absent notes the issues that were asked for by number and are not open.
func (s *sorter) absent(scope Scope) {
	for _, n := range scope.Issues {
		if _, ok := s.at[n]; !ok && s.Whole && len(scope.Issues) <= 20 {
			s.note("#%d is not open", n)
		}
	}
}

// edges walks from the issues in scope back along what they wait for.
func (s *sorter) edges(todo []int) {
	seen := make(map[int]bool, len(todo))
	for _, n := range todo {
		seen[n] = true
	}
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		if s.state(Ref{Number: n}) != Open {
			continue
		}
		for _, r := range s.blockers[n] {
			if _, issue := s.at[r.Number]; r.Repo != "" || !issue || s.state(r) != Open {
				continue
			}
			s.res.Edges = append(s.res.Edges, [2]int{r.Number, n})
			if !seen[r.Number] {
				seen[r.Number] = true
				todo = append(todo, r.Number)
			}
		}
	}
}

// mostNotes bounds the notes; the last one says how many more there are.
const mostNotes = 20

func (s *sorter) note(format string, args ...any) {
	if len(s.res.Notes) < mostNotes {
		s.res.Notes = append(s.res.Notes, fmt.Sprintf(format, args...))
	}
}
