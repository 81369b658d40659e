package loop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// auditing is an audit loop's open iteration in a phase, with its worker at work.
func auditing(phase Phase) State {
	r := auditRun(3, phase)
	r.Section, r.Plan = 1, "p.md"
	run := &Budget{Skill: Audit, Status: Active, SessionID: "s", KindRun: ofAudit(r),
		LastPrompts: []string{"before"}}
	return State{Run: run, Tick: &Tick{SessionID: "s", Prompts: []string{"p"}, Started: true,
		Attempt: run.begin(EntryFacts{Head: "h", Branch: "b", Nonce: "n"})}}
}

// A67–A70: what each phase refuses of a worker's calls.
func TestAuditCalls(t *testing.T) {
	worker := Call{Turn: Turn{Session: "s", Prompt: "p"}, Agent: "w1", Tool: "Bash"}
	looks := Known{Bare: true, Looks: Fetched(Looks{Only: true})}
	pushes := Known{Bare: true, Reading: Fetched(Reading{Pushes: "git push"})}
	opens := Known{Reading: Fetched(Reading{Acts: []Act{{Kind: ActComment, Command: "x"},
		{Kind: ActOpen, Command: "gh pr create"}}})}
	opaque := func(reaches bool) Known {
		return Known{Reading: Fetched(Reading{Opaque: "$x", Reaches: reaches})}
	}
	may := func(s State) { AuditOf(s.Run).Post = &Post{Push: true} }
	with := func(change func(*Call)) Call {
		c := worker
		change(&c)
		return c
	}
	asks := with(func(c *Call) { c.Tool = "AskUserQuestion" })
	schedules := with(func(c *Call) { c.Schedules = &Later{"/x"} })
	for _, tt := range []struct {
		name   string
		phase  Phase
		change func(State)
		call   Call
		known  Known
		want   string // "" passes, "need" asks for facts
	}{
		{"a coder asks", Coding, nil, asks, Known{},
			"No question is asked during the coding of section 2"},
		{"a coder schedules", Coding, nil, schedules, Known{}, "Nothing is scheduled"},
		{"a coder works", Coding, nil, worker, looks, ""},
		{"a coder's call is read", Coding, nil, worker, Known{}, "need"},
		{"a coder pushes", Coding, nil, worker, pushes, "Not published: git push. Nothing leaves"},
		{"a fix pushes", Fixing, may, worker, pushes, "during the fix"},
		{"a coder opens a PR", Coding, nil, worker, opens, "Not published: gh pr create"},
		{"a coder comments", Coding, nil, worker, Known{Bare: true,
			Reading: Fetched(Reading{Acts: []Act{{Kind: ActComment, Command: "x"}}})}, ""},
		{"a coder's text could push", Coding, nil, worker, opaque(true), "it could push: $x"},
		{"a coder's text reaches no forge", Coding, nil, worker, opaque(false), ""},
		{"a post action pushes", PostAction, nil, worker, pushes, "during the post action"},
		{"one that does not say so pushes", PostAction,
			func(s State) { AuditOf(s.Run).Post = &Post{} }, worker, pushes, "Not published"},
		{"a post action that may push", PostAction, may, worker, Known{}, ""},
		{"an auditor looks", Auditing, nil, worker, looks, ""},
		{"an auditor's call is looked at", Auditing, nil, worker, Known{}, "need"},
		{"an auditor runs the check", FinalAuditing, nil, worker,
			Known{Looks: Fetched(Looks{Check: true})}, ""},
		{"an auditor writes", FinalAuditing, nil, worker, Known{Bare: true},
			"Bash is refused: the final audit changes nothing"},
		{"an auditor that has a check writes", Auditing,
			func(s State) { AuditOf(s.Run).Check = "make test" }, worker, Known{Bare: true},
			"read, run `make test` or report"},
		{"the conductor of an audit", Auditing, nil, with(func(c *Call) { c.Agent = "" }), looks,
			""},
		{"a driven auditor writes", Auditing,
			func(s State) { AuditOf(s.Run).Drive = DriveProcess },
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
		out := tt.call.ofKind(s, &tt.known)
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
	if out := worker.ofKind(State{Run: &Budget{}}, &Known{}); !out.Nothing() {
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
		{"another drive", func(_ *Call, s *State) { AuditOf(s.Run).Drive = DriveProcess }, false},
		{"a task loop", func(_ *Call, s *State) {
			s.Run.Own = &TaskRun{Drive: DriveStop}
		}, true},
	} {
		s := auditing(Coding)
		s.Tick = nil
		c := Call{Turn: Turn{Session: "s", Prompt: "before"}}
		tt.change(&c, &s)
		if got := c.between(s); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A49, A71, T61: what holds a coder, and how it is judged when it was held often enough.
func TestAuditedCoder(t *testing.T) {
	good := Evidence{Head: "h2", Branch: "b"}
	for _, tt := range []struct {
		name     string
		check    string
		evidence Evidence
		run      CheckRun
		want     string
	}{
		{"all committed", "", good, CheckRun{}, ""},
		{"a green check", "make", good, CheckRun{Head: "h2"}, ""},
		{"a red one", "make", good, CheckRun{Head: "h2", Exit: 1, Tail: "boom"},
			"the check is red: exit 1"},
		{"git fails", "", Evidence{Failed: "no"}, CheckRun{}, "git cannot tell: no"},
		{"another branch", "", Evidence{Head: "h2", Branch: "c"}, CheckRun{},
			"the branch is c, the loop began on b"},
		{"left behind", "", Evidence{Head: "h2", Branch: "b", Dirty: []string{"x", "y"}},
			CheckRun{}, "2 files not committed"},
	} {
		for holds := range maxHolds + 1 {
			s := auditing(Coding)
			AuditOf(s.Run).Check, s.Tick.Attempt.Holds = tt.check, holds
			k := Known{Evidence: Fetched(tt.evidence), Check: Fetched(tt.run)}
			need, hold := s.Run.Own.Judge(s, &k)
			held := tt.want != "" && holds < maxHolds
			j := s.Tick.Attempt.Judged
			if need || (hold != nil) != held || (j == nil) != held {
				t.Errorf("%s, held %d times: need %v, %v, %+v", tt.name, holds, need, hold, j)
				continue
			}
			if held && !strings.Contains(hold.Text, tt.want) {
				t.Errorf("%s: %q", tt.name, hold.Text)
			}
			if j != nil && (j.Verdict != Ended || j.Why != tt.want ||
				(j.Check != nil) != (tt.check != "")) {
				t.Errorf("%s: %+v", tt.name, j)
			}
		}
	}
	s := auditing(Coding)
	AuditOf(s.Run).Check = "make"
	var k Known
	if need, _ := s.Run.Own.Judge(s, &k); !need || !k.Evidence.Asked() || k.Check.Asked() {
		t.Errorf("at first it needs %v", k)
	}
	k = Known{Evidence: Fetched(good)}
	if need, _ := s.Run.Own.Judge(s, &k); !need || !k.Check.Asked() {
		t.Errorf("then it needs %v", k)
	}
	s, k = auditing(PostAction), Known{}
	if need, _ := s.Run.Own.Judge(s, &k); !need || !k.Claim.Asked() {
		t.Errorf("a post action needs %v", k)
	}
	k = Known{Claim: Fetched(ClaimSeen{Last: "done"})}
	if _, hold := s.Run.Own.Judge(s, &k); hold != nil || s.Tick.Attempt.Last != "done" {
		t.Errorf("%v %+v", hold, s.Tick.Attempt)
	}
}

// A20, A40, A41, A66: a phase begins with its section, its commit and its name.
func TestAuditBegins(t *testing.T) {
	for sections, want := range map[int]int{1: 15, 3: 15, 4: 19, 24: 99} {
		if got := AuditIterations(sections); got != want {
			t.Errorf("%d sections have %d iterations", sections, got)
		}
	}
	s := auditing(Auditing)
	AuditOf(s.Run).Base, AuditOf(s.Run).Retries = "", 2
	a := s.Run.begin(EntryFacts{Head: "h", Branch: "b", Nonce: "n", Tree: "t"})
	want := &Attempt{PhaseAttempt: in(Auditing), Task: 2, Of: 3, Try: 3,
		Title: "section 2", Token: "auditing-n", Head: "h", Tree: "t", Branch: "b"}
	if d := cmp.Diff(want, a); d != "" {
		t.Error(d)
	}
	r := AuditOf(s.Run)
	if r.Base != "h" || r.SectionBase != "h" || r.Branch != "b" {
		t.Errorf("%+v", r)
	}
	if r.Begin(&Attempt{Head: "other"}); r.Base != "h" {
		t.Error("a later phase moves the run's base")
	}
	for _, at := range []int{-1, 3} {
		if r.Section = at; r.Begin(&Attempt{}) {
			t.Errorf("section %d begins", at)
		}
	}
	if r.Section = 0; !r.Begin(&Attempt{}) {
		t.Error("the first section does not begin")
	}
	r.Section, r.Phase = 1, Complete
	if r.Begin(&Attempt{}) {
		t.Error("a complete run begins")
	}
	names := map[Phase]string{Coding: "the coding of section 2", Auditing: "the audit of section 2",
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
	if one := Coding.In(1, 1); one != "the coding" {
		t.Error(one)
	}
	if task := (&TaskRun{}).Name(&Attempt{Task: 4}); task != "task 4" {
		t.Error(task)
	}
}

// A23, A45: the close moves the run on and says so in the line; an iteration without a body, or of
// another phase, moves nothing.
func TestAuditClose(t *testing.T) {
	closed := func(change func(State)) (*AuditLine, *AuditRun) {
		s := auditing(Auditing)
		s.Tick.Attempt.Judged = &Judgement{Verdict: Clean, SHA: "x"}
		s.Tick.Attempt.Opened, s.Tick.Attempt.Resolved = []string{"F2"}, []string{"F1"}
		change(s)
		line := &Iteration{KindLine: s.Run.foldAttempt(s.Tick, Ending{})}
		return PhaseOf(line), AuditOf(s.Run)
	}
	l, r := closed(func(State) {})
	want := &AuditLine{Phase: Auditing, Section: 2, Judgement: Judgement{Verdict: Clean, SHA: "x"},
		Opened: []string{"F2"}, Resolved: []string{"F1"}}
	if d := cmp.Diff(want, l); d != "" || r.Phase != Coding || r.Section != 2 ||
		r.SectionBase != "x" || r.Audits != 1 {
		t.Errorf("%s %+v", d, r)
	}
	l, r = closed(func(s State) { AuditOf(s.Run).Phase = Fixing })
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
	if s.Run.Own = nil; s.Run.foldAttempt(s.Tick, Ending{}).Own != nil {
		t.Error("another kind of loop has a phase")
	}
}

// fold keeps what a phase leaves: the check, outages in a row, retries, reasons, the verdict.
func TestAuditFoldKeeps(t *testing.T) {
	r := auditRun(2, Auditing)
	r.Checked = &CheckRun{Exit: 1}
	check := &CheckRun{Head: "h"}
	end := func(j Judgement) { r.count(&Attempt{}, j) }
	end(Judgement{Verdict: Outage, Why: "529"})
	if r.Outages != 1 || r.Retries != 0 || r.Reason != "529" || r.Audits != 0 || r.Verdict != nil ||
		r.Checked.Exit != 1 {
		t.Errorf("%+v", r)
	}
	end(Judgement{Verdict: Outage})
	end(Judgement{Verdict: Undecided, Why: "no verdict"})
	if r.Outages != 0 || r.Retries != 1 || r.Reason != "no verdict" || r.Audits != 0 {
		t.Errorf("%+v", r)
	}
	end(Judgement{Verdict: Outage})
	if r.Retries != 1 {
		t.Errorf("an outage gives a retry back: %+v", r)
	}
	end(Judgement{Verdict: Dirty, Why: openFindings, SHA: "s"})
	if r.Phase != Auditing { // nothing was open: a person may have accepted it
		end(Judgement{Verdict: Ended, Check: check})
	}
	if r.Section != 1 || r.Checked != check {
		t.Errorf("%+v", r)
	}
	r.Found.Warnings = 1
	end(Judgement{Verdict: Dirty, Why: openFindings, SHA: "d"})
	if r.Phase != Coding || r.Section != 1 || r.Reason != "" || r.Verdict.Word != dirtyWord ||
		r.Verdict.SHA != "d" {
		t.Errorf("%+v", r)
	}
	end(Judgement{Verdict: Ended})
	end(Judgement{Verdict: Dirty, Why: "1 file not committed", SHA: "d"})
	if r.Reason != "1 file not committed" {
		t.Errorf("%+v", r)
	}
	end(Judgement{Verdict: Ended})
	end(Judgement{Verdict: Clean, SHA: "c"})
	if r.Phase != FinalAuditing || r.FinalDone || r.Verdict.Word != cleanWord ||
		r.SectionBase != "c" {
		t.Errorf("%+v", r)
	}
	if end(Judgement{Verdict: Clean, SHA: "c"}); r.Phase != Complete || !r.FinalDone {
		t.Errorf("%+v", r)
	}
	f := &Facts{Run: &Budget{KindRun: ofAudit(r)}}
	if got := auditClear(f); got !=
		"The audit is clear. 2 of 2 sections clean, 0 open bugs, 1 open warning" {
		t.Error(got)
	}
	if got := tellClear(f); !strings.HasSuffix(got,
		"phase complete; fires once all is clean") {
		t.Error(got)
	}
	for _, run := range []*AuditRun{auditRun(1, Coding), auditRun(1, Auditing)} {
		f.Run.Own = run
		if auditClear(f)+noVerdicts(Auditing)(f)+noVerdicts(FinalAuditing)(f) != "" {
			t.Errorf("%+v ends", run)
		}
	}
	last := auditRun(2, FinalAuditing)
	last.Retries, last.Reason = 3, "silence"
	f.Run.Own = last
	if got := noVerdicts(FinalAuditing)(f); noVerdicts(Auditing)(f) != "" ||
		got != "3 audits in a row ended without a verdict: silence" {
		t.Error(got)
	}
}

// A73: a person is asked about what will have been open at three audits, once the third is dirty.
func TestRecurringDue(t *testing.T) {
	s := auditing(Auditing)
	r := AuditOf(s.Run)
	r.Audits = 2
	r.Findings = []Finding{
		{ID: "F1", File: "a", Severity: Bug, State: OpenFinding, Description: "old"},
		{ID: "F2", File: "b", Severity: Bug, State: OpenFinding, Since: 1},
		{ID: "F3", File: "c", Severity: Bug, State: ResolvedFinding},
	}
	r.Tally()
	f := &Facts{Run: s.Run, Tick: s.Tick}
	if len(recurringDue(f)) != 0 {
		t.Error("asked before the audit is judged")
	}
	s.Tick.Attempt.Judged = &Judgement{Verdict: Dirty}
	due := recurringDue(f)
	const asked = "Finding F1 is open after 3 audits: F1 bug a: old. Try again, accept it, or " +
		"stop the loop?"
	if len(due) != 1 || due[0].Target != "F1" || due[0].Question != asked {
		t.Errorf("%+v", due)
	}
	if got := tellRecurring(f); got != "the oldest open finding was there at 2 audits; asks at 3" {
		t.Error(got)
	}
	if !s.Run.LooksAtFindings(s.Tick) {
		t.Error("the question is asked without its finding")
	}
	for name, change := range map[string]func(*Facts){
		"a clean audit": func(f *Facts) { f.Tick.Attempt.Judged = &Judgement{Verdict: Clean} },
		"a coder":       func(f *Facts) { f.Tick.Attempt.Phase = Coding },
		"no attempt":    func(f *Facts) { f.Tick.Attempt = nil },
	} {
		c := State{Run: s.Run, Tick: s.Tick}.clone()
		f := &Facts{Run: c.Run, Tick: c.Tick}
		if change(f); len(recurringDue(f)) != 0 {
			t.Errorf("asked after %s", name)
		}
		if looks := f.Run.LooksAtFindings(f.Tick); looks != (name == "a clean audit") {
			t.Errorf("%s: findings are read: %v", name, looks)
		}
	}
	waits := []Gate{{Name: RecurringGate}}
	if !(&Budget{KindRun: ofAudit(r), Pending: waits}).LooksAtFindings(nil) ||
		!(&Budget{KindRun: ofAudit(r)}).LooksAtFindings(&Tick{Pending: waits}) {
		t.Error("a question that waits is answered without its finding")
	}
	if (&Budget{Pending: waits}).LooksAtFindings(nil) {
		t.Error("another kind of loop reads findings")
	}
	r.Findings = nil
	if r.Tally(); r.recurs() || tellRecurring(f) !=
		"the oldest open finding was there at 0 audits; asks at 3" {
		t.Error("asked about nothing")
	}
	r.Audits = 9 // since nothing is open
	if r.recurs() || !strings.Contains(tellRecurring(f), "at 0 audits") {
		t.Error("asked about nothing, later")
	}
	if got := sentence("a b."); got != "a b." {
		t.Errorf("%q", got)
	}
}

// A29: a finding on one line, and what a report says that it did.
func TestFindingTexts(t *testing.T) {
	for want, f := range map[string]Finding{
		"F1 bug a.go:3: it\tis  wrong (when: on\nFriday)": {ID: "F1", File: "a.go", Line: 3,
			Severity: Bug, Description: "it\tis  wrong", Scenario: "on\nFriday"},
		"F2 warning a.go: slow": {ID: "F2", File: "a.go", Severity: Warn, Description: "slow"},
	} {
		if got := f.String(); got != strings.Join(strings.Fields(want), " ") {
			t.Error(got)
		}
	}
	take := func(s State, r Report, head string) string {
		if a := s.Tick.Attempt; a != nil && a.Phase.Audits() && AuditOf(s.Run) != nil {
			if _, err := (&Facts{Run: s.Run, Tick: s.Tick}).TakeAudit(r, head, false); err != nil {
				return "error: " + err.Error()
			}
		}
		said, err := s.Run.AuditTold(s.Tick, r, "")
		if err != nil {
			return "error: " + err.Error()
		}
		return said
	}
	bug := FoundOne{File: "a", Severity: Bug, Description: "x"}
	found := told(AuditReport{Findings: []FoundOne{bug}})
	clean := told(AuditReport{Verdict: "clean"})
	resolved := told(AuditReport{Resolved: []string{"F1"}})
	sent := auditing(Auditing)
	sent.Tick.Attempt.Sent = true
	for _, tt := range []struct {
		name   string
		state  State
		report Report
		head   string
		want   string
	}{
		{"nothing of an audit", auditing(Coding), Report{Note: "x"}, "h", ""},
		{"of a coder", auditing(Coding), clean, "h",
			"error: findings, resolved and verdict are reported by an audit, " +
				"and this is the coding"},
		{"of a coder, resolved alone", auditing(Coding), resolved, "h",
			"error: findings"},
		{"of another loop", State{Run: &Budget{Skill: Work}, Tick: &Tick{}},
			found, "h", "error: findings, resolved and verdict are " +
				"reported by an audit, and this is an iteration of work"},
		{"before the auditor is sent", auditing(Auditing), clean, "h",
			"error: no auditor is at work"},
		{"without a commit", sent, clean, "",
			"error: a verdict is about a commit"},
		{"clean", sent, clean, "1234567890",
			"1 of 3 sections clean, 0 open bugs, 0 open warnings; verdict clean about 1234567"},
		{"clean beside a bug", sent, told(AuditReport{Findings: []FoundOne{bug}, Verdict: "clean"}),
			"h",
			"opened F1; 1 of 3 sections clean, 1 open bug, 0 open warnings; an open bug makes " +
				"the " +
				"verdict dirty; verdict clean about h"},
	} {
		if got := take(tt.state, tt.report, tt.head); got != tt.want &&
			(tt.want == "" || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	for name, s := range map[string]State{
		"no phase": {Run: &Budget{Skill: Audit, KindRun: ofAudit(auditRun(1, Auditing))},
			Tick: &Tick{}},
		"no run": {Run: &Budget{Skill: Audit},
			Tick: &Tick{Attempt: &Attempt{PhaseAttempt: in(Auditing), Sent: true}}},
	} {
		if got := take(s, clean, "h"); !strings.HasSuffix(got,
			"and this is an iteration of audit") {
			t.Errorf("%s: %q", name, got)
		}
	}
	again := auditing(Auditing)
	again.Tick.Attempt.Sent = true
	if got := take(again, found, ""); got[:9] != "opened F1" {
		t.Error(got) // findings alone need no commit
	}
	take(again, resolved, "h")
	if a := again.Tick.Attempt; !cmp.Equal(a.Resolved, []string{"F1"}) {
		t.Errorf("%+v", a)
	}
	again.Tick.Attempt.Opened = nil
	take(again, found, "h")
	if a := again.Tick.Attempt; !cmp.Equal(a.Opened, []string{"F1"}) || len(a.Resolved) != 0 {
		t.Errorf("%+v", a)
	}
	again.Tick.Attempt.Task = 3 // the same words in another section are another finding
	if take(again, found, "h"); AuditOf(again.Run).Found.Bugs != 2 {
		t.Errorf("%+v", AuditOf(again.Run).Findings)
	}
	driven := auditing(Auditing)
	AuditOf(driven.Run).Drive = DriveProcess
	if got := take(driven, clean, "h"); strings.HasPrefix(got, "error") {
		t.Error(got)
	}
	sent.Tick.Attempt.Judged = &Judgement{}
	got := take(sent, clean, "h")
	if !strings.HasPrefix(got, "error: no auditor") {
		t.Error(got)
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
		b := Budget{Skill: Work, BacklogRun: BacklogRun{MaxIdle: 2}, DollarsEstimate: 3 * Dollar,
			Idle: &Idle{Iterations: 1, Since: "abc", Before: Dollar}}
		end := Ending{Around: Around{Trail: "abc x"}}
		tick := &Tick{Started: true, BacklogTick: BacklogTick{Trail: end.Trail}}
		tt.change(tick, &end)
		b.foldIdle(tick, &Budget{DollarsEstimate: 2 * Dollar}, end)
		got := 0
		if b.Idle != nil {
			got = b.Idle.Iterations
		}
		if got != tt.want {
			t.Errorf("%s: %d", tt.name, got)
		}
		if fires := noProgress(&Facts{Run: &b}) != ""; fires != (got == 2) {
			t.Errorf("%s: fires %v", tt.name, fires)
		}
	}
	b := Budget{Skill: Work, BacklogRun: BacklogRun{MaxIdle: 2}, DollarsEstimate: 3 * Dollar}
	tick := &Tick{Started: true, BacklogTick: BacklogTick{Trail: "abcdefghi x"}}
	end := Ending{Around: Around{Trail: tick.Trail}}
	b.foldIdle(tick, &Budget{DollarsEstimate: 2 * Dollar}, end)
	f := &Facts{Run: &b}
	want := "nothing changed for 1 iteration, $1.00 since abcdefg; fires after 2"
	if got := b.Standstill(); got != want || tellIdle(f) != want {
		t.Error(got)
	}
	if b.Idle.Since = ""; !strings.Contains(b.Standstill(), "since then") {
		t.Error(b.Standstill())
	}
	for _, idle := range []*Idle{nil, {}} {
		b.Idle = idle
		if got := tellIdle(f); b.Standstill() != "" ||
			got != "the last iteration changed something; fires after 2 that do not" {
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
		3: {KindRun: ofAudit(&AuditRun{})}, 4: {KindRun: ofTasks(&TaskRun{MaxTries: 5})},
		7: {BacklogRun: BacklogRun{MaxIdle: 7}},
	} {
		if got := b.maxIdle(); got != most {
			t.Errorf("%d, want %d", got, most)
		}
	}
}

// T91: what counts as progress of a phase or a task, beside commits and files.
func TestIdleAdvances(t *testing.T) {
	red, green := &CheckRun{Exit: 1}, &CheckRun{}
	verdict := func(word string) *AuditVerdict { return &AuditVerdict{Word: word} }
	for _, tt := range []struct {
		name     string
		was, now *AuditRun
		want     bool
	}{
		{"nothing", &AuditRun{}, &AuditRun{}, false},
		{"a clean audit", &AuditRun{}, &AuditRun{Audits: 1, Verdict: verdict(cleanWord)}, true},
		{"a dirty one", &AuditRun{}, &AuditRun{Audits: 1, Verdict: verdict(dirtyWord)}, false},
		{"an earlier clean one", &AuditRun{Audits: 1},
			&AuditRun{Audits: 1, Verdict: verdict(cleanWord)}, false},
		{"red to green", &AuditRun{Checked: red}, &AuditRun{Checked: green}, true},
		{"green to green", &AuditRun{Checked: green}, &AuditRun{Checked: green}, false},
		{"green to red", &AuditRun{Checked: green}, &AuditRun{Checked: red}, false},
		{"red to red", &AuditRun{Checked: red}, &AuditRun{Checked: red}, false},
		{"the first check", &AuditRun{}, &AuditRun{Checked: green}, false},
	} {
		if got := tt.now.Advanced(tt.was); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	for _, tt := range []struct {
		resolved, opened []string
		want             bool
	}{{nil, nil, false}, {[]string{"F1"}, nil, true}, {[]string{"F1"}, []string{"F1"}, false},
		{[]string{"F1", "F2"}, []string{"F1"}, true}} {
		a := &Attempt{PhaseAttempt: PhaseAttempt{Resolved: tt.resolved, Opened: tt.opened}}
		if got := a.closed(); got != tt.want {
			t.Errorf("%v of %v is progress: %v", tt.resolved, tt.opened, got)
		}
	}
	first := &TaskRun{}
	one := &TaskRun{List: []TaskItem{{Result: Unbroken}}}
	if !one.Advanced(first) || first.Advanced(first) {
		t.Error("a task that is done is progress")
	}
	for _, tt := range []struct {
		end  Attempt
		want bool
	}{
		{Attempt{Head: "a"}, false}, {Attempt{Head: "a", EndHead: "a"}, false},
		{Attempt{Head: "a", EndHead: "b"}, true},
		{Attempt{Head: "a", EndHead: "a", EndTree: "t"}, true},
		{Attempt{Head: "a", EndTree: "t"}, false},
	} {
		if got := tt.end.moved(); got != tt.want {
			t.Errorf("%+v: %v", tt.end, got)
		}
	}
}

// What no one looked at is judged by the beginning of the next attempt.
func TestIdleLooksBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		next EntryFacts
		want string
	}{
		{"as it was", EntryFacts{Head: "a", Tree: "t"}, "2"},
		{"another commit", EntryFacts{Head: "b", Tree: "t"}, "none"},
		{"another tree", EntryFacts{Head: "a"}, "none"},
		{"git cannot tell", EntryFacts{Head: "a", Tree: "t", Unread: "no"}, "1"},
	} {
		b := &Budget{Idle: &Idle{Iterations: 1, Unseen: &Mark{"a", "t"}}}
		b.lookBack(tt.next)
		got := "none"
		if b.Idle != nil {
			got = fmt.Sprint(b.Idle.Iterations)
			if b.Idle.Unseen != nil {
				t.Errorf("%s: it is looked at twice", tt.name)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
	for _, idle := range []*Idle{nil, {Iterations: 1}} {
		b := &Budget{Idle: idle}
		if b.lookBack(EntryFacts{Head: "x"}); b.Idle != idle {
			t.Error("an attempt that was looked at is counted again")
		}
	}
}

// L17, L18: which types are critics, and when a round is one too many.
func TestCritics(t *testing.T) {
	for name, want := range map[string]string{"": "", "worker": "", "sdd:Archimedes": "archimedes",
		"a:b:style-critic": "style-critic", "critique": "critique", "archimedes2": ""} {
		if got := (&Task{Type: name}).critic(); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	s := auditing(Coding)
	call := Call{Turn: Turn{Session: "s", Prompt: "p"}, ID: "1", Sends: &Task{Type: "critic"}}
	for n := range 4 {
		call.ID = fmt.Sprint(n)
		if d := call.critique(s); (d != nil) != (n == 3) {
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
		if d := c.critique(s); d != nil {
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
		{"an outage", func(t *Tick) { t.Attempt.Judged.Verdict = Outage }, 0},
		{"another commit", func(t *Tick) { t.Attempt.EndHead = "i" }, 0},
	} {
		s := auditing(Coding)
		a := s.Tick.Attempt
		a.Sent, a.EndHead, a.Judged = true, "h", &Judgement{Verdict: Ended}
		tt.change(s.Tick)
		s.Run.foldIdle(s.Tick, &Budget{KindRun: ofAudit(AuditOf(s.Run))}, Ending{})
		got := 0
		if s.Run.Idle != nil {
			got = s.Run.Idle.Iterations
		}
		if got != tt.want {
			t.Errorf("%s: %d", tt.name, got)
		}
	}
}

// A75: once a person has accepted all that was open, the last audit is clean where its commit is
// checked out as it was, and nothing else was wrong.
func TestAcceptedFindingsSettleTheAudit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		phase  Phase
		change func(*AuditRun)
		head   string
		tree   string
		want   Phase
	}{
		{"of a section", Coding, nil, "h", "", Coding},
		{"of the whole", Fixing, nil, "h", "", Complete},
		{"another commit", Fixing, nil, "other", "", Fixing},
		{"a changed file", Fixing, nil, "h", "t", Fixing},
		{"another is open", Fixing, func(r *AuditRun) { r.Found.Warnings = 1 }, "h", "", Fixing},
		{"more was wrong", Fixing, func(r *AuditRun) { r.Reason = "a file" }, "h", "", Fixing},
		{"no check of it", Fixing, func(r *AuditRun) { r.Check = "x" }, "h", "", Fixing},
		{"no verdict", Fixing, func(r *AuditRun) { r.Verdict = nil }, "h", "", Fixing},
		{"it is clean", Fixing, func(r *AuditRun) { r.Verdict.Word = cleanWord }, "h", "", Fixing},
		{"in an audit", FinalAuditing, nil, "h", "", FinalAuditing},
	} {
		r := AuditOf(auditing(tt.phase).Run)
		r.Audits, r.Verdict, r.Check, r.Post = 3, &AuditVerdict{Word: dirtyWord, SHA: "h"}, "", nil
		if tt.change != nil {
			tt.change(r)
		}
		section := r.Section
		got := r.clone()
		got.acceptLast(tt.head, tt.tree)
		if moved := !cmp.Equal(got, r); got.Phase != tt.want || got.Audits != 3 ||
			moved != (tt.name[:3] == "of ") || moved && got.Verdict.Word != cleanWord ||
			got.Section != section && tt.phase != Coding {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// A73: two more audits look at a finding, whether a person answers at the audit's own end or later.
func TestAgainMeansTwoMoreAudits(t *testing.T) {
	for _, tt := range []struct {
		name    string
		attempt *Attempt
		audits  int // that have ended
	}{{"at its end", &Attempt{PhaseAttempt: in(Auditing)}, 2}, {"later", nil, 3},
		{"as the next phase begins", &Attempt{PhaseAttempt: in(Coding)}, 3}} {
		run := &Budget{KindRun: ofAudit(&AuditRun{Audits: tt.audits, Phase: Auditing,
			Findings: []Finding{{ID: "F1", State: OpenFinding}}})}
		applyRecurring(run, &Tick{Attempt: tt.attempt}, Gate{Target: "F1"}, "again", "again")
		for audits, want := range map[int]bool{3: false, 4: true} {
			if AuditOf(run).Audits = audits; AuditOf(run).recurs() != want {
				t.Errorf("%s: the audit after %d asks: %v", tt.name, audits, !want)
			}
		}
	}
}
