package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A question waits at the very Stop at which a ceiling is reached: the run pauses and asks; its
// ceiling is looked at again when it is resumed. Without a question the ceiling halts it.
func TestCloseAtACeilingWithAQuestion(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	run := Budget{
		RunID: "r", Skill: Work, Status: Active, StartedAt: now,
		Ceilings: Ceilings{Iterations: 1, PRs: 20, Minutes: 60},
	}
	tick := Tick{RunID: "r", Skill: Work, Iteration: 1, StartedAt: now, Started: true,
		Pending: []Gate{{Name: RepeatedFailure, Question: "again?"}}}
	for _, c := range []struct {
		pause bool
		want  Status
		fired int
	}{{true, Paused, 0}, {false, Halted, 1}} {
		got := closeTick(&run, tick, nil,
			Ending{Now: now, Pause: c.pause, Unanswered: "headless"})
		if got.Budget.Status != c.want || len(got.Fired) != c.fired {
			t.Errorf("pause %v: %s with %v, want %s",
				c.pause, got.Budget.Status, got.Fired, c.want)
		}
		text := "Loop paused at gate repeated-failure: headless"
		if c.pause && (len(got.Budget.Pending) != 1 || got.Budget.StopText != text) {
			t.Errorf("paused with %v: %s", got.Budget.Pending, got.Budget.StopText)
		}
	}
}

// A dialog whose answers were recorded is not one that still has to be heard.
func TestUnheardLeavesOutDialogsThatAreDone(t *testing.T) {
	for _, c := range []struct {
		dialog Dialog
		want   bool
	}{
		{Dialog{ID: "a"}, true},
		{Dialog{ID: "a", Done: true}, false},
		{Dialog{ID: "a", Forged: true}, false},
	} {
		tick := Tick{Pending: []Gate{{Name: BacklogDrift}}, Dialogs: []Dialog{c.dialog}}
		if got := tick.Unheard(&Budget{}); got != c.want {
			t.Errorf("%+v: unheard %v", c.dialog, got)
		}
	}
}

// Closing changes neither the run, the tick nor the line before.
func TestCloseChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run, tick := drawn[Budget](t, "run"), drawn[Tick](t, "tick")
		e, previous := drawn[Ending](t, "ending"), drawn[Iteration](t, "previous")
		before := frozen([]any{run, tick, e, previous})
		closeTick(&run, tick, &previous, e)
		if diff := cmp.Diff(before, []any{run, tick, e, previous}); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What a run has spent is added up by model; cursors and prices are the last ones, where they came.
func TestSpend(t *testing.T) {
	b := Budget{
		TokensByModel: map[string]Tokens{"a": {Input: 1, Output: 2, Dollars: 3}}, SkippedLines: 1,
		Cursors: []Cursor{{Path: "old"}}, RateTableSource: "old",
	}
	was := b.TokensByModel
	b.Spend(Spent{})
	b.Spend(Spent{
		ByModel: map[string]Tokens{
			"a": {Input: 1, CacheRead: 1, Output: 1, Dollars: 1},
			"b": {Output: 4},
		},
		Cursors: []Cursor{{Path: "new"}}, Source: "new", Skipped: 2,
	})
	want := Budget{
		TokensByModel: map[string]Tokens{
			"a": {Input: 2, CacheRead: 1, Output: 3, Dollars: 4}, "b": {Output: 4},
		},
		SkippedLines: 3, Cursors: []Cursor{{Path: "new"}}, RateTableSource: "new", TokensIn: 2,
		TokensOut: 5, DollarsEstimate: 1,
	}
	if diff := cmp.Diff(want, b); diff != "" || len(was) != 1 || was["a"].Output != 2 {
		t.Errorf("%v: %s", was, diff)
	}
	b.Spend(Spent{})
	if len(b.Cursors) != 1 || b.RateTableSource != "new" {
		t.Errorf("nothing that was spent changed %+v", b)
	}
}

// A pause that nothing explains has no text, and one without a question names none.
func TestPauseTexts(t *testing.T) {
	for _, c := range []struct {
		pending []Gate
		why     string
		want    string
	}{
		{[]Gate{{Name: BacklogDrift}}, "", ""}, {nil, "why", ""},
		{[]Gate{{Name: BacklogDrift}}, "why", "Loop paused at gate backlog-drift: why"},
	} {
		got := closeTick(
			&Budget{},
			Tick{Pending: c.pending},
			nil,
			Ending{Pause: true, Unanswered: c.why},
		)
		if got.Budget.Status != Paused || got.Budget.StopText != c.want {
			t.Errorf("%+v: %s, %q", c, got.Budget.Status, got.Budget.StopText)
		}
	}
}

// An answer that would have begun the body died between two saves: the iteration does not count.
func TestAnAbandonedEntryIsNotCounted(t *testing.T) {
	run := &Budget{RunID: "r", Ceilings: Defaults, IterationsUsed: 3, Status: Active}
	tick := &Tick{RunID: "r", Iteration: 3}
	if o := Step(State{Tick: tick}, Known{}, Abandoned{}); !o.Save.DropTick {
		t.Errorf("its run is gone: %+v", o)
	}
	for _, s := range []State{{}, {Run: run}} {
		if o := Step(s, Known{}, Abandoned{}); !o.Nothing() {
			t.Errorf("nothing is open: %+v", o)
		}
	}
	o := Step(State{Run: run, Tick: tick}, Known{Bare: true}, Abandoned{Turn{Now: noon}})
	if o.Save.Close == nil || o.Save.Close.Budget.IterationsUsed != 2 {
		t.Errorf("%+v", o.Save.Close)
	}
}

func TestWhatATickKnows(t *testing.T) {
	tick := Tick{
		Tracked: []TrackedPR{{Number: 1, EndSHA: "a"}, {Number: 2, EndSHA: "b"}},
		Report: Report{
			PRs: []PR{{Number: 1, HeadSHA: "c"}, {Number: 2}, {Number: 4, HeadSHA: "d"}},
		},
		Asked: &Asked{PRs: []PR{{Number: 3, HeadSHA: "e"}, {Number: 4, HeadSHA: "f"}}},
	}
	for pr, want := range map[int]string{1: "", 2: "", 3: "e", 4: "f", 5: ""} {
		if got := tick.head(pr); got != want {
			t.Errorf("PR %d is at %q", pr, got)
		}
	}
	if got := (&Tick{}).HaltedBy(); got != "" {
		t.Errorf("halted by %q", got)
	}
	line := &Iteration{TrackedPRs: []TrackedPR{{Number: 1, EndSHA: "a"}}}
	if line.PR(1) == nil || line.PR(2) != nil || line.HeadAtEnd(1) != "a" ||
		line.HeadAtEnd(2) != "" {
		t.Errorf("%+v", line)
	}
	if (*Iteration)(nil).PR(1) != nil || (*Iteration)(nil).HeadAtEnd(1) != "" {
		t.Error("no line tracks anything")
	}
	for _, k := range Gates {
		if got := GateOf(k.Name); got.Header == "" || got.Header != k.Header {
			t.Errorf("%s: %+v", k.Name, got)
		}
	}
}
