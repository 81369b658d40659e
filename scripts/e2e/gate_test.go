//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// spends85cents costs $0.85 in the first iteration, at $20 for a million tokens of output, and next
// to nothing after.
func spends85cents(iteration int) Usage {
	if iteration == 1 {
		return Usage{Input: 1, Output: 42_500}
	}
	return Usage{Input: 1, Output: 1}
}

const (
	dollarGate   = "Approaching dollars ($0.85/$1.00). Continue, raise ceiling, or stop?"
	dollarLoop   = "/sdd:work --loop --max-dollars 1"
	gateAnswered = "Answered Claude's questions"
)

// At 80 % of a budget a person is asked in the exact words, whatever words the model chose; until
// then nothing else is done, and the answer is recorded verbatim (b; R91, R92, R96, R120, R127).
func TestGateIsAskedInItsOwnWords(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents, Hasty: []Call{bash("touch hasty")}}.Say)
	term := w.Interactive()
	term.Enter(dollarLoop)
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter(dollarLoop)

	term.WaitScreen(dollarGate, 60*time.Second)
	term.WaitScreen("1. continue", 5*time.Second)
	term.WaitScreen("3. stop", 5*time.Second)
	if term.Showed(paraphrase) {
		t.Errorf("the model's own question was shown:\n%s", term.Screen())
	}
	if _, err := w.stat("hasty"); err == nil {
		t.Error("a tool ran before the question was answered")
	}
	term.Choose(2)
	term.WaitShowed(gateAnswered, 20*time.Second)

	lines := w.WaitHistory("work", 2, 30*time.Second)
	if len(lines[0].Gates) != 0 || len(lines[1].Gates) != 1 {
		t.Fatalf("gates %v and %v, want none and one", lines[0].Gates, lines[1].Gates)
	}
	g := lines[1].Gates[0]
	if g.Name != "budget-escalation" || g.Question != dollarGate || g.Answer != "raise" {
		t.Errorf("recorded gate %+v, want budget-escalation with the exact question answered raise",
			g)
	}
	if lines[1].Outcome != "ok" || w.Budget("work").Status != "active" {
		t.Errorf("after raise the iteration is %s and the run %s", lines[1].Outcome,
			w.Budget("work").Status)
	}
	if w.Model.Told(paraphrase + `"="`) {
		t.Error("the model's own question was answered")
	}
}

// The answer stop halts the run; the schedule that still fires meets a refusal that cites the gate,
// and no work (c; R49–R51, R94, R150).
func TestStopAtGateRefusesTheNextTick(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents, Deaf: true}.Say)
	term := w.Interactive()
	term.Enter("/loop 1m " + dollarLoop)
	term.WaitScreen(dollarGate, 3*time.Minute)
	term.Choose(3)
	term.WaitShowed(gateAnswered, 20*time.Second)

	lines := w.WaitHistory("work", 2, 30*time.Second)
	if lines[1].Outcome != "halted" || strings.Join(lines[1].Fired, " ") != "prior_gate_stop" {
		t.Errorf("the stopped iteration is %s with %v", lines[1].Outcome, lines[1].Fired)
	}
	term.WaitShowed("Cause: prior_gate_stop", 10*time.Second)

	term.WaitScreen("Loop already stopped at gate budget-escalation in iteration 2",
		100*time.Second)
	if n := w.iterationsBegun(); n != 2 {
		t.Errorf("%d iterations reached the model, want 2", n)
	}
	if w.Locked("work") {
		t.Error("the refused tick left a lock")
	}
}

