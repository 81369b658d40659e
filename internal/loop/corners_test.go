package loop

import "testing"

// A client that names no prompt: whatever comes while the iteration is open is its own.
func TestATurnWithoutAPromptIsTheIterations(t *testing.T) {
	s := State{Run: &Budget{Status: Active}, Tick: &Tick{SessionID: "s1", Prompts: []string{"p1"}}}
	for prompt, nothing := range map[string]bool{"": true, "p1": true, "p2": false} {
		e := Prompt{Turn: Turn{Session: "s1", Prompt: prompt}}
		if o := Step(s, Known{}, e); o.Nothing() != nothing {
			t.Errorf("prompt %q: %+v", prompt, o)
		}
	}
}

// T86: what a person names for a task loop has bounds, and is taken over by a run that continues.
func TestTaskFlagsHaveBounds(t *testing.T) {
	for args, ok := range map[string]bool{
		"--check-timeout 0": false, "--check-timeout 1": true, "--check-timeout 50m": true,
		"--check-timeout 51": false, "--max-task-iterations 1": false,
		"--max-task-iterations 2": true, "--check-timeout x": false,
	} {
		if _, _, err := ParseFlags(Tasks, args); (err == nil) != ok {
			t.Errorf("%s: %v", args, err)
		}
	}
	r := &TaskRun{MaxTries: 5, CheckMinutes: 10}
	changed := r.Retune(TaskFlags{MaxTries: 7, Minutes: 20})
	if len(changed) != 2 || r.MaxTries != 7 || r.CheckMinutes != 20 {
		t.Errorf("%v: %+v", changed, r)
	}
}

// R80: only a label contests an issue, not another act whose branch has that name.
func TestOnlyALabelContestsAnIssue(t *testing.T) {
	tick := &Tick{SessionID: "s1", Report: Report{Backlog: &Backlog{InProgress: []int{6}}}}
	s := State{Run: &Budget{Skill: Work}, Tick: tick}
	for kind, passes := range map[ActKind]bool{ActLabel: false, ActComment: true, OtherAct: true} {
		acts := []Act{{Kind: kind, PR: 6, Ref: "in-progress"}}
		o := Call{Turn: Turn{Session: "s1"}}.contests(s, &Known{Bare: true}, acts)
		if o.Nothing() != passes {
			t.Errorf("act %d: %+v", kind, o)
		}
	}
}

// A30: what is coded and audited is a section, what comes after all of them the plan.
func TestWhatAPhaseIsAbout(t *testing.T) {
	r := auditRun(2, Coding)
	r.Plan = "p.md"
	for phase, want := range map[Phase]string{
		Coding: "section 1", Auditing: "section 1", FinalAuditing: "p.md", Fixing: "p.md",
	} {
		if r.Phase = phase; r.About() != want || r.Clean() != map[string]int{"p.md": 2}[want] {
			t.Errorf("%s: %s, %d", phase, r.About(), r.Clean())
		}
	}
}

// R80: a label that the iteration has set, or an issue that the one before had planned, is its own.
func TestAnOwnLabelIsNotContested(t *testing.T) {
	acts := []Act{{Kind: ActLabel, PR: 6, Ref: "in-progress"}}
	for _, c := range []struct {
		labels  []string
		planned []int
		passes  bool
	}{{nil, nil, false}, {[]string{"#6 in-progress"}, nil, true}, {nil, []int{6}, true}} {
		tick := &Tick{SessionID: "s1", Labels: c.labels,
			Report: Report{Backlog: &Backlog{InProgress: []int{6}}}}
		before := &Iteration{BacklogLine: BacklogLine{Plan: c.planned}}
		k := &Known{Previous: Fetched(before)}
		s := State{Run: &Budget{Skill: Work}, Tick: tick}
		if o := (Call{Turn: Turn{Session: "s1"}}).contests(s, k, acts); o.Nothing() != c.passes {
			t.Errorf("%+v: %+v", c, o)
		}
	}
}

