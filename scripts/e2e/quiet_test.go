//go:build e2e && linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	notified = "<task-notification>"
	landing  = "gh pr merge 142 --squash"
)

// eager is a model that waits for a build in the background, and merges as soon as anything wakes
// it. Its iteration ends with the given calls.
func eager(build time.Duration, then ...Call) Script {
	job := busy(build)
	job.Input.(map[string]any)["run_in_background"] = true
	worker := Worker{Work: func(int) []Call { return append([]Call{job}, then...) }}
	return func(r Request) Turn {
		if woken, made := r.woken(); woken {
			return hasty(made, bash(landing))
		}
		return worker.Say(r)
	}
}

// woken reports whether the last thing that asked anything of the model was the end of a background
// task, and how many calls were made since.
func (r Request) woken() (woken bool, made int) {
	for _, m := range r.Messages {
		switch {
		case m.Role == "user" && strings.Contains(m.Text(), notified):
			woken, made = true, 0
		case m.Role == "user" && m.asks():
			woken = false
		case m.Role == "assistant":
			for _, b := range m.Blocks {
				if b.Type == "tool_use" {
					made++
				}
			}
		}
	}
	return woken, made
}

// woken is how many requests came of a task's notification.
func (w *World) woken() (n int) {
	for _, r := range w.Model.Requests() {
		if woken, _ := r.woken(); woken {
			n++
		}
	}
	return n
}

// quiet fails unless the end of the background task woke no one and merged nothing.
func (w *World) quiet(t *testing.T) {
	t.Helper()
	if n := w.woken(); n != 0 {
		t.Errorf("the end of the background task cost %d requests", n)
	}
	if list := w.Merges(); len(list) != 0 {
		t.Errorf("merged: %v", list)
	}
}

// A headless run pauses at its merge question, and the build that it had started ends later: the
// model is not woken (design §7: governance ends with a person; R49, R102).
func TestABuildThatEndsAfterThePauseWakesNobody(t *testing.T) {
	w := newWorld(t, eager(8*time.Second, bash(landing)))
	r := w.Headless("/sdd:review --loop --pr 142")
	w.quiet(t)
	if b := w.Budget("review"); b.Status != "paused" {
		t.Errorf("the run is %+v, want paused", b)
	}
	if said := strings.Join(append(r.Said, r.Result), "\n"); !strings.Contains(said,
		"not passed to the model") {
		t.Errorf("the person was told:\n%s", said)
	}
}

// The same after the last iteration of a run at a terminal. The next words of the person name the
// task and its output, and what they ask for is free (design §7; R43, R102).
func TestABuildThatEndsAfterTheHaltWaitsForAPerson(t *testing.T) {
	w := newWorld(t, eager(12*time.Second))
	term := w.Interactive()
	term.Enter("/sdd:work --loop --max-iterations 1")
	w.WaitHistory("work", 1, 60*time.Second)
	term.WaitShowed("not passed to the model", 60*time.Second)
	time.Sleep(2 * time.Second)
	w.quiet(t)
	term.Enter("what about " + notified + "?")
	if !patiently(30*time.Second, func() bool { return len(w.Merges()) == 1 }) {
		t.Errorf("the person's own turn merges nothing:\n%s", term.Screen())
	}
	if !w.Model.Told(".output") {
		t.Error("the model was not told where the output is")
	}
}

// late is a job that outlives its iteration: it remembers the path of a program and uses it once
// the iteration has ended, then it tries to merge.
const late = `# the text does not show what it starts
git=$(command -v git)
until grep -q '"iteration"' .sdd/loop/work.history.jsonl; do sleep 0.1; done
sleep 1
"$git" rev-parse --abbrev-ref HEAD >late.txt 2>&1
word=$(python3 -c "print(bytes.fromhex('6d65726765').decode())")
gh pr "$word" 142 >merge.txt 2>&1
echo "$git" >>late.txt
`

