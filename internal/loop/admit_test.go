package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asking is a request of session s1 in process 100, for a work loop.
func asking(args string) Request {
	r := Request{
		Now: noon, SessionID: "s1", PromptID: "p9", Owner: Process{PID: 100}, Platform: "linux",
		Command: Command{"sdd:work", Work, "--loop " + args}, RunID: "new",
	}
	r.Flags, _, _ = ParseFlags(Work, r.Command.Args)
	return r
}

// A skill has one run at a time: another budget file begins none beside it. A lock and an iteration
// that another run left are taken.
func TestAdmitBesideAnotherBudgetFile(t *testing.T) {
	other := func(change func(*Budget)) *Budget {
		b := &Budget{
			RunID: "other", SessionID: "s2", Skill: Work, Status: Active, StartedAt: noon,
			Ceilings: Defaults, Owner: Process{PID: 200}, IterationsUsed: 3,
		}
		if change != nil {
			change(b)
		}
		return b
	}
	tick := &Tick{RunID: "other", SessionID: "s2", Skill: Work, Iteration: 4}
	lock := &Lock{RunID: "other", SessionID: "s2", Iteration: 4, Process: Process{PID: 200}}
	left := other(func(b *Budget) { b.OwnerLeft = true })
	halted := other(func(b *Budget) { b.Status = Halted })
	ended := &Budget{
		RunID:     "own",
		SessionID: "s1",
		Skill:     Work,
		Status:    Halted,
		Owner:     Process{PID: 100},
	}
	unknown := other(func(b *Budget) { b.Owner = Process{} })
	running := other(func(b *Budget) { b.SessionID = "s1" })
	draining := &Tick{RunID: "other", SessionID: "s1", Iteration: 4, Draining: true}
	mine := other(func(b *Budget) { b.OwnerLeft, b.Owner = true, Process{PID: 100} })
	for _, c := range []struct {
		name  string
		other *Budget
		is    Liveness
		s     Standing
		want  Verdict
		pid   int
		reap  bool
	}{
		{"it lives", other(nil), Alive, Standing{Tick: tick}, Refuse, 0, false},
		{"it may live, and the asker has a run that has ended", other(nil), Unclear,
			Standing{Run: ended}, Refuse, 0, false},
		{"it is the session's own", running, Dead, Standing{}, Refuse, 0, false},
		{"it is the client's own before /clear", mine, Alive, Standing{Tick: tick}, Refuse, 0,
			false},
		{"its client is dead", other(nil), Dead, Standing{}, Start, 0, false},
		{"its client is dead in an iteration", other(nil), Dead, Standing{Tick: tick}, CloseFirst,
			0, false},
		{"and left its lock", other(nil), Dead, Standing{Tick: tick, Lock: lock, LockIs: Dead},
			CloseFirst, 0, false},
		{"its session has ended", left, Alive, Standing{Tick: tick}, CloseFirst, 0, false},
		{"the iteration's run is nowhere", nil, 0, Standing{Tick: tick}, CloseFirst, 0, false},
		{"an iteration of a dead client, beside a run of the asker's own", other(nil), Dead,
			Standing{Run: ended, Tick: tick}, CloseFirst, 0, false},
		{"a lock of a run that is nowhere", nil, 0, Standing{Lock: lock, LockIs: Alive}, Skip, 200,
			false},
		{"of one that has ended", halted, Alive, Standing{Lock: lock, LockIs: Alive}, Start, 0,
			true},
		{"of one whose session has ended", left, Alive, Standing{Lock: lock, LockIs: Alive}, Start,
			0, true},
		{"of one without an id", other(func(b *Budget) { b.RunID, b.Status = "", Halted }), Alive,
			Standing{Lock: &Lock{Iteration: 4, Process: Process{PID: 200}}, LockIs: Alive}, Skip,
			200, false},
		{"of another run than the one that has ended",
			other(func(b *Budget) { b.RunID, b.Status = "third", Halted }), Alive,
			Standing{Lock: lock, LockIs: Alive}, Skip, 200, false},
		{"a run whose client no one knows", nil, 0, Standing{Run: unknown}, Start, 0, false},
		{"the asker's own iteration waits for its workers", nil, 0,
			Standing{Run: running, Tick: draining}, Skip, 100, false},
		{"and the lock names another process", nil, 0, Standing{Run: running, Tick: draining,
			Lock: &Lock{Process: Process{PID: 77}}}, Skip, 77, false},
	} {
		r := asking("")
		r.Other, r.OtherIs = RunFile{c.other, "other.json"}, c.is
		a := admit(r, c.s)
		if a.Verdict != c.want || a.PID != c.pid || a.Reap != c.reap {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
	resumes := asking("--resume")
	resumes.Other = RunFile{halted, "other.json"}
	if a := admit(resumes, Standing{}); a.Verdict != Refuse {
		t.Errorf("nothing to resume: %+v", a)
	}
	if a := admit(resumes, Standing{Run: ended}); a.Mode != ResumeRun {
		t.Errorf("an older run: %+v", a)
	}
}

// A session that was taken up again by another client continues as a resumed run.
func TestAdmitAnotherClientOfTheSession(t *testing.T) {
	run := &Budget{
		RunID: "r", SessionID: "s1", Skill: Work, Status: Active, Ceilings: Defaults,
		Owner: Process{PID: 99, Start: "a"}, Flags: asking("").Flags.canonical(),
	}
	for args, want := range map[string]Mode{"": NextTick, "--resume": ResumeRun,
		"--max-prs 3": FreshRun} {
		if a := admit(asking(args), Standing{Run: run, OwnerIs: Dead}); a.Verdict != Start ||
			a.Mode != want {
			t.Errorf("%q: %+v", args, a)
		}
	}
	if a := identify(asking(""), Standing{Run: run}, Admission{}); a.Verdict != Start ||
		a.Mode != NextTick {
		t.Errorf("after a forced lock: %+v", a)
	}
	if a := identify(asking(""), Standing{}, Admission{}); a.Mode != FreshRun {
		t.Errorf("after a forced lock without a run: %+v", a)
	}
	run.Owner.PID = 100
	if a := admit(asking("--resume"), Standing{Run: run}); a.Mode != NextTick {
		t.Errorf("the same client resumes: %+v", a)
	}
}

func TestOwnedBy(t *testing.T) {
	r := Request{SessionID: "s1", Owner: Process{PID: 100, Start: "x"}}
	for _, c := range []struct {
		run  Budget
		want bool
	}{
		{Budget{SessionID: "s1"}, true},
		{Budget{SessionID: "s2", OwnerLeft: true, Owner: r.Owner}, true},
		{Budget{SessionID: "s2", Owner: r.Owner}, false},
		{Budget{SessionID: "s2", OwnerLeft: true, Owner: Process{PID: 100, Start: "y"}}, false},
		{Budget{SessionID: "s2", OwnerLeft: true, Owner: Process{PID: 101, Start: "x"}}, false},
		{Budget{SessionID: "s2", OwnerLeft: true}, false},
	} {
		if got := c.run.OwnedBy(r); got != c.want {
			t.Errorf("%+v: %v", c.run, got)
		}
	}
	if (&Budget{SessionID: "s2", OwnerLeft: true}).OwnedBy(Request{SessionID: "s1"}) {
		t.Error("a process that no one knows is no one's")
	}
}

// A tick that waits for its workers is its prompt's own; what later prompts of it invoke is
// another.
func TestBegan(t *testing.T) {
	for _, c := range []struct {
		tick   Tick
		prompt string
		want   bool
	}{
		{Tick{Prompts: []string{"a", "b"}}, "a", true},
		{Tick{Prompts: []string{"a", "b"}}, "b", true},
		{Tick{Prompts: []string{"a", "b"}}, "c", false},
		{Tick{Prompts: []string{"a", "b"}, Draining: true}, "a", true},
		{Tick{Prompts: []string{"a", "b"}, Draining: true}, "b", false},
	} {
		if got := c.tick.began(c.prompt); got != c.want {
			t.Errorf("%+v began in %s: %v", c.tick, c.prompt, got)
		}
	}
}

// What a terminal, a schedule and a status line ask of a run.
func TestWhatIsAskedOfARun(t *testing.T) {
	run := &Budget{
		Ceilings: Ceilings{PRs: 3}, Status: Active,
		Cursors: []Cursor{
			{Path: subagentFolder + "a.jsonl"},
			{Path: "main.jsonl"},
			{Path: "b.jsonl"},
		},
	}
	if got := run.Transcript(); got != "main.jsonl" {
		t.Error(got)
	}
	if got := (&Budget{Cursors: run.Cursors[:1]}).Transcript(); got != "" {
		t.Error(got)
	}
	f := &Facts{Run: run, PRs: []string{"#1"}}
	if left, unbounded := f.PRsLeft(); left != 2 || unbounded {
		t.Errorf("%d PRs left, %v", left, unbounded)
	}
	f.PRs = make([]string, 4)
	if left, _ := f.PRsLeft(); left != 0 {
		t.Errorf("%d PRs left", left)
	}
	run.SinglePR = 1
	if _, unbounded := f.PRsLeft(); !unbounded {
		t.Error("a single PR has no ceiling")
	}
	run.halt(stoppedAt(AskForceUnlock(), 4))
	want := StopDetail{ForceUnlock, 4}
	if run.Status != Halted || run.StopCause != "prior_gate_stop" || *run.StopDetail != want {
		t.Errorf("%+v", run)
	}
	if c, ok := ConditionOf("cost_budget"); !ok || c.Number != 12 {
		t.Errorf("%+v", c)
	}
	if _, ok := ConditionOf("gate_waiting"); ok {
		t.Error("a pause is no condition")
	}
	if GateOf("facts").Name != "" {
		t.Error("facts is no gate")
	}
	claim := Claim{Iteration: 3}
	if got := claim.priorStop(); got != "Loop already stopped at gate force-unlock in iteration 3" {
		t.Error(got)
	}
	claim.StopText = "why"
	if got := claim.priorStop(); got != "Loop already stopped: why" {
		t.Error(got)
	}
	paused := &Budget{Status: Paused, Pending: []Gate{{Name: "gate-1-spec"}}}
	if got := priorStop(paused); got != "Loop paused at gate gate-1-spec — answer it with "+
		"`hooks gate answer`, then type the command with --resume" {
		t.Error(got)
	}
	paused = &Budget{Status: Paused, StopCause: CauseIgnored, StopText: "why"}
	if got := priorStop(paused); got != "Loop already stopped: order_ignored — why" {
		t.Error(got)
	}
}

// R130, R131: what the last line knows better wins, counter by counter.
func TestLatest(t *testing.T) {
	low := Budget{PRsTouched: []string{"#1"}, MinutesElapsed: 9}
	high := Budget{
		IterationsUsed: 1, PRsTouched: []string{"#2", "#1"}, CommentsPushed: 2, MergesAttempted: 3,
		MinutesElapsed: 4, TokensIn: 5, TokensOut: 6, SkippedLines: 7, AgentsDispatched: 8,
		DollarsEstimate: 9,
	}
	want := high
	want.PRsTouched, want.MinutesElapsed = []string{"#1", "#2"}, 9
	if diff := cmp.Diff(want, latest(low, &Iteration{Budget: high})); diff != "" {
		t.Error(diff)
	}
	low.MinutesElapsed, want.MinutesElapsed = 0, 4
	if got := latest(low, &Iteration{Budget: high}).MinutesElapsed; got != 4 {
		t.Errorf("%d minutes", got)
	}
	if diff := cmp.Diff(low, latest(low, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestReceipts(t *testing.T) {
	var b Budget
	looked := 0
	look := func() Program { looked++; return Program{Path: "p"} }
	for i, c := range []struct {
		session, word string
		news          bool
	}{
		{"s1", "stop", true}, {"s1", "stop", false}, {"s1", "pre-tool-use", true},
		{"s2", "stop", true},
	} {
		if got := b.Receive(c.session, c.word, noon.Add(time.Duration(i)*time.Minute),
			look); got != c.news {
			t.Errorf("%+v: news %v", c, got)
		}
	}
	want := []Receipt{
		{
			"s1",
			Program{Path: "p"},
			noon,
			noon.Add(2 * time.Minute),
			[]string{"stop", "pre-tool-use"},
		},
		{
			"s2",
			Program{Path: "p"},
			noon.Add(3 * time.Minute),
			noon.Add(3 * time.Minute),
			[]string{"stop"},
		},
	}
	if diff := cmp.Diff(want, b.Receipts); diff != "" || looked != 2 {
		t.Errorf("looked %d times: %s", looked, diff)
	}
	if !b.Heard("s1", "pre-tool-use") || b.Heard("s2", "pre-tool-use") || b.Heard("s3", "stop") {
		t.Errorf("%+v", b.Receipts)
	}
	for i := range maxReceipts {
		b.Receive("n"+string(rune('a'+i)), "stop", noon, look)
	}
	if len(b.Receipts) != maxReceipts || b.Receipts[0].SessionID != "na" {
		t.Errorf("%d receipts, from %s", len(b.Receipts), b.Receipts[0].SessionID)
	}
}
