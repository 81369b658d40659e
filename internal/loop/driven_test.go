package loop_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/attempt"
	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	. "hooks/internal/loop"
)

// listRun is a driven run of two tasks.
func listRun(change func(*Budget)) *Budget {
	b := &Budget{RunID: "r1", SessionID: "s1", Skill: tasks.Name, Status: Active, Seq: 3,
		StartedAt: Noon, Ceilings: KindOf(tasks.Name).Ceilings, Owner: Process{PID: 7},
		KindRun: ofTasks(&tasks.Run{List: []tasks.Item{{Title: "a"}, {Title: "b"}}, Try: 1,
			MaxTries: 3, Drive: DriveProcess, Passed: []int{1, 2}})}
	if change != nil {
		change(b)
	}
	return b
}

// What a driver does next, by the state of its run (T92).
func TestDriving(t *testing.T) {
	over := func(status Status, cause string) func(*Budget) {
		return func(b *Budget) { b.Status, b.StopCause, b.StopText = status, cause, "why" }
	}
	waits := func(answer string) func(*Budget) {
		return func(b *Budget) {
			over(Paused, "gate_waiting")(b)
			b.Pending = []Gate{{Name: tasks.GateSpec, Question: "ok?", Answer: answer}}
		}
	}
	again, resume := DriveStep{Again: true}, DriveStep{Again: true, Resume: true}
	end := func(cause, text string) DriveStep {
		return DriveStep{Cause: cause, Text: text, Code: 1}
	}
	const none = "The process ended without beginning an iteration"
	gate := end("gate_waiting", "Loop paused at gate gate-1-spec: ok?")
	for name, c := range map[string]struct {
		change func(*Budget)
		d      Driving
		want   DriveStep
	}{
		"an attempt was closed":    {nil, Driving{Began: true}, again},
		"the service failed first": {nil, Driving{Spared: true}, again},
		"nothing began": {nil, Driving{Why: "no skill"},
			end("not_begun", none+": no skill")},
		"nothing began of a paused run": {waits("approve"), Driving{Why: "no skill"},
			end("not_begun", none+": no skill")},
		"nothing began and no words": {nil, Driving{}, end("not_begun", none)},
		"an earlier driver died":     {nil, Driving{First: true, Owner: Dead}, resume},
		"its process is unclear":     {nil, Driving{First: true, Owner: Unclear}, resume},
		"its process lives": {nil, Driving{First: true, Owner: Alive},
			DriveStep{Wait: true, Text: "process 7 is still working on task 1 of 2; " +
				"watch it with `hooks status --watch`"}},
		"its process has left": {func(b *Budget) { b.OwnerLeft = true },
			Driving{First: true, Owner: Alive}, resume},
		"a session conducts": {func(b *Budget) { tasks.Of(b).Drive = DriveStop },
			Driving{First: true, Owner: Alive}, end("lock_contention", "The task loop is running "+
				"in another session (process 7); end it there, or with `hooks loop stop`")},
		"a session has conducted": {func(b *Budget) { tasks.Of(b).Drive = DriveStop },
			Driving{First: true, Owner: Dead}, resume},
		"a gate waits":          {waits(""), Driving{Began: true}, gate},
		"a gate waits at first": {waits(""), Driving{First: true}, gate},
		"it was answered":       {waits("approve"), Driving{First: true, Owner: Alive}, resume},
		"the service failed before a paused run continued": {waits("approve"),
			Driving{Spared: true}, resume},
		"blocked": {over(Halted, "task_blocked"), Driving{Began: true},
			end("task_blocked", "why")},
		"blocked, and a person resumes": {over(Halted, "task_blocked"), Driving{First: true},
			resume},
		"the service is away": {over(Paused, CauseOutage), Driving{Began: true, Spared: true},
			end(CauseOutage, "why")},
		"it was away before, and nothing began yet": {over(Paused, CauseOutage),
			Driving{Spared: true}, resume},
		"complete": {func(b *Budget) { over(Halted, "tasks_complete")(b); tasks.Of(b).Index = 2 },
			Driving{Began: true}, DriveStep{Cause: "tasks_complete", Text: "why"}},
		"complete, but for a lost commit": {func(b *Budget) {
			over(Halted, CauseDropped)(b)
			tasks.Of(b).Index = 2
		}, Driving{Began: true}, end(CauseDropped, "why")},
		"a lost commit, and a person resumes": {func(b *Budget) {
			over(Halted, CauseDropped)(b)
			tasks.Of(b).Index = 2
		}, Driving{First: true}, resume},
		"complete before the first": {func(b *Budget) {
			over(Halted, "tasks_complete")(b)
			tasks.Of(b).Index = 2
		}, Driving{First: true}, DriveStep{Cause: "tasks_complete", Text: "why"}},
	} {
		c.d.Run = listRun(c.change)
		if diff := cmp.Diff(c.want, c.d.Next()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := (Driving{}).Next(); got.Again || got.Wait || got.Code != 1 {
		t.Errorf("without a run: %+v", got)
	}
}

// A driven audit loop is known by its phase, and complete once nothing is left (A11, T92).
func TestDrivingAnAudit(t *testing.T) {
	run := &Budget{Skill: audit.Name, Status: Active, Owner: Process{PID: 7},
		KindRun: ofAudit(auditRun(2, Auditing))}
	audit.Of(run).Drive = DriveProcess
	if got := (Driving{Run: run, First: true, Owner: Alive}).Next(); !got.Wait ||
		got.Text != "process 7 is still working on the audit of section 1; "+
			"watch it with `hooks status --watch`" {
		t.Errorf("%+v", got)
	}
	if got := (Driving{Run: run, Began: true}).Next(); got != (DriveStep{Again: true}) {
		t.Errorf("%+v", got)
	}
	for phase, code := range map[Phase]int{Auditing: 1, Complete: 0} {
		run.Status, audit.Of(run).Phase = Halted, phase
		if got := (Driving{Run: run, Began: true}).Next(); got.Again || got.Code != code {
			t.Errorf("%s: %+v", phase, got)
		}
	}
}

// A phase that ended before a Stop saw it: an audit has no verdict, any other one has ended, and
// what was no fault of the work is an outage. Of a driver's, more of those may come in a row.
func TestProcessEndOfAPhase(t *testing.T) {
	k := Known{Bare: true, Owner: Fetched(Owner{Foreign: true, Gone: true})}
	at := Turn{Now: Noon.Add(time.Minute), Session: "s1"}
	for _, c := range []struct {
		phase  Phase
		counts bool
		want   attempt.Verdict
		next   Phase
	}{
		{Auditing, true, attempt.Undecided, Auditing}, {Coding, true, attempt.Ended, Auditing},
		{Fixing, false, attempt.Outage, Fixing}, {PostAction, true, attempt.Ended, Complete},
	} {
		r := auditRun(2, c.phase)
		r.Drive, r.Outages, r.Post = DriveProcess, attempt.MaxOutages(false, false),
			&audit.Post{Prompt: "x"}
		s := State{Run: &Budget{RunID: "r1", SessionID: "s1", Skill: audit.Name, Status: Active,
			KindRun: ofAudit(r), StartedAt: Noon, Ceilings: KindOf(audit.Name).Ceilings,
			Owner: Process{PID: 7}},
			Tick: &Tick{RunID: "r1", SessionID: "s1", Skill: audit.Name, StartedAt: Noon,
				Iteration: 1, Started: true, Attempt: &attempt.Attempt{Task: 1, Of: 2,
					Phase: string(c.phase)}}}
		got := Step(s, k, ProcessEnd{Turn: at, Why: "killed", Counts: c.counts}).Save.Close
		if got == nil || audit.LineOf(got).Judgement.Verdict != c.want ||
			audit.Of(&got.Budget).Phase != c.next ||
			got.Budget.Status == Halted != (c.next == Complete) {
			t.Errorf("%s: %+v", c.phase, got)
		}
	}
}

// How a process ended without a Stop decides whether its attempt costs a retry (T59).
func TestProcessEnd(t *testing.T) {
	k := Known{Bare: true, Owner: Fetched(Owner{Foreign: true, Gone: true})}
	at := Turn{Now: Noon.Add(time.Minute), Session: "s1"}
	for _, c := range []struct {
		e      ProcessEnd
		want   attempt.Verdict
		try    int
		status Status
	}{
		{ProcessEnd{Turn: at, Why: "max turns", Counts: true}, attempt.Unfinished, 2, Active},
		{ProcessEnd{Turn: at, Why: "killed"}, attempt.Outage, 1, Active},
		{ProcessEnd{Turn: at, Why: "Ctrl-C", Person: true}, attempt.Outage, 1, Halted},
	} {
		s := State{Run: listRun(nil), Tick: &Tick{RunID: "r1", SessionID: "s1", Skill: tasks.Name,
			StartedAt: Noon, Iteration: 1, Started: true, Attempt: &attempt.Attempt{Task: 1,
				Try: 1}}}
		got := Step(s, k, c.e).Save.Close
		if got == nil {
			t.Fatalf("%s closes nothing", c.e.Why)
		}
		j := tasks.LineOf(got).Judgement
		if j.Verdict != c.want || j.Why != c.e.Why || tasks.Of(&got.Budget).Try != c.try ||
			got.Budget.Status != c.status {
			t.Errorf("%s: %+v, try %d, %s", c.e.Why, j, tasks.Of(&got.Budget).Try,
				got.Budget.Status)
		}
		c.e.Session = "s2"
		if out := Step(s, k, c.e); !out.Nothing() {
			t.Errorf("%s of another session: %+v", c.e.Why, out)
		}
	}
}

// A driver's own causes end a run or pause it; one that is over keeps its cause (T95, A28).
func TestDriverStop(t *testing.T) {
	k := Known{Bare: true, Owner: Fetched(Owner{Gone: true})}
	for _, c := range []struct {
		cause  string
		before Status
		want   string
	}{
		{CauseInterrupt, Active, "halted user_interrupt Loop interrupted: why"},
		{CauseStall, Active, "halted stall_timeout why"},
		{CauseOutage, Active, "paused api_unavailable why"},
		{CauseStall, Halted, ""},
		{CauseInterrupt, Paused, ""},
	} {
		s := State{Run: listRun(func(b *Budget) { b.Status = c.before })}
		out := Step(s, k, DriverStop{Turn: Turn{Now: Noon.Add(time.Hour), Session: "s1"},
			Cause: c.cause, Text: "why"})
		got := ""
		if close := out.Save.Close; close != nil {
			b := &close.Budget
			got = fmt.Sprintf("%s %s %s", b.Status, b.StopCause, b.StopText)
			if b.Seq != 4 || b.IterationsUsed != 0 {
				t.Errorf("%s: seq %d", c.cause, b.Seq)
			}
		}
		if got != c.want {
			t.Errorf("%s of a run that is %s: %q, want %q", c.cause, c.before, got, c.want)
		}
	}
}

// A session that ends, and an API error, leave a driven attempt to its driver, which knows how the
// process ended (M5).
func TestADrivenAttemptIsLeftToItsDriver(t *testing.T) {
	at := Turn{Now: Noon.Add(time.Minute), Session: "s1", Prompt: "p1"}
	s := State{Run: listRun(nil), Tick: &Tick{RunID: "r1", SessionID: "s1", Skill: tasks.Name,
		StartedAt: Noon, Iteration: 1, Prompts: []string{"p1"}, Started: true,
		Attempt: &attempt.Attempt{Task: 1, Try: 1}}}
	for _, e := range []Event{SessionEnd{Turn: at, Reason: "other"},
		TurnFailure{Turn: at, Failure: "server_error"}} {
		if out := Step(s, Known{Bare: true}, e); out.Save.Close != nil || out.Need != nil {
			t.Errorf("%T: %+v", e, out)
		}
	}
	out := Step(s, Known{}, SessionEnd{Turn: at, Reason: "other"})
	if out.Save.Run == nil || !out.Save.Run.OwnerLeft {
		t.Errorf("the owner of the run is still there: %+v", out)
	}
}

// The next attempt proceeds with the run; a person's --resume takes it up again, and a session that
// takes up a driven run conducts it.
func TestWhoBringsTheNextAttempt(t *testing.T) {
	for _, c := range []struct {
		args  string
		mode  Mode
		drive string
	}{
		{"--drive process", NextTick, DriveProcess},
		{"--resume --drive process", ResumeRun, DriveProcess},
		{"--resume", ResumeRun, DriveStop},
		{"docs/other.md --drive process", FreshRun, ""},
	} {
		f, _, err := ParseFlags(tasks.Name, c.args)
		if err != nil {
			t.Fatal(err)
		}
		r := Request{Now: Noon, SessionID: "s2", Flags: f,
			Command: Command{Name: "hooks:go", Skill: tasks.Name, Args: c.args}}
		run := listRun(func(b *Budget) { b.OwnerLeft = true })
		a := Admit(r, Standing{Run: run, OwnerIs: Dead})
		if a.Verdict != Start || a.Mode != c.mode {
			t.Errorf("%s: %+v", c.args, a)
		}
		if b := Resume(*run, r); c.mode == ResumeRun && tasks.Of(&b).Drive != c.drive {
			t.Errorf("%s: the drive is %s", c.args, tasks.Of(&b).Drive)
		}
		phases := &Budget{KindRun: ofAudit(auditRun(1, Coding))}
		audit.Of(phases).Drive = DriveProcess
		if b := Resume(*phases, r); c.mode == ResumeRun && audit.Of(&b).Drive != c.drive {
			t.Errorf("%s: the drive of an audit is %s", c.args, audit.Of(&b).Drive)
		}
	}
}

// An attempt in a session that has already had one is not fresh (T93).
func TestASecondAttemptOfASessionIsStale(t *testing.T) {
	for session, stale := range map[string]bool{"s1": true, "s2": false} {
		run := listRun(nil)
		tick := OpenTick(run, &Iteration{SessionID: "s1", RunID: "r1"},
			Request{Now: Noon, SessionID: session},
			EntryFacts{Attempt: attempt.Attempt{Token: "-n"}})
		if tick.Attempt == nil || tick.Attempt.Stale != stale {
			t.Errorf("%s: %+v", session, tick.Attempt)
		}
	}
}
