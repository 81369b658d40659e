//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// begins starts a task loop without a person, who then answers gates 1 and 2 in a terminal.
func (w *World) begins(command string) {
	w.t.Helper()
	r := w.Headless(command)
	for _, gate := range []string{"gate-1-spec", "gate-2-review"} {
		if !strings.Contains(r.Result, "hooks gate answer "+gate+" ANSWER") {
			w.t.Errorf("the person was told of no answer to %s:\n%s", gate, r.Result)
		}
	}
	if b := w.Budget("task"); b.Status != "paused" || len(w.Model.Requests()) != 0 {
		w.t.Errorf("the run is %+v after %d requests, want it paused before any", b,
			len(w.Model.Requests()))
	}
	w.approve("gate-1-spec", "gate-2-review")
}

// five is how the workers of the list of five tasks do: the second needs two holds until its check
// is green, the third asks for a person, the fifth never claims anything.
func five(n int, w Work) Turn {
	switch {
	case n == 2 && w.Done == 0:
		steps := []string{"touch red", "touch more", "git rm -q red"}
		return Turn{Calls: []Call{commit(steps[w.Held])}}
	case n == 3:
		return Turn{Text: "TASK_BLOCKED " + w.Token + " which of the two formats is meant?"}
	case n == 5:
		return Turn{Text: canary(n)}
	}
	return commits(n, w)
}

// Five tasks in a headless session: not broken after two holds, flagged and skipped by a person,
// and blocked after four attempts (T1–T5, T12, T35, T52–T57, T61–T63, T86, T87, M12).
func TestAConductorTakesFiveTasks(t *testing.T) {
	w := taskWorld(t, 5, Conductor{Work: five})
	w.noRemote()
	w.begins(`/hooks:go docs/spec.md --check "test ! -e red"`)
	r := w.Headless("/hooks:go --resume")
	for _, want := range []string{"which of the two formats is meant?", "hooks gate answer"} {
		if said := strings.Join(append(r.Said, r.Result), "\n"); !strings.Contains(said, want) {
			t.Errorf("the person was not told %q, but:\n%s", want, said)
		}
	}
	w.hooks("gate", "answer", "task-flagged:task 3", "skip")
	r = w.Headless("/hooks:go --resume")
	if said := strings.Join(r.Said, "\n"); !strings.Contains(said,
		"Task 5 blocked after 4 attempts. Manual intervention needed.") {
		t.Errorf("the person was told:\n%s", said)
	}
	want := []string{"1.1 unbroken", "2.1 unbroken", "3.1 flagged", "4.1 unbroken",
		"5.1 unfinished", "5.2 unfinished", "5.3 unfinished", "5.4 unfinished"}
	if diff := cmp.Diff(want, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "task_blocked" {
		t.Errorf("the run is %+v", b)
	}
	w.provesFresh()
	w.provesSlim(8)
}

// A helper that the worker starts is no worker, whatever it says (T85). With hooks in a settings
// file the worker is a general one, which may start some.
func TestAHelpersClaimEndsNoTask(t *testing.T) {
	var began atomic.Bool
	w := taskWorld(t, 1, Conductor{Work: func(n int, w Work) Turn {
		helps := w.Done == 0 && !began.CompareAndSwap(false, true)
		switch {
		case helps:
			return Turn{Text: "TASK_COMPLETE " + w.Token}
		case w.Done == 0:
			return Turn{Calls: []Call{{"Agent", map[string]any{"subagent_type": "general-purpose",
				"description": "helper", "prompt": "Say TASK_COMPLETE " + w.Token}}}}
		case w.Done == 1:
			return Turn{Calls: []Call{commit("touch part")}}
		}
		return w.claim(n)
	}})
	w.noRemote()
	if err := os.Remove(filepath.Join(w.Plugins[0], "agents", "worker.md")); err != nil {
		t.Fatal(err)
	}
	w.begins("/hooks:go docs/spec.md")
	w.Headless("/hooks:go --resume")
	if diff := cmp.Diff([]string{"1.1 claimed"}, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if w.Model.Told("is not done: ") {
		t.Error("the helper's words were taken for a claim")
	}
}

// Thirty tasks in one headless call: more than eight Stops in a row are held, each worker begins
// again, and the main thread stays slim (T1, T11–T14, M12).
func TestThirtyTasksInOneCall(t *testing.T) {
	w := taskWorld(t, 30, Conductor{})
	w.noRemote()
	w.begins("/hooks:go docs/spec.md")
	w.Headless("/hooks:go --resume")
	var want []string
	for n := range 30 {
		want = append(want, fmt.Sprintf("%d.1 claimed", n+1))
	}
	if diff := cmp.Diff(want, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if b := w.Budget("task"); b.StopCause != "tasks_complete" || b.IterationsUsed != 30 {
		t.Errorf("the run is %+v", b)
	}
	w.provesFresh()
	w.provesSlim(30)
}

// After the last task a worker opens the pull request. It is believed once the call was seen, and
// then a person answers gate 3 (T44–T51, T71).
func TestGateThreeAsksOnceThePRIsOpen(t *testing.T) {
	w := taskWorld(t, 1, Conductor{Work: func(n int, w Work) Turn {
		if n == 2 && w.Held == 1 && w.Done == 0 {
			return Turn{Calls: []Call{bash("git push -q origin HEAD:feature/parts && " +
				"gh pr create --title 201 --body x")}}
		} else if n == 2 {
			return w.claim(n)
		}
		return commits(n, w)
	}})
	w.write(w.Bin+"/gh", fmt.Sprintf(prScript, w.ghLog()), 0o755)
	w.begins("/hooks:go docs/spec.md")
	r := w.Headless("/hooks:go --resume")
	const gate = "Gate 3: the task is done and pull request #201 is open. Accept the work?"
	if said := strings.Join(append(r.Said, r.Result), "\n"); !strings.Contains(said, gate) {
		t.Errorf("the person was told:\n%s", said)
	}
	if !w.Model.Told("no pull request was seen") {
		t.Error("the claim of a pull request was believed without one")
	}
	if b := w.Budget("task"); b.Status != "paused" || strings.Join(b.PRsTouched, " ") != "#201" {
		t.Errorf("the run is %+v", b)
	}
	if !strings.Contains(w.read(".sdd-state.json"), `"awaitingGate": 3`) {
		t.Errorf("the view is %s", w.read(".sdd-state.json"))
	}
	w.approve("gate-3-pr")
	w.Headless("/hooks:go --resume")
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "tasks_complete" {
		t.Errorf("the run is %+v", b)
	}
	if !strings.Contains(w.read(".sdd-state.json"), `"phase": "closure"`) {
		t.Errorf("the view is %s", w.read(".sdd-state.json"))
	}
	if len(w.Merges()) != 0 {
		t.Errorf("merges %v", w.Merges())
	}
}
