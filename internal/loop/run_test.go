package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func flagsOf(t *testing.T, args string) Flags {
	t.Helper()
	f, _, err := ParseFlags(Work, "--loop "+args)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// R130–R133: everything that was counted stays; what belonged to the session and its last turn
// goes.
func TestResume(t *testing.T) {
	socket := &Process{PID: 7}
	before := Budget{
		RunID: "r", SessionID: "s1", Skill: Work, Status: Paused, StopCause: "gate_waiting",
		StopText: "why", StopDetail: &StopDetail{"x", 1}, Ceilings: Ceilings{1, 2, 3, 4},
		IterationsUsed: 5, MinutesElapsed: 6, MinutesBefore: 2,
		Owner: Process{PID: 1}, OwnerLeft: true, Scheduled: []string{"x"}, NextTick: noon,
		LastPrompts: []string{"p"}, Blocks: Blocks{PromptID: "p"},
		Flags: "a", OtherFlags: []string{"b"},
		Pending: []Gate{{Name: BacklogDrift}},
	}
	r := Request{
		Now: noon, SessionID: "s2", Owner: Process{PID: 2}, EventsFrom: socket, UnderLoop: true,
		Command: Command{"sdd:work", Work, "--loop --max-prs 9 --resume"},
		Flags:   flagsOf(t, "--max-prs 9 --resume"),
	}
	canonical := r.Flags.canonical()
	want := Budget{
		RunID: "r", SessionID: "s2", Skill: Work, Status: Active, Ceilings: Ceilings{1, 9, 3, 4},
		IterationsUsed: 5, MinutesElapsed: 6, MinutesBefore: 6, ActiveSince: noon,
		Owner: Process{PID: 2}, EventsFrom: socket, UnderLoop: true, Flags: canonical,
		OtherFlags: []string{"b", "a"}, Command: "/sdd:work --loop --max-prs 9",
		Scheduled: []string{
			"/sdd:work --loop --max-prs 9 --resume", "/loop /sdd:work --loop --max-prs 9 --resume",
		},
		Pending: before.Pending,
	}
	if diff := cmp.Diff(want, resumeRun(before, r)); diff != "" {
		t.Errorf("resumed: %s", diff)
	}
	r.Model, r.UnderLoop = true, false
	want.Ceilings, want.Scheduled, want.UnderLoop = before.Ceilings, nil, false
	if diff := cmp.Diff(want, resumeRun(before, r)); diff != "" {
		t.Errorf("resumed by the model: %s", diff)
	}
	before.Flags = canonical
	if got := resumeRun(before, r).OtherFlags; len(got) != 1 {
		t.Errorf("other flags %v", got)
	}
}

// The next tick of the run: only a pause, or ceilings that a person names with --resume, change it.
func TestProceed(t *testing.T) {
	socket := &Process{PID: 7}
	run := Budget{
		SessionID: "s1", Status: Active, Ceilings: Ceilings{1, 2, 3, 4}, MinutesElapsed: 6,
		Owner: Process{PID: 1, Start: "a"}, OwnerLeft: true, Flags: "a",
	}
	r := Request{Now: noon, SessionID: "s2", Owner: run.Owner, EventsFrom: socket}
	want := run
	want.SessionID, want.OwnerLeft, want.EventsFrom = "s2", false, socket
	if diff := cmp.Diff(want, continueRun(run, r)); diff != "" {
		t.Errorf("in the same client: %s", diff)
	}
	r.UnderLoop, want.UnderLoop = true, true
	if diff := cmp.Diff(want, continueRun(run, r)); diff != "" {
		t.Errorf("under /loop: %s", diff)
	}
	run.UnderLoop, r.UnderLoop = true, false
	if diff := cmp.Diff(want, continueRun(run, r)); diff != "" {
		t.Errorf("under /loop before: %s", diff)
	}
	for _, owner := range []Process{{PID: 2, Start: "a"}, {PID: 1, Start: "b"}} {
		r.Owner, want.Owner = owner, owner
		want.MinutesBefore, want.ActiveSince = 6, noon
		if diff := cmp.Diff(want, continueRun(run, r)); diff != "" {
			t.Errorf("in another client: %s", diff)
		}
	}
	r.Flags = flagsOf(t, "--max-prs 9 --resume")
	want.Ceilings.PRs, want.OtherFlags = 9, []string{r.Flags.canonical()}
	if diff := cmp.Diff(want, continueRun(run, r)); diff != "" {
		t.Errorf("with a new ceiling: %s", diff)
	}
	r.Scheduled = true
	want.Ceilings.PRs, want.OtherFlags = 2, nil
	if diff := cmp.Diff(want, continueRun(run, r)); diff != "" {
		t.Errorf("by the schedule: %s", diff)
	}
}

func TestOpen(t *testing.T) {
	run := Budget{
		RunID: "r", Skill: Work, Ceilings: Defaults, StartedAt: noon, Blocks: Blocks{PromptID: "p"},
		IterationsUsed: 2,
	}
	r := Request{Now: noon.Add(3 * time.Minute), SessionID: "s1", Transcript: "t", PromptID: "p"}
	tick := openTick(&run, nil, r,
		EntryFacts{Notes: []string{"n"}, Worktrees: []Worktree{{Path: "w"}}})
	want := Tick{
		Version: Version, RunID: "r", SessionID: "s1", Skill: Work, Iteration: 3, StartedAt: r.Now,
		Prompts: []string{"p"}, Transcript: "t", Started: true,
		Notes:     []string{"n"},
		Worktrees: []Worktree{{Path: "w"}},
	}
	if diff := cmp.Diff(want, tick); diff != "" || run.Blocks.PromptID != "p" ||
		run.MinutesElapsed != 3 {
		t.Errorf("%+v: %s", run, diff)
	}
	// an old client names no prompt
	r.PromptID, r.Attended, run.IterationsUsed = "", true, 5
	tick = openTick(&run, nil, r, EntryFacts{})
	if run.Blocks.PromptID != "" || tick.Started || len(tick.Fired) != 1 {
		t.Errorf("%+v, %+v", run.Blocks, tick)
	}
	// what fires at entry is not asked about, and keeps what waits for the next resume
	run.Pending = []Gate{{Name: BacklogDrift}}
	tick = openTick(&run, nil, r, EntryFacts{})
	if len(tick.Pending) != 0 || len(run.Pending) != 1 {
		t.Errorf("pending %v, %v", tick.Pending, run.Pending)
	}
	// questions that wait are asked again, once; a budget's is not
	run.IterationsUsed = 0
	run.Pending = []Gate{
		{Name: BacklogDrift}, {Name: BudgetEscalation}, {Name: AmbiguousCriteria, Target: "#1"},
		{Name: AmbiguousCriteria, Target: "#2"}, {Name: AmbiguousCriteria, Target: "#1"},
	}
	tick = openTick(&run, nil, r,
		EntryFacts{Gates: []Gate{{Name: AmbiguousCriteria, Target: "#2"}}})
	var asked []string
	for _, g := range tick.Pending {
		asked = append(asked, g.Name+g.Target)
	}
	names := []string{"ambiguous-criteria#2", "backlog-drift", "ambiguous-criteria#1"}
	if diff := cmp.Diff(names, asked); diff != "" || tick.Started || run.Pending != nil {
		t.Errorf("%v: %s", run.Pending, diff)
	}
}

// An answer of a terminal goes to the gate of its name and target, with the time it was given.
func TestUseGiven(t *testing.T) {
	early := noon.Add(-time.Hour)
	tick := Tick{
		Pending: []Gate{
			{Name: AmbiguousCriteria, Target: "#1"},
			{Name: ResumeDivergence, Target: "#2"},
		},
		OfflineAnswers: []Gate{
			{Name: ResumeDivergence, Target: "#1", Answer: "skip", At: &early},
			{Name: ResumeDivergence, Target: "#2", Answer: "re-attach", At: &early},
			{Name: AmbiguousCriteria, Target: "#1", Answer: "proceed", Question: "q"},
		},
	}
	tick.applyOfflineAnswers(&Budget{}, noon)
	want := []GateAnswer{
		{Name: ResumeDivergence, Answer: "re-attach", At: early, Target: "#2"},
		{Name: AmbiguousCriteria, Question: "q", Answer: "proceed", At: noon, Target: "#1"},
	}
	if diff := cmp.Diff(want, tick.Answered); diff != "" || len(tick.OfflineAnswers) != 1 ||
		len(tick.Pending) != 0 {
		t.Errorf("given %v, pending %v: %s", tick.OfflineAnswers, tick.Pending, diff)
	}
}

// A count whose body never began is taken back; no other one is.
func TestUncount(t *testing.T) {
	for _, c := range []struct {
		used int
		tick Tick
		want int
	}{
		{3, Tick{RunID: "r", Iteration: 3}, 2}, {4, Tick{RunID: "r", Iteration: 3}, 2},
		{2, Tick{RunID: "r", Iteration: 3}, 2},
		{3, Tick{RunID: "r", Iteration: 3, Started: true}, 3},
		{3, Tick{RunID: "x", Iteration: 3}, 3},
	} {
		run := Budget{RunID: "r", IterationsUsed: c.used}
		if c.tick.uncount(&run); run.IterationsUsed != c.want {
			t.Errorf("%+v: %d", c, run.IterationsUsed)
		}
	}
}

func TestStartBody(t *testing.T) {
	for _, c := range []struct {
		tick Tick
		want bool
	}{
		{Tick{}, true}, {Tick{Fired: []Fired{{}}}, false},
		{Tick{Pending: []Gate{{Name: BacklogDrift}}}, false},
		{Tick{Pending: []Gate{{Name: RepeatedFailure}}}, false},
		{Tick{Pending: []Gate{{Name: PostFeedbackMerge}}}, true},
		{Tick{Pending: []Gate{{Name: PostFeedbackMerge}, {Name: BacklogDrift}}}, false},
		{Tick{Started: true, Pending: []Gate{{Name: BacklogDrift}}}, true},
	} {
		run := Budget{SinglePR: 7}
		c.tick.Iteration = 4
		c.tick.Asked = &Asked{PRs: []PR{{Number: 7, Branch: "a", HeadSHA: "aaaaaaa1"}}}
		began := !c.tick.Started && c.want
		got := StartBody(&run, &c.tick)
		if got != c.want || (run.IterationsUsed == 4) != began ||
			(len(c.tick.Tracked) == 1) != began {
			t.Errorf("%+v: begun %v, %d used", c.tick, got, run.IterationsUsed)
		}
	}
}

func TestSameSHA(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"aaaaaaa", "aaaaaaab", true}, {"aaaaaaab", "aaaaaaa", true}, {"aaaaaa", "aaaaaaa", false},
		{"aaaaaa", "aaaaaa", true}, {"", "", true}, {"", "aaaaaaa", false},
		{"aaaaaaa", "baaaaaaa", false}, {"aaaaaaa", "bbbbbbb", false},
	} {
		if got := SameSHA(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// What of a history is a run's own, and was worked on.
func TestWorked(t *testing.T) {
	line := func(id string, iteration, used int, outcome LineOutcome) *Iteration {
		l := &Iteration{RunID: id, Iteration: iteration, Outcome: outcome}
		l.Budget.IterationsUsed = used
		return l
	}
	run := &Budget{RunID: "r"}
	for _, c := range []struct {
		line          *Iteration
		began, worked bool
	}{
		{line("r", 2, 2, OK), true, true}, {line("r", 2, 1, Stopped), false, false},
		{line("r", 2, 2, SkippedLock), false, false}, {line("x", 2, 2, OK), true, false},
		{line("", 2, 3, Errored), true, true},
	} {
		if got := c.line.Began(); got != c.began || run.Worked(c.line) != c.worked {
			t.Errorf("%+v: began %v, worked %v", c.line, got, run.Worked(c.line))
		}
	}
}

func TestTouched(t *testing.T) {
	run := &Budget{}
	if got := run.Touched(nil); got == nil || len(got) != 0 {
		t.Errorf("%#v", got)
	}
	run.PRsTouched = []string{"#1"}
	if diff := cmp.Diff([]string{"#1", "#2"},
		run.Touched(&Tick{PRs: []string{"#2", "#1"}})); diff != "" {
		t.Error(diff)
	}
	run.SinglePR = 9
	if diff := cmp.Diff([]string{"#9"}, run.Touched(&Tick{PRs: []string{"#2"}})); diff != "" {
		t.Error(diff)
	}
}

func TestTokens(t *testing.T) {
	a := Tokens{1, 2, 3, 4, 5, 6, 7, 8}
	if diff := cmp.Diff(Tokens{2, 4, 6, 8, 10, 12, 14, 16}, a.Add(a)); diff != "" || a.In() != 13 {
		t.Errorf("%d in: %s", a.In(), diff)
	}
}

// A Stop of this turn was held after this one began, so this one was answered already.
func TestDuplicateStops(t *testing.T) {
	run := func(at time.Duration, reasons ...string) *Budget {
		return &Budget{Blocks: Blocks{PromptID: "p", Reasons: reasons, At: noon.Add(at)}}
	}
	stop := TurnEnd{Turn: Turn{Prompt: "p"}, First: true, Began: noon}
	later, other, unnamed := stop, stop, stop
	later.First, other.Prompt, unnamed.Prompt = false, "q", ""
	noPrompt := run(time.Second, "facts")
	noPrompt.Blocks.PromptID = ""
	for _, c := range []struct {
		name string
		stop TurnEnd
		run  *Budget
		want bool
	}{
		{"held a second after it began", stop, run(time.Second, "facts"), true},
		{"held before", stop, run(-time.Second, "facts"), false},
		{"held at the very time", stop, run(0, "facts"), false},
		{"held in a minute", stop, run(time.Minute, "facts"), false},
		{"held in almost a minute", stop, run(time.Minute-1, "facts"), true},
		{"never held", stop, run(time.Second), false},
		{"not the first", later, run(time.Second, "facts"), false},
		{"of another prompt", other, run(time.Second, "facts"), false},
		{"of no prompt", unnamed, noPrompt, false},
	} {
		if got := c.stop.duplicate(c.run); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Each claim's place, whoever asks or waits.
func TestWaitAndLeave(t *testing.T) {
	at := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
	ask := Request{
		Now:       at(9),
		SessionID: "s1",
		PromptID:  "p",
		Command:   Command{"sdd:work", Work, "--loop"},
	}
	waiters := func(c Claim, all map[string]time.Time) Claim {
		c.Waiters = all
		return c
	}
	fresh := waiters(Claim{Version: Version, Skill: Work, Since: at(9)},
		map[string]time.Time{"s1": at(9)})
	waits := waiters(fresh, map[string]time.Time{"s1": at(2), "s3": at(3)})
	gate := &Gate{Name: ForceUnlock}
	asked := Claim{SessionID: "s2", Since: at(1), Gate: gate}
	stopped := Claim{SessionID: "s2", Since: at(1), Stopped: true}
	own := Claim{SessionID: "s1", Since: at(1), Gate: gate}
	other := map[string]time.Time{"s3": at(3)}
	both := map[string]time.Time{"s1": at(9), "s3": at(3)}
	for _, c := range []struct {
		name        string
		claim, want Claim
		since       int
	}{
		{"itself", waits, waits, 2},
		{"another one is asked", waiters(asked, other), waiters(asked, both), 9},
		{"and it has its place", waiters(asked, waits.Waiters), waiters(asked, waits.Waiters), 2},
		{"another one was stopped", stopped, waiters(stopped, fresh.Waiters), 9},
		{"its own question", waiters(own, other), waiters(fresh, both), 9},
	} {
		got, since := c.claim.wait(ask)
		if diff := cmp.Diff(c.want, got); diff != "" || !since.Equal(at(c.since)) {
			t.Errorf("%s: since %s: %s", c.name, since, diff)
		}
	}
	if got, since := (*Claim)(nil).wait(ask); !cmp.Equal(fresh, got) || !since.Equal(at(9)) {
		t.Errorf("no one: since %s: %+v", since, got)
	}
	stopped.Waiters = map[string]time.Time{"s1": at(9), "s3": at(3)}
	left := stopped.without("s1")
	if left == nil || !left.Stopped || len(left.Waiters) != 1 || len(stopped.Waiters) != 2 {
		t.Errorf("%+v", left)
	}
	if left = stopped.without("s2"); left == nil || left.Stopped || len(left.Waiters) != 2 {
		t.Errorf("%+v", left)
	}
}
