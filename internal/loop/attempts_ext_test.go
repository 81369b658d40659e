package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/attempt"
	"hooks/internal/guard/effect"
	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	. "hooks/internal/loop"
)

// Phase and its values are those of audit loops.
type Phase = audit.Phase

const (
	Coding        = audit.Coding
	Auditing      = audit.Auditing
	FinalAuditing = audit.FinalAuditing
	Fixing        = audit.Fixing
	PostAction    = audit.PostAction
	Complete      = audit.Complete
)

// begins holds the facts with which an attempt begins.
var begins = attempt.Attempt{Head: "h", Branch: "b", Token: "-n"}

// auditing is an audit loop's open iteration in a phase, with its worker at work.
func auditing(phase Phase) State {
	r := auditRun(3, phase)
	r.Section, r.Plan = 1, "p.md"
	run := &Budget{Skill: audit.Name, Status: Active, SessionID: "s", KindRun: ofAudit(r),
		LastPrompts: []string{"before"}}
	return State{Run: run, Tick: &Tick{SessionID: "s", Prompts: []string{"p"}, Started: true,
		Attempt: BeginAttempt(run, EntryFacts{Attempt: begins})}}
}

// A67–A70: what each phase refuses of a worker's calls.
func TestAuditCalls(t *testing.T) {
	worker := Call{Turn: Turn{Session: "s", Prompt: "p"}, Agent: "w1", Tool: "Bash"}
	looks := Known{Bare: true, Looks: Fetched(Looks{Only: true})}
	pushes := Known{Bare: true, Reading: Fetched(Reading{Pushes: "git push"})}
	opens := Known{Reading: Fetched(Reading{Acts: []effect.Act{{Kind: effect.Comment, Command: "x"},
		{Kind: effect.OpenPR, Command: "gh pr create"}}})}
	opaque := func(reaches bool) Known {
		return Known{Reading: Fetched(Reading{Opaque: "$x", Reaches: reaches})}
	}
	may := func(s State) { audit.Of(s.Run).Post = &audit.Post{Push: true} }
	with := func(change func(*Call)) Call {
		c := worker
		change(&c)
		return c
	}
	asks := with(func(c *Call) { c.Tool = "AskUserQuestion" })
	schedules := with(func(c *Call) { c.Schedules = new("/x") })
	for _, tt := range []struct {
		name   string
		phase  Phase
		change func(State)
		call   Call
		known  Known
		want   string // "" passes, "need" asks for facts
	}{
		{"a coder asks", Coding, nil, asks, Known{},
			"Asking a person is not allowed during the coding phase of section 2"},
		{"a coder schedules", Coding, nil, schedules, Known{}, "Scheduling is not allowed"},
		{"a coder works", Coding, nil, worker, looks, ""},
		{"a coder's call is read", Coding, nil, worker, Known{}, "need"},
		{"a coder pushes", Coding, nil, worker, pushes, "Not published: git push. Pushes and"},
		{"a fix pushes", Fixing, may, worker, pushes, "during the fix"},
		{"a coder opens a PR", Coding, nil, worker, opens, "Not published: gh pr create"},
		{"a coder comments", Coding, nil, worker, Known{Bare: true,
			Reading: Fetched(Reading{
				Acts: []effect.Act{{Kind: effect.Comment, Command: "x"}},
			})}, ""},
		{"a coder's text could push", Coding, nil, worker, opaque(true), "it could push: $x"},
		{"a coder's text reaches no forge", Coding, nil, worker, opaque(false), ""},
		{"a post action pushes", PostAction, nil, worker, pushes, "during the post action"},
		{"one that does not say so pushes", PostAction,
			func(s State) { audit.Of(s.Run).Post = &audit.Post{} }, worker, pushes,
			"Not published"},
		{"a post action that may push", PostAction, may, worker, Known{}, ""},
		{"an auditor looks", Auditing, nil, worker, looks, ""},
		{"an auditor's call is looked at", Auditing, nil, worker, Known{}, "need"},
		{"an auditor runs the check", FinalAuditing, nil, worker,
			Known{Looks: Fetched(Looks{Check: true})}, ""},
		{"an auditor writes", FinalAuditing, nil, worker, Known{Bare: true},
			"Bash is refused: nothing may change during the final audit"},
		{"an auditor that has a check writes", Auditing,
			func(s State) { audit.Of(s.Run).Check = "make test" }, worker, Known{Bare: true},
			"read, run `make test` or report"},
		{"the conductor of an audit", Auditing, nil, with(func(c *Call) { c.Agent = "" }), looks,
			""},
		{"a driven auditor writes", Auditing,
			func(s State) { audit.Of(s.Run).Drive = DriveProcess },
			with(func(c *Call) { c.Agent = "" }), Known{Bare: true}, "Bash is refused"},
		{"another prompt's call", Coding, nil, with(func(c *Call) { c.Prompt = "q" }), pushes, ""},
		{"another session's call", Coding, nil, with(func(c *Call) { c.Session = "o" }), pushes,
			""},
		{"an iteration without a phase", Coding, func(s State) { s.Tick.Attempt = nil }, worker,
			pushes, ""},
	} {
		s := auditing(tt.phase)
		if tt.change != nil {
			tt.change(s)
		}
		out := OfKind(tt.call, s, &tt.known)
		got := ""
		switch d := out.Reply.Deny; {
		case out.Need != nil:
			got = "need"
		case d != nil && d.Rule == AuditRule:
			got = d.Text + " " + d.Hint
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if out := OfKind(worker, State{Run: &Budget{}}, &Known{}); !out.Nothing() {
		t.Error("another loop is audited")
	}
}

// Between two phases the conductor's turn continues, and only its own.
func TestAuditBetween(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Call, *State)
		want   bool
	}{
		{"the conductor", func(*Call, *State) {}, true},
		{"an open iteration", func(_ *Call, s *State) { s.Tick = &Tick{} }, false},
		{"a halted run", func(_ *Call, s *State) { s.Run.Status = Halted }, false},
		{"a worker", func(c *Call, _ *State) { c.Agent = "w" }, false},
		{"another session", func(c *Call, _ *State) { c.Session = "o" }, false},
		{"another prompt", func(c *Call, _ *State) { c.Prompt = "q" }, false},
		{"another drive", func(_ *Call, s *State) { audit.Of(s.Run).Drive = DriveProcess }, false},
		{"a task loop", func(_ *Call, s *State) {
			s.Run.Own = &tasks.Run{Drive: DriveStop}
		}, true},
	} {
		s := auditing(Coding)
		s.Tick = nil
		c := Call{Turn: Turn{Session: "s", Prompt: "before"}}
		tt.change(&c, &s)
		if got := Between(c, s); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A49, A71, T61: what holds a coder, and how it is judged when it was held often enough.
func TestAuditedCoder(t *testing.T) {
	good := attempt.Evidence{Head: "h2", Branch: "b"}
	for _, tt := range []struct {
		name     string
		check    string
		evidence attempt.Evidence
		run      attempt.CheckRun
		want     string
	}{
		{"all committed", "", good, attempt.CheckRun{}, ""},
		{"a green check", "make", good, attempt.CheckRun{Head: "h2"}, ""},
		{"a red one", "make", good, attempt.CheckRun{Head: "h2", Exit: 1, Tail: "boom"},
			"the check is red: exit 1"},
		{"git fails", "", attempt.Evidence{Failed: "no"}, attempt.CheckRun{},
			"git could not read the tree: no"},
		{"another branch", "", attempt.Evidence{Head: "h2", Branch: "c"}, attempt.CheckRun{},
			"the current branch is c, but the loop began on b"},
		{"left behind", "", attempt.Evidence{Head: "h2", Branch: "b", Dirty: []string{"x", "y"}},
			attempt.CheckRun{}, "2 files not committed"},
	} {
		for holds := range MaxHolds + 1 {
			s := auditing(Coding)
			audit.Of(s.Run).Check, s.Tick.Attempt.Holds = tt.check, holds
			k := Known{Evidence: Fetched(tt.evidence), Check: Fetched(tt.run)}
			hold := s.Run.Own.Judge(s, &k)
			held := tt.want != "" && holds < MaxHolds
			j := s.Tick.Attempt.Judged
			if (hold != nil) != held || (j == nil) != held {
				t.Errorf("%s, held %d times: %v, %+v", tt.name, holds, hold, j)
				continue
			}
			if held && !strings.Contains(hold.Text, tt.want) {
				t.Errorf("%s: %q", tt.name, hold.Text)
			}
			if j != nil && (j.Verdict != attempt.Ended || j.Why != tt.want ||
				(j.Check != nil) != (tt.check != "")) {
				t.Errorf("%s: %+v", tt.name, j)
			}
		}
	}
	s := auditing(Coding)
	audit.Of(s.Run).Check = "make"
	needs := func(s State, k *Known) (need bool) {
		defer func() { need = recover() != nil }()
		s.Run.Own.Judge(s, k)
		return false
	}
	var k Known
	if !needs(s, &k) || !k.Evidence.Asked() || k.Check.Asked() {
		t.Errorf("at first it needs %v", k)
	}
	k = Known{Evidence: Fetched(good)}
	if !needs(s, &k) || !k.Check.Asked() {
		t.Errorf("then it needs %v", k)
	}
	s, k = auditing(PostAction), Known{}
	if !needs(s, &k) || !k.Claim.Asked() {
		t.Errorf("a post action needs %v", k)
	}
	k = Known{Claim: Fetched(attempt.Claim{Last: "done"})}
	if hold := s.Run.Own.Judge(s, &k); hold != nil || s.Tick.Attempt.Last != "done" {
		t.Errorf("%v %+v", hold, s.Tick.Attempt)
	}
}

// A20, A40, A41, A66: a phase begins with its section, its commit and its name.
func TestAuditBegins(t *testing.T) {
	for sections, want := range map[int]int{1: 15, 3: 15, 4: 19, 24: 99} {
		if got := audit.Iterations(sections); got != want {
			t.Errorf("%d sections have %d iterations", sections, got)
		}
	}
	s := auditing(Auditing)
	audit.Of(s.Run).Base, audit.Of(s.Run).Retries = "", 2
	dirty := begins
	dirty.Tree = "t"
	a := BeginAttempt(s.Run, EntryFacts{Attempt: dirty})
	want := &attempt.Attempt{Phase: string(Auditing), Task: 2, Of: 3, Try: 3,
		Title: "section 2", Token: "auditing-n", Head: "h", Tree: "t", Branch: "b"}
	if d := cmp.Diff(want, a); d != "" {
		t.Error(d)
	}
	r := audit.Of(s.Run)
	if r.Base != "h" || r.SectionBase != "h" || r.Branch != "b" {
		t.Errorf("%+v", r)
	}
	if r.Begin(&attempt.Attempt{Head: "other"}); r.Base != "h" {
		t.Error("a later phase moves the run's base")
	}
	for _, at := range []int{-1, 3} {
		if r.Section = at; r.Begin(&attempt.Attempt{}) {
			t.Errorf("section %d begins", at)
		}
	}
	if r.Section = 0; !r.Begin(&attempt.Attempt{}) {
		t.Error("the first section does not begin")
	}
	r.Section, r.Phase = 1, Complete
	if r.Begin(&attempt.Attempt{}) {
		t.Error("a complete run begins")
	}
	names := map[Phase]string{Coding: "the coding phase of section 2",
		Auditing:      "the audit of section 2",
		FinalAuditing: "the final audit", Fixing: "the fix", PostAction: "the post action"}
	for phase, want := range names {
		r.Phase = phase
		order := (&Budget{KindRun: ofAudit(r)}).Order()
		if r.UnderWay() != want || !strings.HasPrefix(order, "Next: "+want+" of p.md.") {
			t.Errorf("%s is %s: %s", phase, r.UnderWay(), order)
		}
		clean := 3
		if phase == Coding || phase == Auditing {
			clean = 1
		}
		if r.Clean() != clean {
			t.Errorf("%s: %d sections are clean", phase, r.Clean())
		}
	}
	if one := Coding.In(1, 1); one != "the coding phase" {
		t.Error(one)
	}
	if task := (&tasks.Run{}).Name(&attempt.Attempt{Task: 4}); task != "task 4" {
		t.Error(task)
	}
}

// A23, A45: the close moves the run on and says so in the line; an iteration without a body, or of
// another phase, moves nothing.
func TestAuditClose(t *testing.T) {
	closed := func(change func(State)) (*audit.Line, *audit.Run) {
		s := auditing(Auditing)
		s.Tick.Attempt.Judged = &attempt.Judgement{Verdict: attempt.Clean, SHA: "x"}
		s.Tick.Attempt.Opened, s.Tick.Attempt.Resolved = []string{"F2"}, []string{"F1"}
		change(s)
		c := CloseTick(s.Run, *s.Tick, nil, Ending{})
		return audit.LineOf(c), audit.Of(&c.Budget)
	}
	l, r := closed(func(State) {})
	want := &audit.Line{Phase: Auditing, Section: 2,
		Judgement: attempt.Judgement{Verdict: attempt.Clean, SHA: "x"}, Opened: []string{"F2"},
		Resolved: []string{"F1"}}
	if d := cmp.Diff(want, l); d != "" || r.Phase != Coding || r.Section != 2 ||
		r.SectionBase != "x" || r.Audits != 1 {
		t.Errorf("%s %+v", d, r)
	}
	l, r = closed(func(s State) { audit.Of(s.Run).Phase = Fixing })
	if l == nil || r.Phase != Fixing {
		t.Errorf("of another phase: %+v %+v", l, r)
	}
	for name, change := range map[string]func(State){
		"no body":    func(s State) { s.Tick.Started = false },
		"no attempt": func(s State) { s.Tick.Attempt = nil },
		"a task":     func(s State) { s.Tick.Attempt.Phase = "" },
	} {
		if l, r := closed(change); l != nil || r.Phase != Auditing {
			t.Errorf("%s: %+v %+v", name, l, r)
		}
	}
	s := auditing(Coding)
	s.Run.Own = nil
	if c := CloseTick(s.Run, *s.Tick, nil, Ending{}); c.Own != nil {
		t.Error("another kind of loop has a phase")
	}
}

// A28: with --max-idle a work loop counts by what git shows.
func TestTrail(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Tick, *Ending)
		want   int // iterations counted, of one that was counted before
	}{
		{"nothing changed", func(*Tick, *Ending) {}, 2},
		{"something changed", func(_ *Tick, e *Ending) { e.Trail = "abc y" }, 0},
		{"a merge", func(t *Tick, _ *Ending) { t.Merges = 1 }, 0},
		{"a new PR", func(t *Tick, _ *Ending) { t.Observed.PRs = []int{7} }, 0},
		{"git told nothing before", func(t *Tick, _ *Ending) { t.Trail = "" }, 1},
		{"git tells nothing now", func(_ *Tick, e *Ending) { e.Trail = "" }, 1},
		{"no body", func(t *Tick, _ *Ending) { t.Started = false }, 1},
		{"the API failed", func(t *Tick, _ *Ending) { t.Failed = "529" }, 1},
		{"a person ended it", func(t *Tick, _ *Ending) { t.Interrupted = ByEsc }, 1},
	} {
		b := Budget{Skill: Work, MaxIdle: 2, DollarsEstimate: 3 * Dollar,
			Idle: &Idle{Iterations: 1, Since: "abc", Before: Dollar}}
		end := Ending{Around: Around{Trail: "abc x"}}
		tick := &Tick{Started: true, Trail: end.Trail}
		tt.change(tick, &end)
		FoldIdle(&b, tick, &Budget{DollarsEstimate: 2 * Dollar}, end)
		got := 0
		if b.Idle != nil {
			got = b.Idle.Iterations
		}
		if got != tt.want {
			t.Errorf("%s: %d", tt.name, got)
		}
		if fires := NoProgress(&Facts{Run: &b}) != ""; fires != (got == 2) {
			t.Errorf("%s: fires %v", tt.name, fires)
		}
	}
	b := Budget{Skill: Work, MaxIdle: 2, DollarsEstimate: 3 * Dollar}
	tick := &Tick{Started: true, Trail: "abcdefghi x"}
	end := Ending{Around: Around{Trail: tick.Trail}}
	FoldIdle(&b, tick, &Budget{DollarsEstimate: 2 * Dollar}, end)
	f := &Facts{Run: &b}
	want := "nothing changed for 1 iteration ($1.00 spent since abcdefg); fires after 2"
	if got := b.Standstill(); got != want || TellIdle(f) != want {
		t.Error(got)
	}
	if b.Idle.Since = ""; !strings.Contains(b.Standstill(), "since then") {
		t.Error(b.Standstill())
	}
	for _, idle := range []*Idle{nil, {}} {
		b.Idle = idle
		if got := TellIdle(f); b.Standstill() != "" ||
			got != "the last iteration changed something; "+
				"fires after 2 iterations without a change" {
			t.Error(got)
		}
	}
	applies := func(b *Budget) (list []int) {
		for _, s := range States(&Facts{Run: b}) {
			if s.Name == "no-progress" && s.Applies {
				list = append(list, s.Number)
			}
		}
		return list
	}
	if len(applies(&b)) != 1 || len(applies(&Budget{Skill: Work})) != 0 {
		t.Error("the condition applies with the flag, and only with it")
	}
	for most, b := range map[int]*Budget{
		3: {KindRun: ofAudit(&audit.Run{})}, 4: {KindRun: ofTasks(&tasks.Run{MaxTries: 5})},
		7: {MaxIdle: 7},
	} {
		if got := IdleBound(b); got != most {
			t.Errorf("%d, want %d", got, most)
		}
	}
}

