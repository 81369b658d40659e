//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// A scheduled loop runs its iterations, one a minute, and halts at the exit of the last; the
// schedule goes with it (a; R3, R23–R26, R43, R64–R67, R117, R118, R150).
func TestScheduledLoopHaltsAtItsIterations(t *testing.T) {
	w := newWorld(t, Worker{}.Say)
	term := w.Interactive()
	term.Enter("/loop 1m /sdd:work --loop --max-iterations 3")

	w.WaitHistory("work", 1, 60*time.Second)
	if b := w.Budget("work"); b.Status != "active" || b.IterationsUsed != 1 {
		t.Errorf("after one iteration the run is %+v, want active with 1 used", b)
	}
	lines := w.WaitHistory("work", 3, 4*time.Minute)

	if diff := cmp.Diff([]string{"ok", "ok", "halted"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"iteration_budget"}, lines[2].Fired); diff != "" {
		t.Errorf("conditions of the last iteration (-want +got):\n%s", diff)
	}
	term.WaitShowed("Loop Iteration 3/3 — /sdd:work --loop", 10*time.Second)
	term.WaitShowed("Cause: iteration_budget", 10*time.Second)
	if b := w.Budget("work"); b.Status != "halted" || b.StopCause != "iteration_budget" ||
		b.IterationsUsed != 3 {
		t.Errorf("the run ended as %+v", b)
	}
	w.waitResult(t, "CronDelete", "Cancelled")
	if strings.Contains(term.Screen(), "blocked by hook") {
		t.Errorf("a hook blocked a prompt:\n%s", term.Screen())
	}
}

// A self-paced loop that forgets to schedule its next tick gets the exact call once, and continues
// (k; design §1: block once with the exact ScheduleWakeup).
func TestSelfPacedLoopIsKeptAlive(t *testing.T) {
	w := newWorld(t, Worker{}.Say)
	term := w.Interactive()
	term.Enter("/loop /sdd:work --loop --max-iterations 2")

	w.WaitHistory("work", 1, 60*time.Second)
	w.waitResult(t, "ScheduleWakeup", "")
	lines := w.WaitHistory("work", 2, 3*time.Minute)

	if diff := cmp.Diff([]string{"ok", "halted"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if w.Budget("work").StopCause != "iteration_budget" {
		t.Errorf("the run ended as %+v", w.Budget("work"))
	}
}

// A tick whose workers still run when its turn ends stays open, and ends with the last of them;
// what they spend is counted (j; R45, design §1: background_tasks).
func TestBackgroundWorkerKeepsTickOpen(t *testing.T) {
	done := make(chan struct{})
	worker := Worker{Work: func(int) []Call {
		return []Call{{"Agent", map[string]any{
			"description": "work on #143", "prompt": "WORKER: fix it",
			"subagent_type": "general-purpose", "run_in_background": true,
		}}}
	}}
	w := newWorld(t, func(r Request) Turn {
		if strings.Contains(r.All(), "WORKER: fix it") &&
			!strings.Contains(r.All(), "Do one work") {
			return Turn{Text: "fixed", Hold: done, Usage: Usage{Input: 1000, Output: 777}}
		}
		return worker.Say(r)
	})
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	term.WaitShowed("iteration 1 is over", 60*time.Second)
	term.WaitScreen("Waiting for 1 background agent", 20*time.Second)

	if n := len(w.History("work")); n != 0 || !w.Locked("work") {
		t.Errorf("while a worker runs there are %d history lines, locked: %v; want none and a lock",
			n, w.Locked("work"))
	}
	close(done)

	line := w.WaitHistory("work", 1, 60*time.Second)[0]
	if line.Outcome != "ok" || line.Agents != 1 {
		t.Errorf("the iteration ended %s with %d agents, want ok with 1", line.Outcome, line.Agents)
	}
	if line.TokensOut < 777 {
		t.Errorf("%d output tokens were counted, want the worker's 777 among them", line.TokensOut)
	}
}

// Who mistypes --loop believes the loop governed: nothing begins, by a person's command and by the
// model's call, and an apostrophe before a limit does not swallow it (R2, R6).
func TestASlipForLoopStartsNothing(t *testing.T) {
	skill := Call{"Skill", map[string]any{"args": "--lop", "skill": "sdd:work"}}
	w := newWorld(t, func(r Request) Turn {
		if strings.Contains(r.Prompt(), "CALL") && len(r.Calls()) == 0 {
			return Turn{Calls: []Call{skill}}
		}
		return Turn{Text: "done"}
	})
	const slip = `"--lop" is not a loop flag; did you mean --loop`
	r := w.Headless("/sdd:work --lop --max-dollars 5")
	if said := strings.Join(append(r.Said, r.Result), "\n"); !strings.Contains(said, slip) {
		t.Errorf("the person was told:\n%s", said)
	}
	if n := len(w.Model.Requests()); n != 0 {
		t.Errorf("%d requests reached the model", n)
	}
	if w.Headless("CALL"); !w.Model.Told(slip) {
		t.Error("the model was not told of its slip")
	}
	if _, err := w.stat(".sdd"); err == nil {
		t.Error("a loop has begun")
	}
	w.Headless("/sdd:work --loop only Anna's issues --max-iterations 2")
	if line := w.History("work"); len(line) != 1 {
		t.Errorf("%d lines", len(line))
	}
	if got := gjson.Get(w.read(".sdd/loop/work.budget.json"), "max_iterations").Int(); got != 2 {
		t.Errorf("the limit of 2 iterations became %d", got)
	}
}
