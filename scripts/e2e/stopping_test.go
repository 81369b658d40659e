//go:build e2e && linux

package e2e

import (
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// `hooks loop stop` lets the worker in the background finish and counts what it proved; nothing is
// sent after it (R43, T9).
func TestAStopCountsWhatTheWorkerProves(t *testing.T) {
	var free, committed atomic.Bool
	w := taskWorld(t, 2, Conductor{Work: func(n int, k Work) Turn {
		switch {
		case !free.Load():
			return Turn{Calls: []Call{busy(time.Second)}}
		case committed.CompareAndSwap(false, true):
			return Turn{Calls: []Call{commit("touch task-1")}}
		}
		return k.claim(n)
	}})
	w.noRemote()
	term := w.conducts("/hooks:go docs/spec.md")
	term.WaitShowed("Esc ends it, even with a worker in the background", 30*time.Second)
	w.waitWorks(1)
	w.hooks("loop", "stop")
	free.Store(true)
	w.WaitHistory("task", 1, 90*time.Second)
	time.Sleep(3 * time.Second)
	if diff := cmp.Diff([]string{"1.1 claimed"}, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "user_interrupt" {
		t.Errorf("the run is %+v", b)
	}
	for _, r := range w.Model.Requests() {
		if n, _ := r.task(); n == 2 {
			t.Error("task 2 was begun")
		}
	}
}

// A driver that is killed takes its client with it or leaves it to the next driver, which waits for
// what still runs. A second driver beside a living one is refused (T64, T92).
func TestAKilledDriverIsFollowedByAnother(t *testing.T) {
	var free atomic.Bool
	w := drivenWorld(t, 2, func(n int, k Work) Turn {
		if n == 1 && !free.Load() {
			return Turn{Calls: []Call{busy(time.Minute)}}
		}
		return commits(n, k)
	})
	w.noRemote()
	w.approved("docs/spec.md")
	cmd, out := w.driver([]string{"--resume"})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !patiently(60*time.Second, func() bool { return len(w.running("python3")) > 0 }) {
		t.Fatalf("the first tool does not run:\n%s", out)
	}
	second, said := w.driver([]string{"--resume"})
	if err := second.Run(); err == nil || !strings.Contains(said.String(),
		"driving the task loop of this project") {
		t.Errorf("a second driver was not refused: %v\n%s", err, said)
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
	free.Store(true)
	if said := w.goes(0, []string{"--resume"}); !strings.Contains(said, "All 2 tasks complete") {
		t.Errorf("the person was told:\n%s", said)
	}
	got := w.attempts()
	if len(got) < 2 || got[len(got)-2] != "1.1 claimed" || got[len(got)-1] != "2.1 claimed" {
		t.Errorf("attempts %v", got)
	}
}
