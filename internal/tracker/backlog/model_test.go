package backlog

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hooks/internal/loop"
)

// plainBoard is a board with what makes it, said as a person would: who waits for which reference.
type plainBoard struct {
	Board
	waits map[int][]Ref
}

// drawBoard makes issues 1 to n, of which dependencies may name some that are closed, PRs, or
// another repository's.
func drawBoard(t *rapid.T) plainBoard {
	n := rapid.IntRange(1, 5).Draw(t, "issues")
	b := plainBoard{waits: map[int][]Ref{}}
	b.Home, b.Whole, b.PullsWhole = home, rapid.Bool().Draw(t, "whole"), rapid.Bool().Draw(t,
		"PRs whole")
	b.Shared, b.Pulls = rapid.Bool().Draw(t, "shared"), map[int][]int{}
	states := rapid.SampledFrom([]State{Open, Closed, Unknown})
	for i := 1; i <= n; i++ {
		issue := Issue{
			Number: i, Milestone: rapid.SampledFrom([]string{"", "v1"}).Draw(t, "milestone"),
			Cut: rapid.IntRange(0, 19).Draw(t, "cut") == 7,
			Labels: rapid.SliceOfN(rapid.SampledFrom([]string{"in-progress",
				"status: In Progress", "merged", "ui", "ui"}), 0, 1).Draw(t, "labels"),
			Assignees: rapid.SliceOfN(rapid.Just("mara"), 0, 1).Draw(t, "assignees"),
		}
		for _, d := range rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, n),
			rapid.IntRange(n+1, n+2)), 0, 4).Draw(t, "other ends") {
			switch other := (Ref{Number: d, State: states.Draw(t, "state")}); rapid.IntRange(0,
				4).Draw(t, "where it stands") {
			case 0:
				issue.Body += fmt.Sprintf("Depends on #%d\n", d)
				b.waits[i] = append(b.waits[i], Ref{Number: d})
			case 1:
				issue.Body += fmt.Sprintf("Blocks #%d\n", d)
				b.waits[d] = append(b.waits[d], Ref{Number: i})
			case 2:
				issue.BlockedBy = append(issue.BlockedBy, other)
				b.waits[i] = append(b.waits[i], other)
			case 3:
				issue.Blocking = append(issue.Blocking, other)
				b.waits[d] = append(b.waits[d], Ref{Number: i})
			case 4:
				other.Repo = "other/lib"
				issue.BlockedBy = append(issue.BlockedBy, other)
				b.waits[i] = append(b.waits[i], other)
			}
		}
		b.Issues = append(b.Issues, issue)
	}
	for _, closes := range rapid.SliceOfN(rapid.IntRange(1, n), 0, 2).Draw(t, "PRs") {
		b.Pulls[n+1+len(b.Pulls)] = []int{closes}
	}
	return b
}

func (b *plainBoard) issue(number int) *Issue {
	i := slices.IndexFunc(b.Issues, func(i Issue) bool { return i.Number == number })
	if i < 0 {
		return nil
	}
	return &b.Issues[i]
}

func (i *Issue) hasLabel(names ...string) bool {
	return slices.ContainsFunc(i.Labels, func(l string) bool { return slices.Contains(names, l) })
}

// state is what is known of a reference: nothing follows from what is not on a list with holes.
func (b *plainBoard) state(r Ref, told State) State {
	_, pull := b.Pulls[r.Number]
	switch i := b.issue(r.Number); {
	case r.Repo != "":
		return told
	case i != nil && i.hasLabel("merged"):
		return Closed
	case i != nil, pull && b.Shared:
		return Open
	case told != Unknown:
		return told
	case b.Whole && (b.PullsWhole || !b.Shared):
		return Closed
	}
	return Unknown
}

// told is the first state that came with a reference, whichever of the places that name it told
// one.
func (b *plainBoard) told(number int, r Ref) State {
	for _, w := range b.waits[number] {
		if w.Repo == r.Repo && w.Number == r.Number && w.State != Unknown {
			return w.State
		}
	}
	return Unknown
}