// L17, L18: which types are critics, and when a round is one too many.
func TestCritics(t *testing.T) {
	for name, want := range map[string]string{"": "", "worker": "", "sdd:Archimedes": "archimedes",
		"a:b:style-critic": "style-critic", "critique": "critique", "archimedes2": ""} {
		if got := Critic((&Task{Type: name})); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	s := auditing(Coding)
	call := Call{Turn: Turn{Session: "s", Prompt: "p"}, ID: "1", Sends: &Task{Type: "critic"}}
	for n := range 4 {
		call.ID = fmt.Sprint(n)
		if d := Critique(call, s); (d != nil) != (n == 3) {
			t.Errorf("round %d: %v", n+1, d)
		}
		if n < 3 {
			s.Tick.RecordWorker(call)
			s.Tick.RecordWorker(call)
		}
	}
	again, other, worker, ended := call, call, call, call
	again.ID, other.Agent, worker.Sends, ended.Session = "2", "w", &Task{Type: "x"}, "o"
	for _, c := range []Call{again, other, worker, ended} {
		if d := Critique(c, s); d != nil {
			t.Errorf("%+v: %v", c, d)
		}
	}
}

// What no one could look at, and what the API ended, is no idle iteration.
func TestIdleSkips(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Tick)
		want   int
	}{
		{"nothing changed", func(*Tick) {}, 1},
		{"no worker was sent", func(t *Tick) { t.Attempt.Sent, t.Attempt.EndHead = false, "" }, 1},
		{"no one looked", func(t *Tick) { t.Attempt.EndHead = "" }, 0},
		{"no body", func(t *Tick) { t.Started = false }, 0},
		{"no attempt", func(t *Tick) { t.Attempt = nil }, 0},
		{"an outage", func(t *Tick) { t.Attempt.Judged.Verdict = attempt.Outage }, 0},
		{"another commit", func(t *Tick) { t.Attempt.EndHead = "i" }, 0},
	} {
		s := auditing(Coding)
		a := s.Tick.Attempt
		a.Sent, a.EndHead, a.Judged = true, "h", &attempt.Judgement{Verdict: attempt.Ended}
		tt.change(s.Tick)
		FoldIdle(s.Run, s.Tick, &Budget{KindRun: ofAudit(audit.Of(s.Run))}, Ending{})
		got := 0
		if s.Run.Idle != nil {
			got = s.Run.Idle.Iterations
		}
		if got != tt.want {
			t.Errorf("%s: %d", tt.name, got)
		}
	}
}

