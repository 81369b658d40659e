//go:build e2e && linux

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The schedule fires forked ticks: each begins one task, whose text reaches the fork alone, is
// judged as the fork ends, and closed by the Stop. The main thread makes no request for it. A claim
// without a commit is held in the fork (T1, T10, T12, T61, T93, M1, M2).
func TestScheduledTicksDoTheTasks(t *testing.T) {
	w := taskWorld(t, 2, Conductor{Work: func(n int, w Work) Turn {
		if n == 1 && w.Held == 0 {
			return w.claim(n)
		}
		return commits(n, w)
	}})
	w.noRemote()
	w.spy()
	term := w.conducts("/hooks:go docs/spec.md --drive schedule")
	w.waitResult(t, "CronCreate", "")
	patiently(100*time.Second, func() bool { return w.Budget("task").StopCause != "" })
	want := []string{"1.1 claimed", "2.1 claimed"}
	if diff := cmp.Diff(want, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if b := w.Budget("task"); b.StopCause != "tasks_complete" {
		t.Errorf("the run is %+v", b)
	}
	if !w.Model.Told("Task 1 is not done: no commit since the task began") {
		t.Error("the claim without a commit was believed")
	}
	term.WaitShowed("All 2 tasks complete.", 10*time.Second)
	w.provesFresh()
	if t.Failed() {
		w.showEvents()
	}
}

// showEvents logs what the client and the model did.
func (w *World) showEvents() {
	for _, e := range w.spied() {
		w.t.Log(e.Event, e.Agent, e.Type, e.Prompt, e.Tool)
	}
	for _, r := range w.Model.Requests() {
		n, token := r.task()
		last := r.Messages[len(r.Messages)-1].Text()
		w.t.Logf("task %d %s, %d messages, %d bytes: %s", n, token, len(r.Messages), r.Size,
			last[max(0, len(last)-700):])
	}
}

// Esc in a forked tick is in no event and not in the main transcript. The schedule's next prompt
// finds the mark in the fork's, and the run has ended by the user's interrupt (R43, M9, M10).
func TestEscInAForkedTickEndsTheRun(t *testing.T) {
	var free atomic.Bool
	w := taskWorld(t, 2, slowTask(1, &free))
	w.noRemote()
	w.spy()
	term := w.conducts("/hooks:go docs/spec.md --drive schedule")
	w.waitWorks(1)
	term.WaitScreen("esc to interrupt", 30*time.Second)
	time.Sleep(3 * time.Second)
	term.Press(Esc)
	w.WaitHistory("task", 2, 45*time.Second)
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "user_interrupt" {
		t.Errorf("the run is %+v", b)
	}
	if got := w.TaskHistory(); !slices.Equal(got, []string{"1.1 outage"}) {
		t.Errorf("attempts %v", got)
	}
	if t.Failed() {
		w.showEvents()
	}
}

// A skill that runs in a fork is asked there for the facts that it did not report; the main thread
// makes no request for them (R117, M10).
func TestAForkIsAskedForItsFacts(t *testing.T) {
	w := newWorld(t, func(r Request) Turn {
		asked := strings.Contains(r.All(), "hook feedback") && !r.main()
		switch {
		case asked && len(r.Calls()) == 0:
			return Turn{Calls: []Call{bash("hooks report <<'JSON'\n" + quiet + "\nJSON")}}
		case strings.Contains(r.All(), "Do one work iteration"):
			return Turn{Text: "the fork is done"}
		}
		return Turn{Text: "I hear you"}
	})
	w.spy()
	path := filepath.Join(w.Plugins[1], "skills", "work", "SKILL.md")
	w.write(path, strings.Replace(strings.ReplaceAll(skillHead, "%NAME%", "work"), "---\n",
		"---\ncontext: fork\nbackground: false\n", 1), 0o644)
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	lines := w.WaitHistory("work", 1, 45*time.Second)
	if lines[0].Outcome != "ok" {
		t.Errorf("the iteration is %+v", lines[0])
	}
	if !strings.Contains(w.read(".sdd/loop/work.history.jsonl"), `"plan":[143]`) {
		t.Errorf("nothing was reported: %s", w.read(".sdd/loop/work.history.jsonl"))
	}
	for _, r := range w.Model.Requests() {
		if !strings.Contains(r.All(), "Do one work iteration") {
			t.Errorf("the main thread was asked: %s", fmt.Sprint(r.Messages[len(r.Messages)-1]))
		}
	}
	if t.Failed() {
		w.showEvents()
	}
}

// An outage in a forked tick costs no attempt and does not pass for a context that is not fresh
// (T59, T93, M6).
func TestAnOutageInAForkIsAnOutage(t *testing.T) {
	var back atomic.Bool
	w := taskWorld(t, 2, Conductor{Work: func(n int, w Work) Turn {
		if !back.Load() {
			return Turn{Overloaded: true}
		}
		return commits(n, w)
	}})
	w.noRemote()
	w.Env = []string{"CLAUDE_CODE_MAX_RETRIES=1"}
	w.spy()
	w.conducts("/hooks:go docs/spec.md --drive schedule")
	w.waitWorks(1)
	w.WaitHistory("task", 2, 45*time.Second)
	back.Store(true)
	if b := w.Budget("task"); b.Status != "active" {
		t.Errorf("the run is %+v", b)
	}
	if got := w.TaskHistory(); len(got) == 0 || got[0] != "1.1 outage" {
		t.Errorf("attempts %v", got)
	}
	if t.Failed() {
		w.showEvents()
	}
}