// place is where an issue belongs (R18, R42, R78): what is done, what somebody works on, what
// waits, what no one knows.
func (b *plainBoard) place(i *Issue) string {
	pull := false
	for _, closes := range b.Pulls {
		pull = pull || slices.Contains(closes, i.Number)
	}
	open, unknown := false, i.Cut
	for _, r := range b.waits[i.Number] {
		state := b.state(r, b.told(i.Number, r))
		open, unknown = open || state == Open, unknown || state == Unknown && r.Repo == ""
	}
	switch {
	case i.hasLabel("merged"):
		return Merged
	case i.hasLabel("in-progress", "status: In Progress"), len(i.Assignees) > 0 && pull:
		return InProgress
	case open:
		return Blocked
	case unknown:
		return Undecided
	}
	return Unblocked
}

// edges are the open dependencies of the issues named and of those they wait for, as a set.
func (b *plainBoard) edges(of []int) map[[2]int]bool {
	edges := map[[2]int]bool{}
	for seen := map[int]bool{}; len(of) > 0; of = of[1:] {
		n := of[0]
		if seen[n] || b.issue(n) == nil || b.state(Ref{Number: n}, Unknown) != Open {
			continue
		}
		seen[n] = true
		for _, r := range b.waits[n] {
			if r.Repo == "" && b.issue(r.Number) != nil && b.state(r, Unknown) == Open {
				edges[[2]int{r.Number, n}] = true
				of = append(of, r.Number)
			}
		}
	}
	return edges
}

// What may be worked on is what a plain reading of the rules says, whatever is known of the board
// (R18, R39, R42, R78, R86).
func TestSortIsAsThePlainRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 5 { // as many rare boards as in more checks
			sortsPlainly(t)
		}
	})
}

func sortsPlainly(t *rapid.T) {
	b := drawBoard(t)
	scope := rapid.SampledFrom([]Scope{{}, {Labels: []string{"UI"}}, {Milestones: []string{"V1"}},
		{Issues: []int{1, 3, 9}}}).Draw(t, "scope")
	want, in := map[int]string{}, []int(nil)
	for i := range b.Issues {
		if scope.Holds(&b.Issues[i]) {
			want[b.Issues[i].Number] = b.place(&b.Issues[i])
			in = append(in, b.Issues[i].Number)
		}
	}
	edges := b.edges(in)
	lists := func(of string) []int {
		list := []int{}
		for _, n := range in {
			if want[n] == of {
				list = append(list, n)
			}
		}
		return list
	}
	backlog := loop.Backlog{Unblocked: lists(Unblocked), Blocked: lists(Blocked),
		InProgress: lists(InProgress)}

	shuffled := b.Board
	shuffled.Issues = slices.Clone(b.Issues)
	order := rand.New(rand.NewSource(rapid.Int64().Draw(t, "order")))
	order.Shuffle(len(shuffled.Issues), func(i, j int) {
		shuffled.Issues[i], shuffled.Issues[j] = shuffled.Issues[j], shuffled.Issues[i]
	})
	r := Sort(&shuffled, scope)
	got := map[int]string{}
	for _, f := range r.Facts {
		got[f.Number] = f.State
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("places: %s", d)
	}
	if d := cmp.Diff(backlog, r.Backlog); d != "" {
		t.Fatalf("backlog, sorted and in whatever order it came: %s", d)
	}
	told := map[[2]int]bool{}
	for _, e := range r.Edges {
		if told[e] {
			t.Fatalf("%v twice", e)
		}
		told[e] = true
	}
	if d := cmp.Diff(edges, told); d != "" {
		t.Fatalf("edges: %s", d)
	}
	if partial := !b.Whole ||
		slices.Contains(slices.Collect(maps.Values(want)), Undecided); r.Partial != partial {
		t.Fatalf("partial is %v", r.Partial)
	}
	for _, n := range loop.Cycle(r.Edges) {
		if slices.Contains(r.Backlog.Unblocked, n) {
			t.Fatalf("#%d waits for itself and may be picked", n)
		}
	}
}