// A6, A66: every cause that ends an audit loop has one status.
func TestAuditStatuses(t *testing.T) {
	statuses := map[string]string{
		"audit_complete": "completed", "user_interrupt": "cancelled", "stalled": "stalled",
		"prior_gate_stop": "cancelled", "lock_contention": "cancelled", CauseStall: "stalled",
		"iteration_budget": "errored", "wall_clock_budget": "errored", "cost_budget": "errored",
		"repeated_failure": "errored", "qmd_unreachable": "errored", "api_unavailable": "errored",
		"no_fresh_context": "errored", "audit_retry_exhausted": "errored",
		"final_audit_retry_exhausted": "errored",
	}
	for cause, status := range statuses {
		b := &Budget{Status: Halted, StopCause: cause}
		if b.StatusWord() != status || Completes(b.StopCause) != (status == "completed") {
			t.Errorf("%s is %s", cause, b.StatusWord())
		}
		if _, known := ConditionOf(cause); !known && cause != CauseStall {
			t.Errorf("%s is no cause", cause)
		}
	}
	for _, c := range Conditions {
		applies := c.Applies(&Budget{Skill: audit.Name, KindRun: ofAudit(&audit.Run{})})
		if applies && statuses[c.Cause] == "" {
			t.Errorf("%s has no status", c.Cause)
		}
	}
	for _, status := range []Status{Active, Paused} {
		if s := (&Budget{Status: status}).StatusWord(); s != "running" {
			t.Error(s)
		}
	}
}

