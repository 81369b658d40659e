//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// `/loop stop` ends a run between its ticks, with its final report (m; R43, R150).
func TestLoopStopEndsTheRun(t *testing.T) {
	w := newWorld(t, Worker{}.Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter("/loop stop")

	term.WaitShowed("Cause: user_interrupt", 30*time.Second)
	b := w.Budget("work")
	if b.Status != "halted" || b.StopCause != "user_interrupt" || b.IterationsUsed != 1 {
		t.Errorf("the run ended as %+v", b)
	}
	lines := w.History("work")
	if last := lines[len(lines)-1]; strings.Join(last.Fired, " ") != "user_interrupt" {
		t.Errorf("the last history line fired %v", last.Fired)
	}
}

// Words typed while a tick works reach the model and end nothing: not the tick, not the run (n;
// R43).
func TestWordsInATickDoNotEndIt(t *testing.T) {
	release := make(chan struct{})
	w := newWorld(t, Worker{Hold: func(int) <-chan struct{} { return release }}.Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	if !patiently(60*time.Second, func() bool { return len(w.Model.Requests()) > 1 }) {
		t.Fatal("the iteration did not begin")
	}
	term.Enter("how is it going?")
	term.WaitScreen("Queued", 10*time.Second)
	close(release)
	term.WaitShowed("I hear you", 30*time.Second)

	lines := w.WaitHistory("work", 1, 30*time.Second)
	if diff := cmp.Diff([]string{"ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if b := w.Budget("work"); b.Status != "active" {
		t.Errorf("the run is %s, cause %q", b.Status, b.StopCause)
	}
}

// /clear gives the client a new session, and its schedule moves there. The run continues there with
// its counters (o; R15, R111).
func TestClearKeepsTheRun(t *testing.T) {
	w := newWorld(t, Worker{}.Say)
	term := w.Interactive()
	term.Enter("/loop 1m /sdd:work --loop")
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter("/clear")

	lines := w.WaitHistory("work", 2, 2*time.Minute)
	if diff := cmp.Diff([]string{"ok", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if b := w.Budget("work"); b.IterationsUsed != 2 || lines[1].Iteration != 2 {
		t.Errorf("the second line is iteration %d, the run %+v", lines[1].Iteration, b)
	}
}

// With --lock=force the person is asked first; the answer no leaves the other's lock alone (p; R48,
// R103, R104).
func TestForceUnlockAsksFirst(t *testing.T) {
	release := make(chan struct{})
	w := newWorld(t, Worker{Hold: func(n int) <-chan struct{} {
		if n == 1 {
			return release
		}
		return nil
	}}.Say)
	first := w.Interactive()
	first.Enter("/sdd:work --loop")
	w.WaitLocked("work", 60*time.Second)
	second := w.Interactive()
	second.Enter("/sdd:work --loop --lock=force")

	second.WaitScreen("Force-unlock previous iteration's lock? This may corrupt in-flight work.",
		60*time.Second)
	second.Choose(2)
	second.WaitShowed(gateAnswered, 20*time.Second)
	second.WaitShowed("is over", 20*time.Second)
	if pid := w.LockPID("work"); pid != first.PID() {
		t.Errorf("the lock is held by pid %d, want the first session's %d", pid, first.PID())
	}
	close(release)
	if !patiently(30*time.Second, func() bool { return !w.Locked("work") }) {
		t.Error("the first session's lock was not released")
	}
	lines := w.History("work")
	if last := lines[len(lines)-1]; last.Outcome != "ok" {
		t.Errorf("the first session's iteration ended %s", last.Outcome)
	}
}

// After Esc in a scheduled loop the next prompt may be the schedule's own: it is refused, and the
// person reads the final report there (t; R43, R49, R150).
func TestEscIsReportedWhenTheScheduleFires(t *testing.T) {
	w := newWorld(t, busyIn(1).Say)
	term := w.Interactive()
	term.Enter("/loop 1m /sdd:work --loop")
	term.WaitScreen("python3 -c", 60*time.Second)
	term.Interrupt()

	lines := w.WaitHistory("work", 1, 2*time.Minute)
	if lines[0].Outcome != "halted" || strings.Join(lines[0].Fired, " ") != "user_interrupt" {
		t.Errorf("the interrupted iteration is %s with %v", lines[0].Outcome, lines[0].Fired)
	}
	term.WaitShowed("Loop already stopped", 10*time.Second)
	term.WaitShowed("Cause: user_interrupt", 10*time.Second)
	if n := w.iterationsBegun(); n != 1 {
		t.Errorf("%d iterations reached the model, want 1", n)
	}
}

// A terminal that is closed in the middle of a tick ends the run, and no lock stays behind (u;
// R43).
func TestClosedTerminalEndsTheRun(t *testing.T) {
	w := newWorld(t, busyIn(1).Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	term.WaitScreen("python3 -c", 60*time.Second)
	term.HangUp()
	term.WaitExit(20 * time.Second)

	lines := w.WaitHistory("work", 1, 10*time.Second)
	if lines[0].Outcome != "halted" || strings.Join(lines[0].Fired, " ") != "user_interrupt" {
		t.Errorf("the iteration is %s with %v", lines[0].Outcome, lines[0].Fired)
	}
}
