package backlog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
)

func board(issues ...Issue) *Board {
	return &Board{Home: home, Issues: issues, Whole: true, PullsWhole: true, Shared: true}
}

func TestSort(t *testing.T) {
	r := Sort(board(
		Issue{Number: 1, Body: "Blocks #2"},
		Issue{Number: 2},
		Issue{Number: 3, Body: "Depends on #4 and #99"}, // 99 is closed
		Issue{Number: 4, Labels: []string{"merged"}},
		Issue{Number: 5, Labels: []string{"Status: In_Progress "}, Body: "Depends on #1"},
		Issue{Number: 6, Assignees: []string{"mara"}, PRs: []int{60}},
		Issue{Number: 7, PRs: []int{61}},
		Issue{Number: 8, BlockedBy: []Ref{{Repo: "other/lib", Number: 1, State: Open}}},
		Issue{Number: 9, Body: "Depends on other/lib#2"},
		// a state that was told once is known
		Issue{Number: 10, BlockedBy: []Ref{{Number: 98}, {Number: 98, State: Open}}},
	), Scope{})
	want := loop.Backlog{Unblocked: []int{1, 3, 7, 9}, Blocked: []int{2, 8, 10},
		InProgress: []int{5, 6}}
	if d := cmp.Diff(want, r.Backlog); d != "" || r.Partial {
		t.Error(r.Partial, d)
	}
	if d := cmp.Diff([][2]int{{1, 2}, {1, 5}}, r.Edges); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"#9 depends on other/lib#2, whose state is unknown"},
		r.Notes); d != "" {
		t.Error(d)
	}
}

// What is absent from a list with holes is not closed: the issue is neither, and the backlog proves
// nothing.
func TestNothingFollowsFromAPart(t *testing.T) {
	issue := Issue{Number: 1, Body: "Depends on #2"}
	for name, b := range map[string]*Board{
		"issues missing": {Home: home, Issues: []Issue{issue}, PullsWhole: true, Shared: true},
		"PRs missing":    {Home: home, Issues: []Issue{issue}, Whole: true, Shared: true},
		"edges missing":  board(Issue{Number: 1, Cut: true}),
	} {
		if r := Sort(b, Scope{}); !r.Partial || r.Facts[0].State != Undecided ||
			len(r.Backlog.Unblocked) > 0 || len(r.Notes) != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// PRs have numbers of their own
	apart := &Board{Home: home, Issues: []Issue{issue}, Whole: true}
	if r := Sort(apart, Scope{}); r.Partial || r.Facts[0].State != Unblocked {
		t.Errorf("%+v", r)
	}
	open := board(issue)
	open.Pulls = map[int][]int{2: nil}
	if r := Sort(open, Scope{}); r.Facts[0].State != Blocked || len(r.Edges) != 0 {
		t.Errorf("an open PR blocks and is no edge: %+v", r)
	}
}

func TestScopeNarrows(t *testing.T) {
	issues := []Issue{
		{Number: 1, Title: "spec-0020: lock", Labels: []string{"Bug", "ui"}, Milestone: "v1"},
		{Number: 2, Body: "Implements SPEC-0020.\nDepends on #3", Labels: []string{"bug"}},
		{Number: 3, Body: "Depends on #4, SPEC-00201"},
		{Number: 4, Body: "Depends on #3"},
		{Number: 5, Body: "Depends on #5"},
	}
	for words, want := range map[string]loop.Backlog{
		"": {Unblocked: []int{1}, Blocked: []int{2, 3, 4, 5},
			InProgress: []int{}},
		"SPEC-0020":          {Unblocked: []int{1}, Blocked: []int{2}, InProgress: []int{}},
		"label:bug label:UI": {Unblocked: []int{1}, Blocked: []int{}, InProgress: []int{}},
		"milestone:V1 1-3":   {Unblocked: []int{1}, Blocked: []int{}, InProgress: []int{}},
		"SPEC-0020 2":        {Unblocked: []int{}, Blocked: []int{2}, InProgress: []int{}},
		"label:none":         {Unblocked: []int{}, Blocked: []int{}, InProgress: []int{}},
	} {
		if d := cmp.Diff(want,
			Sort(board(issues...), ParseScope(strings.Fields(words))).Backlog); d != "" {
			t.Errorf("%q: %s", words, d)
		}
	}
	// A cycle outside of the scope matters where something in it waits for that, and not else.
	if got := loop.Cycle(Sort(board(issues...),
		ParseScope([]string{"2"})).Edges); !cmp.Equal(got, []int{3, 4}) {
		t.Error(got)
	}
	if got := Sort(board(issues...), ParseScope([]string{"1"})).Edges; len(got) > 0 {
		t.Error(got)
	}
	r := Sort(board(issues...), ParseScope(strings.Fields("1 77 authentication")))
	if !r.Partial || len(r.Notes) != 2 {
		t.Errorf("%+v", r.Notes)
	}
}