// A28, T91: three iterations in a row in which nothing changed.
func TestIdle(t *testing.T) {
	run := &Budget{Skill: audit.Name, KindRun: ofAudit(auditRun(1, Coding)),
		DollarsEstimate: Dollar}
	end := func(a attempt.Attempt) {
		before := *run
		a.Sent, a.Head = true, "abc1234567"
		a.Judged = &attempt.Judgement{Verdict: attempt.Ended}
		run.DollarsEstimate = run.DollarsEstimate.Plus(Dollar)
		FoldIdle(run, &Tick{Started: true, Attempt: &a}, &before, Ending{})
	}
	still := attempt.Attempt{EndHead: "abc1234567"}
	end(still)
	end(attempt.Attempt{EndHead: "abc1234567", EndTree: "other"})
	if run.Idle != nil {
		t.Error("another tree is no change")
	}
	end(attempt.Attempt{}) // no one looked
	end(still)
	end(still)
	if NoProgress(&Facts{Run: run}) != "" {
		t.Error("fires after two")
	}
	end(still)
	if said := NoProgress(&Facts{Run: run}); said !=
		"nothing changed for 3 iterations ($3.00 spent since abc1234)" {
		t.Error(said)
	}
	end(attempt.Attempt{EndHead: "def"})
	if run.Idle != nil {
		t.Error("a commit is no change")
	}
}