// A job that an iteration left running finds its programs after the end, by the path that it
// remembered, and still meets the gate (design §7; R43).
func TestAJobOutlivesTheLoopAndMergesNothing(t *testing.T) {
	w := newWorld(t, Worker{Work: func(int) []Call {
		return []Call{bash("cat >late.sh <<'E'\n" + late + "E\nnohup sh late.sh >/dev/null 2>&1 &")}
	}}.Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop --max-iterations 1")
	w.WaitHistory("work", 1, time.Minute)
	notes := filepath.Join(w.Project, "late.txt")
	patiently(time.Minute, func() bool {
		said, _ := os.ReadFile(notes)
		return bytes.Count(said, []byte("\n")) > 1
	})
	branch, git, _ := strings.Cut(w.read(notes), "\n")
	if branch != "main" || !strings.Contains(git, "/hooks/") {
		t.Errorf("the remembered link %q printed %q", git, branch)
	}
	const refused = "not run: gh pr merge 142"
	if said := w.read("merge.txt"); !strings.Contains(strings.ToLower(said), refused) {
		t.Errorf("gh printed %q", said)
	}
	if list := w.Merges(); len(list) != 0 {
		t.Errorf("merged: %v", list)
	}
}

// Esc ends an iteration whose build is still running: its end wakes no one, and the run is over
// (design §7; R43–R45).
func TestABuildThatEndsAfterEscWakesNobody(t *testing.T) {
	w := newWorld(t, eager(15*time.Second, busy(40*time.Second)))
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	term.WaitScreen("time.sleep(40)", 60*time.Second)
	term.Interrupt()
	lines := w.WaitHistory("work", 1, 60*time.Second)
	term.WaitShowed("Cause: user_interrupt", 10*time.Second)
	time.Sleep(2 * time.Second)
	w.quiet(t)
	if got := strings.Join(lines[0].Fired, " "); got != "user_interrupt" {
		t.Errorf("the iteration fired %q", got)
	}
}

// Esc in a task or an audit loop while a worker works in the background: the worker ends at its
// next call, its end wakes no one, and the run is over (design §7; R43–R45, T90, A59).
func TestEscEndsTheWorkerOfATask(t *testing.T) {
	works := func(done int) Turn {
		if done < 12 {
			return Turn{Calls: []Call{busy(3 * time.Second)}}
		}
		return Turn{Text: "worked"}
	}
	waits := make(chan struct{})
	t.Cleanup(func() { close(waits) })
	c := Conductor{Waits: waits, Work: func(_ int, w Work) Turn { return works(w.Done) },
		Phase: func(p Phase) Turn { return works(p.Done) }}
	for _, kind := range []string{"task", "audit"} {
		t.Run(kind, func(t *testing.T) { escEndsTheWorker(t, kind, c) })
	}
}

func escEndsTheWorker(t *testing.T, kind string, c Conductor) {
	var w *World
	command := "/hooks:audit docs/plan.md"
	if kind == "audit" {
		w = auditSide(newWorld(t, c.Say), 1)
	} else {
		w, command = taskWorld(t, 2, c), "/hooks:go --resume"
		w.noRemote()
		w.begins("/hooks:go docs/spec.md")
	}
	term := w.Interactive()
	term.Enter(command)
	ofWorker := func() (n int) {
		for _, r := range w.Model.Requests() {
			task, _ := r.task()
			if _, phase := r.phase(); phase || task > 0 {
				n++
			}
		}
		return n
	}
	if !patiently(60*time.Second, func() bool { return ofWorker() >= 2 }) {
		t.Fatalf("the worker did not begin:\n%s", term.Screen())
	}
	term.Interrupt()
	at := ofWorker()
	term.WaitShowed("Cause: user_interrupt", 60*time.Second)
	time.Sleep(5 * time.Second)
	if n := ofWorker() - at; n > 1 {
		t.Errorf("the worker made %d requests after Esc", n)
	}
	if n := w.woken(); n != 0 {
		t.Errorf("its end cost %d requests", n)
	}
	line := w.read(".sdd/loop/" + kind + ".history.jsonl")
	if !strings.Contains(line, `"ended_workers":[`) {
		t.Errorf("the history does not name the worker:\n%s", line)
	}
}
