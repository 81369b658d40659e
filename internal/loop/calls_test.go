package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/guard/effect"
)

// A call is counted once an event, by its id and input; of very many the oldest are forgotten.
func TestACallIsCountedOnce(t *testing.T) {
	var tick Tick
	for _, c := range []struct {
		event, id, input string
		news             bool
	}{
		{"PostToolUse", "t1", "{}", true}, {"PostToolUse", "t1", "{}", false},
		{"PreToolUse", "t1", "{}", true}, {"PostToolUse", "t1", "{1}", true},
		{"PostToolUse", "", "{}", true}, {"PostToolUse", "", "{}", true},
	} {
		if got := tick.countOnce(c.event, c.id, c.input); got != c.news {
			t.Errorf("%+v: news %v", c, got)
		}
	}
	missed := func(id string) bool { return tick.Missed(id, time.Time{}) }
	if missed("t1") || !missed("t2") || missed("") || len(tick.Counted) != 3 {
		t.Errorf("counted: %v", tick.Counted)
	}
	for i := range maxCounted - 3 {
		tick.countOnce("PostToolUse", fmt.Sprint("n", i), "")
	}
	if len(tick.Counted) != maxCounted || missed("t1") || missed("anything") {
		t.Errorf("%d are counted", len(tick.Counted))
	}
	tick.countOnce("PostToolUse", "last", "")
	if len(tick.Counted) != maxCounted || !tick.countOnce("PostToolUse", "t1", "{}") ||
		tick.countOnce("PostToolUse", "last", "") {
		t.Errorf("%d are counted, the first %q", len(tick.Counted), tick.Counted[0])
	}
}

// R101: what merges passes once, for the PRs and the commit that it was let through for.
func TestAPassIsForItsCall(t *testing.T) {
	var tick Tick
	tick.pass(Passed{ID: "", PRs: []int{1}})
	tick.pass(Passed{ID: "a", Input: strings.Repeat("x", maxInput), PRs: []int{7, 8}})
	tick.pass(Passed{ID: "b", Input: strings.Repeat("x", maxInput+1)})
	tick.pass(Passed{ID: "c", Input: "{}", Done: true})
	if len(tick.Passed) != 3 || len(tick.Passed[0].Input) != maxInput ||
		tick.Passed[1].Input != "" {
		t.Fatalf("passed: %d, %d bytes", len(tick.Passed), len(tick.Passed[1].Input))
	}
	for _, c := range []struct {
		id, input   string
		known, same bool
	}{
		{"a", strings.Repeat("x", maxInput), true, true}, {"a", "x", true, false},
		{"b", "", true, false}, {"c", "{}", true, false}, {"d", "{}", false, false},
		{"", "", false, false},
	} {
		if known, same := tick.merging(c.id, c.input); known != c.known || same != c.same {
			t.Errorf("%s %.9s: known %v, same %v", c.id, c.input, known, same)
		}
	}
	if tick.Ended("") || tick.Ended("c") || tick.Ended("d") || !tick.Ended("a") || tick.Ended("a") {
		t.Errorf("ended: %+v", tick.Passed)
	}
	if tick.Passed[1].Done {
		t.Error("the result of another call ended it")
	}
	for i := range maxCounted {
		tick.pass(Passed{ID: fmt.Sprint("n", i)})
	}
	if len(tick.Passed) != maxCounted || tick.Passed[0].ID != "n0" {
		t.Errorf("%d are kept, from %q", len(tick.Passed), tick.Passed[0].ID)
	}
}

func TestAPassAllows(t *testing.T) {
	bound := Passed{PRs: []int{7}, HeadSHA: "aaaaaaa1"}
	for _, c := range []struct {
		pass Passed
		pr   int
		sha  string
		want bool
	}{
		{bound, 7, "aaaaaaa1", true}, {bound, 7, "aaaaaaa1ffff", true}, {bound, 7, "", false},
		{bound, 7, "bbbbbbb1", false}, {bound, 8, "aaaaaaa1", false},
		{Passed{PRs: []int{7}}, 7, "bbbbbbb1", true},
		{Passed{PRs: []int{7}, Done: true}, 7, "", false},
		{Passed{Done: true}, 7, "", false},
	} {
		if got := c.pass.Allows(c.pr, c.sha); got != c.want {
			t.Errorf("%+v allows %d at %q: %v", c.pass, c.pr, c.sha, got)
		}
	}
}