// A10: iterations and errors are counted from 0, dollars and minutes are not.
func TestRestart(t *testing.T) {
	b := Budget{Skill: audit.Name, Status: Halted, StopCause: "audit_retry_exhausted", RunID: "r",
		IterationsUsed: 15, DollarsEstimate: 3 * Dollar, MinutesElapsed: 40,
		Ceilings: Ceilings{Iterations: 15, Minutes: 480, Dollars: 25 * Dollar},
		KindRun:  ofAudit(auditRun(3, Auditing)), Idle: &Idle{Iterations: 3}}
	audit.Of(&b).Section, audit.Of(&b).Retries = 1, 3
	audit.Of(&b).Findings = []audit.Finding{{ID: "F1", State: audit.OpenFinding}}
	flags, _, err := ParseFlags(audit.Name, "--restart")
	if err != nil || !flags.Restart {
		t.Fatal(err)
	}
	r := Resume(b, Request{
		Flags: flags, Command: Command{Name: "sdd:audit", Args: "p.md --restart"},
	})
	number, most := r.SinceRestart(16)
	if number != 1 || most != 15 || audit.Of(&r).Retries != 0 || r.Idle != nil ||
		r.DollarsEstimate != 3*Dollar || r.MinutesElapsed != 40 || r.IterationsUsed != 15 ||
		r.RunID != "r" || audit.Of(&r).Section != 1 || len(audit.Of(&r).Findings) != 1 ||
		r.Command != "/sdd:audit p.md" {
		t.Errorf("%d of %d: %+v %+v", number, most, r, audit.Of(&r))
	}
	again := Resume(r, Request{Flags: flags, Command: Command{Name: "sdd:audit"}})
	if again.Ceilings.Iterations != 30 {
		t.Errorf("a second restart has %d iterations", again.Ceilings.Iterations)
	}
	flags, _, _ = ParseFlags(audit.Name, "p.md --max-iterations 0")
	endless := Budget{Skill: audit.Name, Ceilings: flags.Ceilings,
		KindRun: ofAudit(auditRun(1, Coding))}
	if _, most := endless.SinceRestart(1); most != 0 {
		t.Errorf("no ceiling is %d", most)
	}
}

