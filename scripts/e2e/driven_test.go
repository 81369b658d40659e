//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inline is the scripted model of a driven task loop: each process does its task in its main
// thread.
func inline(work func(n int, w Work) Turn) Script {
	return func(r Request) Turn {
		m := tokenPattern.FindStringSubmatch(r.All())
		if m == nil {
			return Turn{Text: "There is no task here."}
		}
		n, _ := strconv.Atoi(m[1][:strings.Index(m[1], ".")])
		w := Work{Token: m[1], Done: len(r.Calls())}
		w.Try, _ = strconv.Atoi(m[2])
		for _, one := range r.Messages {
			if one.Role == "user" && strings.Contains(one.Text(), "is not done: ") {
				w.Held++
			}
		}
		return work(n, w)
	}
}

// drivenWorld is a world with a list of n tasks, in which `hooks go` finds the client.
func drivenWorld(t *testing.T, n int, work func(n int, w Work) Turn) *World {
	w := taskWorld(t, n, Conductor{})
	w.Model.script = inline(work)
	w.clientOnPath()
	return w
}

// clientOnPath lets `hooks go` find the client.
func (w *World) clientOnPath() {
	w.t.Helper()
	program, err := exec.LookPath(clientProgram)
	if err == nil {
		err = os.Symlink(program, w.Bin+"/claude")
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// driver is `hooks go` in a person's terminal that is none, for a pipe takes its output. extra are
// further flags of the client.
func (w *World) driver(args []string, extra ...string) (*exec.Cmd, *bytes.Buffer) {
	client := w.command(context.Background())
	line := append(append([]string{"go"}, args...), "--", "--allowedTools", tools)
	line = append(append(line, client.Args[1:]...), extra...)
	cmd, out := exec.Command(hooksProgram, line...), &bytes.Buffer{}
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.Project, out, out
	cmd.Env = append(client.Env, "CLAUDE_CODE_MAX_RETRIES=1", w.variable())
	return cmd, out
}

// goes runs the driver to its end and returns what it printed. It leaves no process.
func (w *World) goes(code int, args []string, extra ...string) string {
	w.t.Helper()
	cmd, out := w.driver(args, extra...)
	_ = cmd.Run()
	w.ended(cmd, out, code)
	return out.String()
}

func (w *World) ended(cmd *exec.Cmd, out *bytes.Buffer, code int) {
	w.t.Helper()
	if got := cmd.ProcessState.ExitCode(); got != code {
		w.t.Errorf("hooks go ended with %d, want %d:\n%s", got, code, out)
	}
	if left := w.processes(); len(left) > 0 {
		w.t.Errorf("processes %v are left", left)
	}
}

// approved starts a fresh run and answers its gates in a terminal, before any request.
func (w *World) approved(args ...string) {
	w.t.Helper()
	out := w.goes(3, args)
	for _, gate := range []string{"gate-1-spec", "gate-2-review"} {
		if !strings.Contains(out, "hooks gate answer "+gate) {
			w.t.Errorf("the person was told of no answer to %s:\n%s", gate, out)
		}
	}
	if len(w.Model.Requests()) != 0 || w.Budget("task").Status != "paused" {
		w.t.Errorf("%d requests before the gates were answered", len(w.Model.Requests()))
	}
	w.approve("gate-1-spec", "gate-2-review")
}

// attempts are the attempts of the run, as "task.try verdict". Each that was judged has a session
// of its own as its proof of freshness.
func (w *World) attempts() (list []string) {
	w.t.Helper()
	seen := map[string]bool{}
	for raw := range strings.Lines(w.read(".sdd/loop/task.history.jsonl")) {
		var l TaskLine
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			w.t.Fatal(err)
		}
		j := l.Task.Judgement
		if l.Task.Task == 0 {
			continue
		}
		list = append(list, fmt.Sprintf("%d.%d %s", l.Task.Task, l.Task.Try, j.Verdict))
		done := j.Verdict == "verified" || j.Verdict == "claimed"
		if done && (!strings.HasPrefix(l.Task.Fresh, "session ") || seen[l.Task.Fresh]) {
			w.t.Errorf("attempt %d.%d is not proven fresh: %q", l.Task.Task, l.Task.Try,
				l.Task.Fresh)
		}
		seen[l.Task.Fresh] = true
	}
	return list
}

// beginsFresh checks the first request of each session: it is at most two percent larger than that
// of task 1, or four for a retry, whose prompt has more, and it has no other task's words (T1, T12,
// T13).
func (w *World) beginsFresh(sessions int) {
	w.t.Helper()
	first, seen := 0, map[string]bool{}
	for _, r := range w.Model.Requests() {
		m := tokenPattern.FindStringSubmatch(r.All())
		if m == nil || seen[r.Session] {
			continue
		}
		seen[r.Session] = true
		if first == 0 {
			first = r.Size
		}
		most := first + first/50
		if m[2] != "1" {
			most += first / 50
		}
		if r.Size > most || r.spoken() {
			w.t.Errorf("the first request of %s has %d bytes, that of task 1 has %d", m[1], r.Size,
				first)
		}
		for other := range 10 {
			if strings.Contains(r.All(), canary(other)) {
				w.t.Errorf("the process of %s was told of the chat of task %d", m[1], other)
			}
		}
	}
	if len(seen) != sessions {
		w.t.Errorf("%d sessions had a task, want %d", len(seen), sessions)
	}
}

// A driven list: a check that is red until the second hold, an outage that costs no retry, and a
// task that blocks after four attempts (T1–T5, T12, T52–T57, T59, T61, T86, T87, T92, T93, T95).
func TestTheDriverTakesFiveTasks(t *testing.T) {
	var refused sync.Map // the one session of task 3 that gets no answer
	w := drivenWorld(t, 5, func(n int, w Work) Turn {
		switch {
		case n == 2 && w.Done == 0:
			return Turn{Calls: []Call{commit([]string{"touch red", "touch more",
				"git rm -q red"}[w.Held])}}
		case n == 5:
			return Turn{Text: canary(n)}
		}
		return commits(n, w)
	})
	answer := w.Model.script
	w.Model.script = func(r Request) Turn {
		if strings.Contains(r.All(), "TASK_COMPLETE 3.1-") {
			if first, _ := refused.LoadOrStore(3, r.Session); first == r.Session {
				return Turn{Overloaded: true}
			}
		}
		return answer(r)
	}
	w.noRemote()
	w.approved("docs/spec.md", "--check", "test ! -e red")
	out := w.goes(5, []string{"--resume"})
	for _, want := range []string{"task 3 of 5, attempt 1 · outage", "waiting until ",
		"Task 5 blocked after 4 attempts. Manual intervention needed.",
		"the run stopped: task_blocked"} {
		if !strings.Contains(out, want) {
			t.Errorf("the person was not told %q, but:\n%s", want, out)
		}
	}
	want := []string{"1.1 unbroken", "2.1 unbroken", "3.1 outage", "3.1 unbroken", "4.1 unbroken",
		"5.1 unfinished", "5.2 unfinished", "5.3 unfinished", "5.4 unfinished"}
	if diff := cmp.Diff(want, w.attempts()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s\n%s", diff, out)
	}
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "task_blocked" {
		t.Errorf("the run is %+v", b)
	}
	w.beginsFresh(len(w.attempts()))
}

// A client that is killed costs no retry, and Ctrl-C ends the run; both leave it whole (T59, T64,
// T66, T92).
func TestTheDriverLosesAClient(t *testing.T) {
	hang := make(chan bool, 2)
	w := drivenWorld(t, 2, func(n int, w Work) Turn {
		if len(hang) < n {
			hang <- true
			return Turn{Calls: []Call{busy(5 * time.Minute)}}
		}
		return commits(n, w)
	})
	w.noRemote()
	w.approved("docs/spec.md")
	cmd, out := w.driver([]string{"--resume"})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	works := func(task int) bool {
		return patiently(60*time.Second, func() bool {
			return len(w.running("python3")) > 0 && w.Budget("task").IterationsUsed == task
		})
	}
	if !works(1) {
		t.Error("the first tool does not run")
	}
	for _, pid := range w.running("claude") {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if !works(3) {
		t.Error("the tool of task 2 does not run")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	w.ended(cmd, out, 5)
	want := []string{"1.1 outage", "1.1 claimed", "2.1 outage"}
	if diff := cmp.Diff(want, w.attempts()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s\n%s", diff, out)
	}
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "user_interrupt" {
		t.Errorf("the run is %+v\n%s", b, out)
	}
	if said := w.goes(0, []string{"--resume"}); !strings.Contains(said, "All 2 tasks complete") {
		t.Errorf("the person was told:\n%s", said)
	}
	if diff := cmp.Diff(append(want, "2.1 claimed"), w.attempts()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	w.beginsFresh(4)
}

// The client's own limits end a process without a Stop and cost a retry (M5, T59).
func TestTheDriverCountsTheClientsLimits(t *testing.T) {
	w := drivenWorld(t, 1, func(int, Work) Turn { return Turn{Calls: []Call{bash("true")}} })
	w.noRemote()
	w.approved("docs/spec.md", "--max-task-iterations", "3")
	out := w.goes(5, []string{"--resume"}, "--max-turns", "2")
	if diff := cmp.Diff([]string{"1.1 unfinished", "1.2 unfinished"}, w.attempts()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s\n%s", diff, out)
	}
	if b := w.Budget("task"); b.StopCause != "task_blocked" {
		t.Errorf("the run is %+v", b)
	}
}

// The driver stops at gate 3 once the PR is open; a person's answer completes the run (T51).
func TestTheDriverStopsAtGateThree(t *testing.T) {
	w := drivenWorld(t, 1, func(n int, w Work) Turn {
		if n == 2 && w.Done == 0 {
			return Turn{Calls: []Call{bash("git push -q origin HEAD:feature/parts && " +
				"gh pr create --title 201 --body x")}}
		} else if n == 2 {
			return w.claim(n)
		}
		return commits(n, w)
	})
	w.write(w.Bin+"/gh", fmt.Sprintf(prScript, w.ghLog()), 0o755)
	w.approved("docs/spec.md")
	out := w.goes(3, []string{"--resume"})
	if !strings.Contains(out, "hooks gate answer gate-3-pr") {
		t.Errorf("the person was told:\n%s", out)
	}
	w.approve("gate-3-pr")
	before := len(w.Model.Requests())
	out = w.goes(0, []string{"--resume"})
	if b := w.Budget("task"); b.StopCause != "tasks_complete" {
		t.Errorf("the run is %+v\n%s", b, out)
	}
	if n := len(w.Model.Requests()); n != before {
		t.Errorf("%d requests for nothing", n-before)
	}
}

// A session that was taken up again has a context of its own already: nothing that it claims is
// believed (T93).
func TestAResumedSessionIsNotFresh(t *testing.T) {
	w := drivenWorld(t, 1, func(n int, w Work) Turn { return commits(n, w) })
	w.noRemote()
	w.approved("docs/spec.md")
	const session = "11111111-2222-4333-8444-555555555555"
	w.Headless("Good morning.", "--session-id", session)
	w.Env = []string{"HOOKS_DRIVER=" + session} // else the session is refused
	w.Headless("/hooks:go --resume --drive process", "--resume", session)
	w.Env = nil
	if b := w.Budget("task"); b.Status != "halted" || b.StopCause != "no_fresh_context" {
		t.Errorf("the run is %+v", b)
	}
	if diff := cmp.Diff([]string{"1.1 outage"}, w.attempts()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if out := w.goes(0, []string{"--resume"}); !strings.Contains(out, "The task is complete") {
		t.Errorf("the person was told:\n%s", out)
	}
}