func TestDialogs(t *testing.T) {
	x := []string{"x?"}
	for _, c := range []struct {
		dialog Dialog
		shows  bool
	}{
		{Dialog{ID: "a", Shown: x}, true},
		{Dialog{ID: "a", Shown: x, Forged: true}, false},
		{Dialog{ID: "a", Shown: x, Done: true}, true},
		{Dialog{ID: "a", Shown: []string{"y?"}}, false},
		{Dialog{ID: "b", Forged: true}, false},
	} {
		if c.dialog.shows("x?") != c.shows {
			t.Errorf("%+v", c.dialog)
		}
	}
	tick := Tick{Dialogs: []Dialog{
		{ID: "f", Forged: true}, {ID: "b"}, {ID: "a"}, {ID: "a"}, {ID: "f"},
		{ID: "c", Forged: true}, {ID: "c"}, {ID: "d"},
		{ID: "d", Forged: true},
	}}
	for id, want := range map[string]int{"a": 3, "b": 1, "c": 5, "d": 8, "e": -1, "f": 0} {
		if got := tick.shown(id); got != want {
			t.Errorf("%s was shown last as %d, want %d", id, got, want)
		}
	}
}

// R149: one round of a PR is one review and an approval that closes it.
func TestOneReviewRound(t *testing.T) {
	review := func(pr int) effect.Act {
		return effect.Act{Kind: effect.Comment, PR: pr, Review: true}
	}
	approval := effect.Act{Kind: effect.ApprovePR, PR: 7}
	posts := func(id string, acts ...effect.Act) []PostedReview {
		return Call{ID: id, Input: "{}"}.posts(acts)
	}
	var tick Tick
	tick.Reviews = AppendNew(tick.Reviews, posts("a", review(7))...)
	tick.Reviews = AppendNew(tick.Reviews, posts("a", review(7))...)
	for _, c := range []struct {
		acts []effect.Act
		id   string
		want string
	}{
		{[]effect.Act{review(7)}, "a", ""},
		{[]effect.Act{review(7)}, "b", "PR #7 has already been reviewed"},
		{[]effect.Act{review(8)}, "b", ""},
		{[]effect.Act{approval}, "b", ""},
		{[]effect.Act{review(8), review(8)}, "b", "PR #8 would be reviewed twice"},
	} {
		if got := tick.refuseReviews(posts(c.id, c.acts...)); got != c.want {
			t.Errorf("%v by %s: %q, want %q", c.acts, c.id, got, c.want)
		}
	}
	tick.Reviews = AppendNew(tick.Reviews, posts("c", approval)...)
	again := "PR #7 has already been reviewed"
	if got := tick.refuseReviews(posts("d", approval)); got != again {
		t.Errorf("a second approval: %q", got)
	}
	if len(tick.Reviews) != 2 || tick.unreview("", "{}") || tick.unreview("c", "{1}") {
		t.Errorf("reviews: %+v", tick.Reviews)
	}
	if !tick.unreview("c", "{}") || len(tick.Reviews) != 1 || tick.Reviews[0].Approval {
		t.Errorf("reviews: %+v", tick.Reviews)
	}
}

// Each thread is told of the dollar ceiling once.
func TestDollarsAreToldOnce(t *testing.T) {
	var tick Tick
	for _, c := range []struct {
		agent string
		news  bool
	}{{"", true}, {"main", false}, {"", false}, {"a1", true}, {"a1", false}} {
		if got := tick.firstTold(c.agent); got != c.news {
			t.Errorf("%q: news %v", c.agent, got)
		}
	}
}

func TestDollarCeilings(t *testing.T) {
	run := &Budget{Ceilings: Ceilings{Dollars: 2 * Dollar}, DollarsEstimate: Dollar}
	if got := run.Ceilings.Dollars.overrun(150); got != 5*Dollar {
		t.Errorf("the limit is %s", got)
	}
	for spent, want := range map[USD]string{2*Dollar - 1: "",
		2 * Dollar: "Cost budget reached: $2.00 / $2.00"} {
		at := *run
		at.DollarsEstimate = spent
		if got := costBudget(&Facts{Run: &at}); got != want {
			t.Errorf("at $%s: %q", spent, got)
		}
	}
	spent := func(u USD) Spent { return Spent{ByModel: map[string]Tokens{"m": {Dollars: u}}} }
	if spent(Dollar).Past(run) || !spent(Dollar+1).Past(run) || run.DollarsEstimate != Dollar {
		t.Errorf("past the ceiling, at %s", run.DollarsEstimate)
	}
	o := &Overrun{Ceiling: 2 * Dollar, Spent: 5 * Dollar, Over: 3 * Dollar}
	if got := o.String(); got != "$3.00 past the ceiling ($5.00 / $2.00)" {
		t.Error(got)
	}
	o.By = []Spender{{"main thread", "opus", 4 * Dollar}}
	want := "$3.00 past the ceiling ($5.00 / $2.00); largest spender of the iteration: " +
		"main thread, opus, $4.00"
	if got := o.String(); got != want {
		t.Error(got)
	}
}

func TestOverlay(t *testing.T) {
	old := []Cursor{{Path: "a", Offset: 1}, {Path: "b", Offset: 2}}
	want := []Cursor{{Path: "c", Offset: 9}, {Path: "a", Offset: 5}, {Path: "b", Offset: 2}}
	got := Overlay(old, []Cursor{{Path: "c", Offset: 9}, {Path: "a", Offset: 5}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
