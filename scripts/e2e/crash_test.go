//go:build e2e && linux

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// busyIn is a worker that is at work for long in one iteration.
func busyIn(iteration int) Worker {
	return Worker{Work: func(n int) []Call {
		if n == iteration {
			return []Call{busy(time.Minute)}
		}
		return nil
	}}
}

// inSecondTick is a client whose loop has ended one iteration and is at work in the next.
func inSecondTick(t *testing.T) (*World, *Terminal) {
	w := newWorld(t, busyIn(2).Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter("/sdd:work --loop")
	term.WaitScreen("python3 -c", 60*time.Second)
	return w, term
}

// Esc in the middle of a tick ends the run: the next thing the person types finds it, and shows the
// final report (d; R43, R45, R150, R151).
func TestEscEndsTheRun(t *testing.T) {
	w := newWorld(t, busyIn(1).Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	term.WaitScreen("python3 -c", 60*time.Second)
	term.Interrupt()
	term.Enter("what was that?")

	lines := w.WaitHistory("work", 1, 30*time.Second)
	if diff := cmp.Diff([]string{"user_interrupt"}, lines[0].Fired); diff != "" ||
		lines[0].Outcome != "halted" {
		t.Errorf("the interrupted iteration is %s, conditions (-want +got):\n%s", lines[0].Outcome,
			diff)
	}
	term.WaitShowed("Cause: user_interrupt", 10*time.Second)
	term.WaitShowed("I hear you", 10*time.Second)
	if w.Locked("work") {
		t.Error("the interrupted iteration left its lock")
	}
}

// A second session in the same project does no work while the first does, and reports who holds the
// lock (e; R46, R70, R128).
func TestSecondSessionIsSkipped(t *testing.T) {
	release := make(chan struct{})
	w := newWorld(t, Worker{Hold: func(int) <-chan struct{} { return release }}.Say)
	first := w.Interactive()
	first.Enter("/sdd:work --loop")
	w.WaitLocked("work", 60*time.Second)
	second := w.Interactive()
	second.Enter("/sdd:work --loop")

	note := fmt.Sprintf("Previous iteration 1 still active (pid %d) — skipping this tick",
		first.PID())
	second.WaitScreen(note, 30*time.Second)
	if n := w.iterationsBegun(); n != 1 {
		t.Errorf("%d iterations reached the model, want 1", n)
	}
	if !w.Locked("work") || w.Budget("work").IterationsUsed > 1 {
		t.Errorf("the skipped tick touched the first one's run: locked %v, %+v", w.Locked("work"),
			w.Budget("work"))
	}
	close(release)

	lines := w.WaitHistory("work", 2, 30*time.Second)
	if diff := cmp.Diff([]string{"skipped_lock", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// A client that is killed in a tick leaves its lock. A new one with --resume reaps the lock and
// continues the count (f; R68, R70, R75, R130–R132, R134).
func TestKilledClientIsResumed(t *testing.T) {
	w, first := inSecondTick(t)
	run := w.Budget("work").RunID
	first.Kill()
	if !w.Locked("work") {
		t.Fatal("the killed client's lock is gone already")
	}

	second := w.Interactive()
	second.Enter("/sdd:work --loop --resume")
	second.WaitShowed(fmt.Sprintf("Reaped stale lock for pid %d", first.PID()), 60*time.Second)

	lines := w.WaitHistory("work", 3, 60*time.Second)
	if diff := cmp.Diff([]string{"ok", "errored", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	for i, l := range lines {
		if l.Iteration != i+1 {
			t.Errorf("line %d is iteration %d", i+1, l.Iteration)
		}
	}
	if b := w.Budget("work"); b.RunID != run || b.IterationsUsed != 3 {
		t.Errorf("the run continued as %+v, want run %s with 3 used", b, run)
	}
}

// Without --loop the hooks write nothing and print nothing (h; R2, R3).
func TestPlainSessionLeavesNoTrace(t *testing.T) {
	w := newWorld(t, Worker{Work: func(int) []Call { return []Call{bash("echo at work")} }}.Say)
	r := w.Headless("/sdd:work")
	if !strings.Contains(r.Result, "is over") || !w.Model.Told("at work") {
		t.Fatalf("the plain skill did not run: %+v", r)
	}
	term := w.Interactive()
	term.Enter("hello")
	term.WaitShowed("I hear you", 30*time.Second)
	term.Kill()

	if names := w.hookRecords(); len(names) != 0 {
		t.Errorf("hooks left records in the transcript: %v", names)
	}
	if _, err := w.stat(".sdd"); err == nil {
		t.Error(".sdd exists")
	}
}
