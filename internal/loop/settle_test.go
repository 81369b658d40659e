package loop

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Which PRs the tracker is asked about as an iteration ends.
func TestUnsettled(t *testing.T) {
	known := []TrackedPR{{Number: 5, Branch: "a", StateAtEnd: "open"}}
	for _, c := range []struct {
		name   string
		single int
		tick   Tick
		want   []int
	}{
		{"no body", 5, Tick{PRs: []string{"#5"}}, nil},
		{"the watched one", 5, Tick{Started: true}, []int{5}},
		{"the watched one is known", 5, Tick{Started: true, Tracked: known}, []int{}},
		{"touched, nothing known", 0, Tick{Started: true, PRs: []string{"#5", "#6"}}, []int{5, 6}},
		{"one of two is known", 0, Tick{Started: true, PRs: []string{"#5", "#6"}, Tracked: known},
			[]int{6}},
		{"a merge that nothing tells of", 0,
			Tick{Started: true, MergesOf: []int{5, 5}, Tracked: known}, []int{5}},
		{"a merge that the skill alone reports", 0, Tick{Started: true, MergesOf: []int{5},
			Tracked: []TrackedPR{{Number: 5, Branch: "a", StateAtEnd: "merged"}}}, []int{5}},
		{"a merge that the answer told", 0, Tick{Started: true, MergesOf: []int{5}, Tracked: known,
			Observed: Observed{Merged: []int{5}}}, []int{}},
	} {
		got := c.tick.Unsettled(&Budget{SinglePR: c.single})
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// What the tracker says at the end: heads, branch, and whether a merge of this iteration has
// landed.
func TestSettle(t *testing.T) {
	tick := Tick{Asked: &Asked{PRs: []PR{{Number: 5, HeadSHA: "aaaaaaa1"}}}, MergesOf: []int{5}}
	tick.settle(PR{Number: 5, State: "merged", Branch: "a", HeadSHA: "bbbbbbb2"}, true)
	tick.settle(PR{Number: 6, State: "merged", Branch: "b", HeadSHA: "ccccccc3"}, false)
	want := []TrackedPR{{5, "a", "aaaaaaa1", "bbbbbbb2", "merged", ""},
		{6, "b", "ccccccc3", "ccccccc3", "merged", ""}}
	if d := cmp.Diff(want, tick.Tracked); d != "" {
		t.Error(d)
	}
	if pr := tick.Asked.pr(6); pr == nil || pr.HeadSHA != "ccccccc3" || tick.Asked.pr(7) != nil {
		t.Errorf("the tracker's own: %+v", tick.Asked)
	}
	if !cmp.Equal(tick.Observed.Merged, []int{5}) || !cmp.Equal(tick.Asked.InForks, []int{5}) {
		t.Errorf("%+v %+v", tick.Observed, tick.Asked)
	}
}