func auditRun(sections int, phase Phase) *audit.Run {
	r := &audit.Run{Phase: phase, Drive: DriveStop, Base: "base"}
	for i := range sections {
		r.Sections = append(r.Sections, fmt.Sprint("section ", i+1))
	}
	return r
}

// A run of work or review has no payload, and a payload answers for its own kind.
func TestPayloads(t *testing.T) {
	none := Budget{Skill: Work}
	if none.Attempts() != (Attempts{}) {
		t.Errorf("work has a payload: %+v", none)
	}
	list := []tasks.Item{{Title: "one"}}
	for _, b := range []Budget{
		{Skill: tasks.Name, KindRun: ofTasks(&tasks.Run{Drive: DriveStop, Check: "make",
			CheckMinutes: 7, Tip: "t", List: list})},
		{Skill: audit.Name, KindRun: ofAudit(&audit.Run{Drive: DriveStop, Check: "make",
			CheckMinutes: 7, Tip: "t", Sections: []string{"one"}, Phase: Coding})},
	} {
		if a := b.Attempts(); a.Drive != DriveStop || a.Tip != "t" || a.Check != "make" ||
			a.Minutes != 7 {
			t.Errorf("%s: %+v", b.Skill, a)
		}
		for _, files := range []string{"before", "after"} {
			if BeginAttempt(&b, EntryFacts{Ignores: files}) == nil || b.Ignores != "before" {
				t.Errorf("%s: the files that leave others out are %q", b.Skill, b.Ignores)
			}
		}
	}
}