// A70: the conductor of an audit loop looks, and only its auditor reports.
func TestAConductorGivesNoVerdict(t *testing.T) {
	s := State{Run: &Budget{Skill: Audit, Status: Active, KindRun: ofAudit(auditRun(1, Auditing))},
		Tick: &Tick{SessionID: "s1", Attempt: &Attempt{PhaseAttempt: in(Auditing)}}}
	for reports, passes := range map[bool]bool{false: true, true: false} {
		k := &Known{Looks: Fetched(Looks{Only: true, Reports: reports})}
		o := Call{Turn: Turn{Session: "s1"}, Tool: "Bash"}.conduct(s, k)
		if o.Nothing() != passes {
			t.Errorf("reports %v: %+v", reports, o)
		}
	}
}

// A75: a phase that lost the commit of the one before it is not judged well.
func TestAPhaseKeepsTheCommitOfTheOneBefore(t *testing.T) {
	tick := &Tick{Attempt: &Attempt{Branch: "b"}}
	s := State{Run: &Budget{KindRun: ofAudit(auditRun(1, Coding))}, Tick: tick}
	for _, c := range []struct {
		seen Evidence
		want string
	}{
		{Evidence{Branch: "b"}, ""},
		{Evidence{Branch: "c"}, "the branch is c, the loop began on b"},
		{Evidence{Branch: "b", Dropped: "abc"}, "the branch no longer contains commit abc"},
		{Evidence{Branch: "b", Dirty: []string{"x"}}, "1 file not committed"},
	} {
		if got := s.astray(&c.seen); got != c.want {
			t.Errorf("%+v: %q", c.seen, got)
		}
	}
}

// R103: only a question about the lock has an answer, and only a person who was there gives it.
func TestAnswersOfAClaim(t *testing.T) {
	gate := AskForceUnlock()
	a := Answers{ID: "d", List: []DialogAnswer{{gate.Question, "yes"}}}
	shown := []Dialog{{ID: "d", Shown: []string{gate.Question}}}
	away := a
	away.AFK = true
	for _, c := range []struct {
		claim *Claim
		given Answers
		want  bool
	}{
		{nil, a, false}, {&Claim{Dialogs: shown}, a, false},
		{&Claim{Gate: &gate, Dialogs: shown}, a, true},
		{&Claim{Gate: &gate, Dialogs: shown}, away, false}, {&Claim{Gate: &gate}, a, false},
	} {
		if got := c.claim.answer(noon, c.given); (got != nil) != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A run of this session, or of a client that lives, is not believed without its seal.
func TestWhichRunNeedsItsSeal(t *testing.T) {
	e := Invocation{Request: Request{SessionID: "s1"}}
	for _, c := range []struct {
		session string
		owner   Liveness
		want    bool
	}{{"s1", Dead, true}, {"s2", Dead, false}, {"s2", Unclear, false}, {"s2", Alive, true}} {
		if got := e.NeedsSeal(&Budget{SessionID: c.session}, c.owner); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if e.NeedsSeal(nil, Alive) {
		t.Error("no run needs a seal")
	}
}

// T93: a worker whose transcript cannot be read is stale, unless the service ended it before there
// was one.
func TestAWorkerThatTheServiceEndedIsNotStale(t *testing.T) {
	for _, c := range []struct {
		failure string
		known   bool
		want    bool
	}{{"overloaded", false, false}, {"overloaded", true, true}, {"", false, true}} {
		s := State{Run: &Budget{KindRun: ofTasks(&TaskRun{Drive: DriveStop})},
			Tick: &Tick{SessionID: "s1", Started: true, Attempt: &Attempt{Sent: true}}}
		k := Known{Bare: true, Worker: Fetched(WorkerSeen{Ours: true, Known: c.known})}
		o := Step(s, k, WorkerEnd{Turn: Turn{Session: "s1"}, Failure: c.failure})
		if got := o.Save.Tick; got == nil || got.Attempt.Stale != c.want {
			t.Errorf("%+v: %+v", c, o)
		}
	}
}
