//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Two scheduled loops of one session keep counters, locks and histories of their own; ending one
// leaves the other (D; R43, R64–R67, R117).
func TestTwoLoopsInOneSession(t *testing.T) {
	release := make(chan struct{})
	review := Worker{Deaf: true}
	work := Worker{Deaf: true, Hold: func(n int) <-chan struct{} {
		if n == 2 {
			return release
		}
		return nil
	}}
	w := newWorld(t, func(r Request) Turn {
		if strings.Contains(r.Prompt(), "/sdd:review") {
			return review.Say(r)
		}
		return work.Say(r)
	})
	term := w.Interactive()
	term.Enter("/loop 1m /sdd:review --loop --max-iterations 4")
	w.WaitHistory("review", 1, 60*time.Second)
	term.Enter("/loop 1m /sdd:work --loop --max-iterations 3")
	w.WaitHistory("work", 1, 60*time.Second)
	if one, other := w.Budget("review"), w.Budget("work"); one.RunID == other.RunID ||
		one.IterationsUsed == 0 || other.IterationsUsed != 1 {
		t.Errorf("the runs are %+v and %+v", one, other)
	}
	w.hooks("loop", "stop", "review") // between two iterations, or in the second
	if !patiently(60*time.Second, func() bool {
		return w.Budget("review").Status == "halted" &&
			!w.Locked("review")
	}) {
		t.Fatalf("the review run is %+v", w.Budget("review"))
	}
	used := w.Budget("review").IterationsUsed

	w.WaitLocked("work", 2*time.Minute)
	if w.Locked("review") {
		t.Error("the review loop that was ended holds its lock")
	}
	close(release)
	lines := w.WaitHistory("work", 2, 60*time.Second)
	if diff := cmp.Diff([]string{"ok", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes of the work loop (-want +got):\n%s", diff)
	}
	term.WaitShowed("Loop already stopped", 90*time.Second)
	for skill, want := range map[string][2]string{"review": {"halted", "user_interrupt"},
		"work": {"active", ""}} {
		if b := w.Budget(skill); b.Status != want[0] || b.StopCause != want[1] {
			t.Errorf("the %s run is %s, cause %q", skill, b.Status, b.StopCause)
		}
	}
	if n := w.Budget("review").IterationsUsed; n != used {
		t.Errorf("the review loop used %d iterations, want the %d before it was ended", n, used)
	}
}
