package loop

import (
	"testing"
	"time"
)

// A question waits at the very Stop at which a ceiling is reached: the run pauses and asks; its
// ceiling is looked at again when it is resumed. Without a question the ceiling halts it.
func TestCloseAtACeilingWithAQuestion(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	run := Budget{
		RunID: "r", Skill: Work, Status: Active, StartedAt: now,
		Ceilings: Ceilings{Iterations: 1, PRs: 20, Minutes: 60},
	}
	tick := Tick{RunID: "r", Skill: Work, Iteration: 1, StartedAt: now, Body: true,
		Pending: []Gate{{Name: RepeatedFailure, Question: "again?"}}}
	for _, c := range []struct {
		pause bool
		want  Status
		fired int
	}{{true, Paused, 0}, {false, Halted, 1}} {
		got := Close(run, tick, nil,
			Ending{Now: now, Pause: c.pause, Unanswered: "nobody is there"})
		if got.Run.Status != c.want || len(got.Line.Fired) != c.fired {
			t.Errorf("pause %v: %s with %v, want %s",
				c.pause, got.Run.Status, got.Line.Fired, c.want)
		}
		text := "Loop paused at gate repeated-failure: nobody is there"
		if c.pause && (len(got.Run.Pending) != 1 || got.Run.StopText != text) {
			t.Errorf("paused with %v: %s", got.Run.Pending, got.Run.StopText)
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
		if got := tick.Unheard(); got != c.want {
			t.Errorf("%+v: unheard %v", c.dialog, got)
		}
	}
}