// A merge in a review loop is refused with the question to ask; the answer merge lets that PR
// through once (i; R99–R102, R107).
func TestMergeNeedsAPersonsWord(t *testing.T) {
	var w *World
	w = newWorld(t, Worker{Work: func(int) []Call {
		merge := bash(w.merge(142))
		return append(append([]Call{merge}, askInOwnWords()...), merge, merge)
	}}.Say)
	question := w.mergeAsked(142, "no tracker is configured")
	term := w.Interactive()
	term.Enter("/sdd:review --loop --pr 142")
	term.WaitScreen(question, 60*time.Second)
	if n := w.Merges(); len(n) != 0 {
		t.Errorf("merged before anyone was asked: %v", n)
	}
	term.Choose(1)
	term.WaitShowed(gateAnswered, 20*time.Second)

	line := w.WaitHistory("review", 1, 30*time.Second)[0]
	if diff := cmp.Diff([]string{w.merged(142)}, w.Merges()); diff != "" {
		t.Errorf("merges that reached the forge (-want +got):\n%s", diff)
	}
	if len(line.Gates) != 1 || line.Gates[0].Name != "post-feedback-merge" ||
		line.Gates[0].Question != question || line.Gates[0].Answer != "merge" {
		t.Errorf("recorded gates %+v", line.Gates)
	}
	if line.Merges != 1 {
		t.Errorf("%d merges counted, want 1", line.Merges)
	}
}

// An issue that fails twice for the same reason is asked about at the second exit. The answer is in
// the next iteration's line, and the loop continues unless the answer was stop (r; R34–R38, R105,
// R106).
func TestRepeatedFailureIsAskedAtExit(t *testing.T) {
	w := newWorld(t, Worker{Report: func(n int) string {
		if n > 2 {
			return quiet
		}
		return `{"skill":"work","backlog":{"unblocked":[143],"blocked":[],"in_progress":[]},
			"outcome":"errored",
			"failures":[{"kind":"issue","number":44,"cause":"tests failing in module X"}]}`
	}}.Say)
	const question = "Issue #44 failed twice with: tests failing in module X. Skip, retry once " +
		"more, or stop the loop?"
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	w.WaitHistory("work", 1, 60*time.Second)
	if term.Showed("failed twice") {
		t.Errorf("asked after one failure:\n%s", term.Screen())
	}
	term.Enter("/sdd:work --loop")
	term.WaitScreen(question, 60*time.Second)
	term.Choose(2)
	w.WaitHistory("work", 2, 30*time.Second)
	term.WaitShowed("Loop Iteration 2/5", 10*time.Second)
	term.Enter("/sdd:work --loop")

	lines := w.WaitHistory("work", 3, 60*time.Second)
	if diff := cmp.Diff([]string{"errored", "errored", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if len(lines[1].Gates) != 0 || len(lines[2].Gates) != 1 {
		t.Fatalf("gates are %v and %v, want the answer in the line after the question",
			lines[1].Gates, lines[2].Gates)
	}
	if g := lines[2].Gates[0]; g.Name != "repeated-failure" || g.Question != question ||
		g.Answer != "retry" {
		t.Errorf("recorded gate %+v", g)
	}
}

// The model cannot write the loop's state with any tool (s; R112, design §1: state guard).
func TestModelCannotWriteTheState(t *testing.T) {
	var w *World
	w = newWorld(t, func(r Request) Turn {
		return Worker{Work: func(int) []Call {
			return []Call{
				bash("echo '{}' > .sdd/loop/work.budget.json"), bash("rm -rf .sdd"),
				bash("hooks gate answer budget-escalation continue"),
				{"Write", map[string]any{"file_path": w.state("work.budget.json"),
					"content": "{}"}},
			}
		}}.Say(r)
	})
	term := w.Interactive()
	term.Enter("/sdd:work --loop")

	lines := w.WaitHistory("work", 1, 60*time.Second)
	if b := w.Budget("work"); b.RunID != lines[0].RunID || b.IterationsUsed != 1 {
		t.Errorf("the budget is %+v", b)
	}
	if lines[0].Outcome != "ok" {
		t.Errorf("the iteration ended %s", lines[0].Outcome)
	}
	if n := w.refusals(); n != 4 {
		t.Errorf("%d calls were refused, want 4", n)
	}
}
