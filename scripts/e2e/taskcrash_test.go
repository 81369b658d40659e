//go:build e2e && linux

package e2e

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// slowTask is a worker that is busy for long with one task, until it is let go.
func slowTask(task int, free *atomic.Bool) Conductor {
	return Conductor{Work: func(n int, w Work) Turn {
		if n == task && !free.Load() {
			return Turn{Calls: []Call{busy(time.Minute)}}
		}
		return commits(n, w)
	}}
}

var firstGates = []string{"Gate 1: is the spec docs/spec.md approved for execution?",
	"Gate 2: is the review of the"}

// conducts starts a task loop at a terminal and answers its first gates.
func (w *World) conducts(command string) *Terminal {
	w.t.Helper()
	term := w.Interactive()
	term.Enter(command)
	term.WaitScreen(firstGates[0], 60*time.Second)
	term.ChooseEach(firstGates, 1, 1)
	return term
}

// waitWorks waits until the worker of a task has begun.
func (w *World) waitWorks(task int) {
	w.t.Helper()
	begun := func() bool {
		for _, r := range w.Model.Requests() {
			if n, _ := r.task(); n == task {
				return true
			}
		}
		return false
	}
	if !patiently(60*time.Second, begun) {
		w.t.Fatalf("no worker of task %d began; %v", task, w.TaskHistory())
	}
}

// At a terminal the client runs workers in the background, and the conductor waits for them. A
// client that is killed in the middle of a task costs no attempt: a new one with --resume begins
// that task again (T50, T59, T64–T66).
func TestAKilledTaskIsResumed(t *testing.T) {
	var free atomic.Bool
	w := taskWorld(t, 2, slowTask(2, &free))
	w.noRemote()
	term := w.conducts("/hooks:go docs/spec.md")
	w.WaitHistory("task", 1, 60*time.Second)
	w.waitWorks(2)
	term.Kill()
	free.Store(true)
	r := w.Headless("/hooks:go --resume")
	want := []string{"1.1 claimed", "2.1 outage", "2.1 claimed"}
	if diff := cmp.Diff(want, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s\n%s", diff, strings.Join(r.Said, "\n"))
	}
	if b := w.Budget("task"); b.StopCause != "tasks_complete" || b.IterationsUsed != 3 {
		t.Errorf("the run is %+v", b)
	}
	w.provesFresh()
}

// Esc in the conductor's turn ends the run as interrupted, once its worker has ended (R43, R45,
// T59).
func TestEscEndsATaskLoop(t *testing.T) {
	var free atomic.Bool
	c := slowTask(1, &free)
	c.Waits = make(chan struct{})
	w := taskWorld(t, 2, c)
	w.noRemote()
	term := w.conducts("/hooks:go docs/spec.md")
	w.waitWorks(1)
	term.Interrupt()
	free.Store(true)
	close(c.Waits)
	term.Enter("what was that?")
	w.WaitHistory("task", 1, 90*time.Second)
	if diff := cmp.Diff([]string{"1.1 outage"}, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "user_interrupt" {
		t.Errorf("the run is %+v", b)
	}
	term.WaitShowed("Cause: user_interrupt", 10*time.Second)
}

// An outage of the service costs no attempt. The Stop waits for a minute, and then brings the same
// attempt again (T59, T95).
func TestAnOutageCostsNoAttempt(t *testing.T) {
	var failed atomic.Pointer[time.Time]
	var waited time.Duration
	w := taskWorld(t, 2, Conductor{Work: func(n int, w Work) Turn {
		now := time.Now()
		switch {
		case n == 2 && failed.CompareAndSwap(nil, &now),
			n == 2 && time.Since(*failed.Load()) < 20*time.Second:
			return Turn{Overloaded: true} // to the client's own retries too
		case n == 2:
			waited = time.Since(*failed.Load())
		}
		return commits(n, w)
	}})
	w.noRemote()
	w.Env = []string{"CLAUDE_CODE_MAX_RETRIES=1"}
	w.begins("/hooks:go docs/spec.md")
	w.Headless("/hooks:go --resume")
	if diff := cmp.Diff([]string{"1.1 claimed", "2.1 outage", "2.1 claimed"},
		w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if b := w.Budget("task"); b.StopCause != "tasks_complete" {
		t.Errorf("the run is %+v", b)
	}
	if waited < 59*time.Second { // the run's file has whole seconds
		t.Errorf("the attempt came again after %s", waited)
	}
}