// A judged attempt has the commit that it left; a run file without its list sends no worker.
func TestJudgedAttempt(t *testing.T) {
	one := ofTasks(&tasks.Run{List: []tasks.Item{{}}})
	s := State{Run: &Budget{Skill: tasks.Name, KindRun: one},
		Tick: &Tick{Started: true, Attempt: &attempt.Attempt{Task: 1}}}
	k := &Known{Claim: Fetched(attempt.Claim{Blocked: true}),
		Evidence: Fetched(attempt.Evidence{Head: "h", Tree: "t"})}
	if hold := Judge(s, k); hold != nil || s.Tick.Attempt.EndHead != "h" {
		t.Errorf("%v, %+v", hold, s.Tick.Attempt)
	}
	s.Run.Status = Active
	e := Call{Sends: &Task{}}
	if d := RefuseWorker(e, s); d != nil {
		t.Errorf("refused: %+v", d)
	}
	if s.Run.Own = nil; RefuseWorker(e, s) == nil {
		t.Error("a worker is sent for nothing")
	}
}

func ofTasks(r *tasks.Run) KindRun { return KindRun{Own: r} }

func ofAudit(r *audit.Run) KindRun { return KindRun{Own: r} }

// A70: the conductor of an audit loop looks, and only its auditor reports.
func TestAConductorGivesNoVerdict(t *testing.T) {
	one := ofAudit(auditRun(1, Auditing))
	s := State{Run: &Budget{Skill: audit.Name, Status: Active, KindRun: one},
		Tick: &Tick{SessionID: "s1", Attempt: &attempt.Attempt{Phase: string(Auditing)}}}
	for reports, passes := range map[bool]bool{false: true, true: false} {
		k := &Known{Looks: Fetched(Looks{Only: true, Reports: reports})}
		o := Conduct(Call{Turn: Turn{Session: "s1"}, Tool: "Bash"}, s, k)
		if o.Nothing() != passes {
			t.Errorf("reports %v: %+v", reports, o)
		}
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
		s := State{Run: &Budget{KindRun: ofTasks(&tasks.Run{Drive: DriveStop})},
			Tick: &Tick{SessionID: "s1", Started: true, Attempt: &attempt.Attempt{Sent: true}}}
		k := Known{Bare: true, Worker: Fetched(attempt.Worker{Ours: true, Known: c.known})}
		o := Step(s, k, WorkerEnd{Turn: Turn{Session: "s1"}, Failure: c.failure})
		if got := o.Save.Tick; got == nil || got.Attempt.Stale != c.want {
			t.Errorf("%+v: %+v", c, o)
		}
	}
}

// T91: what an attempt itself shows of progress.
func TestProgressOfAnAttempt(t *testing.T) {
	for _, tt := range []struct {
		resolved, opened []string
		want             bool
	}{{nil, nil, false}, {[]string{"F1"}, nil, true}, {[]string{"F1"}, []string{"F1"}, false},
		{[]string{"F1", "F2"}, []string{"F1"}, true}} {
		a := &attempt.Attempt{Resolved: tt.resolved, Opened: tt.opened}
		if got := a.Closed(); got != tt.want {
			t.Errorf("%v of %v is progress: %v", tt.resolved, tt.opened, got)
		}
	}
	for _, tt := range []struct {
		end  attempt.Attempt
		want bool
	}{
		{attempt.Attempt{Head: "a"}, false}, {attempt.Attempt{Head: "a", EndHead: "a"}, false},
		{attempt.Attempt{Head: "a", EndHead: "b"}, true},
		{attempt.Attempt{Head: "a", EndHead: "a", EndTree: "t"}, true},
		{attempt.Attempt{Head: "a", EndTree: "t"}, false},
	} {
		if got := tt.end.Moved(); got != tt.want {
			t.Errorf("%+v: %v", tt.end, got)
		}
	}
}
