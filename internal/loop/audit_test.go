package loop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seedDiagram are the edges of the seed's state diagram between phases. Fixing is its "Coding" in
// fix mode. Two of its labels stand for two events each. "Auditing --> Auditing: next section" is
// drawn there, while its text sends the next section to coding, as here.
const seedDiagram = `
coding --> auditing: ended
auditing --> coding: dirty
auditing --> coding: next
auditing --> final_auditing: last
auditing --> complete: clear
final_auditing --> fix: dirty
fix --> final_auditing: ended
final_auditing --> post_action: clear-post
post_action --> complete: ended
final_auditing --> complete: clear
`

// ours are the edges that the seed has in words only.
const ours = `
auditing --> post_action: clear-post
auditing --> auditing: no-verdict
final_auditing --> final_auditing: no-verdict
`

// A16: the table is the seed's diagram.
func TestPhases(t *testing.T) {
	want := strings.Split(strings.TrimSpace(seedDiagram+strings.TrimPrefix(ours, "\n")), "\n")
	var got []string
	for _, e := range phases {
		got = append(got, fmt.Sprintf("%s --> %s: %s", e.from, e.to, e.on))
		if to := e.from.after(e.on); to != e.to {
			t.Errorf("%s after %s is %s", e.from, e.on, to)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("edges (-seed +table):\n%s", d)
	}
	all := []Phase{Coding, Auditing, FinalAuditing, Fixing, PostAction, Complete}
	events := []phaseEvent{ended, nextSection, lastSection, allClear, clearToPost, dirty, noVerdict,
		""}
	edges := 0
	for _, p := range all {
		for _, on := range events {
			if to := p.after(on); to != p || on == noVerdict && p.Audits() {
				edges++
			}
		}
	}
	if edges != len(phases) {
		t.Errorf("%d pairs move the phase, the table has %d", edges, len(phases))
	}
}

func auditRun(sections int, phase Phase) *AuditRun {
	r := &AuditRun{Phase: phase, Drive: DriveStop, Base: "base"}
	for i := range sections {
		r.Sections = append(r.Sections, fmt.Sprint("section ", i+1))
	}
	return r
}

func walk(r *AuditRun, list ...Judgement) (names []string) {
	for _, j := range list {
		r.count(&Attempt{PhaseAttempt: PhaseAttempt{Last: "words"}}, j)
		names = append(names, fmt.Sprintf("%s %d", r.Phase, r.Section+1))
	}
	return names
}

// A45–A51, A57: whole walks by judgements.
func TestAuditFold(t *testing.T) {
	end, clean := Judgement{Verdict: Ended}, Judgement{Verdict: Clean, SHA: "s"}
	bad := Judgement{Verdict: Dirty, Why: "2 files not committed"}
	none, outage := Judgement{Verdict: Undecided}, Judgement{Verdict: Outage}
	if d := cmp.Diff([]string{"auditing 1", "coding 1", "auditing 1", "coding 2", "auditing 2",
		"final_auditing 2", "fix 2", "final_auditing 2", "complete 2"},
		walk(auditRun(2, Coding), end, bad, end, clean, end, clean, bad, end, clean)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"auditing 1", "auditing 1", "auditing 1", "complete 1"},
		walk(auditRun(1, Coding), end, none, outage, clean)); d != "" {
		t.Error(d)
	}
	posts := auditRun(1, Auditing)
	posts.Post = &Post{Prompt: "x"}
	if d := cmp.Diff([]string{"post_action 1", "complete 1"}, walk(posts, clean, outage)); d != "" {
		t.Error(d)
	}
	for _, j := range []Judgement{end, outage} {
		r := auditRun(1, Auditing)
		r.Post = &Post{Prompt: "x"}
		if walk(r, clean, j); (r.Post.Summary != "") != (j.Verdict == Ended) || !r.FinalDone {
			t.Errorf("%s: %+v", j.Verdict, r)
		}
	}
	r := auditRun(1, Auditing)
	for range 3 {
		r.count(&Attempt{}, none)
	}
	run := &Budget{KindRun: ofAudit(r), Skill: Audit, Status: Active}
	if noVerdicts(Auditing)(&Facts{Run: run}) == "" ||
		noVerdicts(FinalAuditing)(&Facts{Run: run}) != "" {
		t.Error("three audits without a verdict continue")
	}
	if r.count(&Attempt{}, clean); r.Retries != 0 {
		t.Error("a verdict leaves the count of retries")
	}
}

// A33, A71, A75: what an auditor's word is worth.
func TestVerdicts(t *testing.T) {
	bug := Finding{ID: "F1", Severity: Bug, State: OpenFinding}
	warning := Finding{ID: "F2", Severity: Warn, State: OpenFinding}
	for _, tt := range []struct {
		name     string
		verdict  *AuditVerdict
		findings []Finding
		evidence Evidence
		want     TaskDone
	}{
		{"no report", nil, nil, Evidence{Head: "a"}, Undecided},
		{"clean", &AuditVerdict{Word: "clean", SHA: "a"}, nil, Evidence{Head: "a"}, Clean},
		{"clean beside a warning", &AuditVerdict{Word: "clean", SHA: "a"}, []Finding{warning},
			Evidence{Head: "a"}, Clean},
		{"clean beside a bug", &AuditVerdict{Word: "clean", SHA: "a"}, []Finding{bug},
			Evidence{Head: "a"}, Dirty},
		{"clean of another commit", &AuditVerdict{Word: "clean", SHA: "a"}, nil,
			Evidence{Head: "b"}, Undecided},
		{"clean, and a file is not committed", &AuditVerdict{Word: "clean", SHA: "a"}, nil,
			Evidence{Head: "a", Dirty: []string{"x"}}, Dirty},
		{"clean of what no one looked at", &AuditVerdict{Word: "clean", SHA: "a"}, nil,
			Evidence{Head: "a", Changed: []string{"a.go"}}, Undecided},
		{"dirty", &AuditVerdict{Word: "dirty", SHA: "a"}, []Finding{warning},
			Evidence{Head: "a"}, Dirty},
		{"git fails", &AuditVerdict{Word: "clean", SHA: "a"}, nil, Evidence{Failed: "no"},
			Undecided},
	} {
		r := auditRun(1, Auditing)
		r.Findings = tt.findings
		r.Tally()
		a := &Attempt{Task: 1, Holds: maxHolds,
			PhaseAttempt: PhaseAttempt{Phase: Auditing, Verdict: tt.verdict}}
		s := State{Run: &Budget{KindRun: ofAudit(r), Skill: Audit}, Tick: &Tick{Attempt: a}}
		k := Known{Evidence: Fetched(tt.evidence)}
		if need, hold := s.Run.Own.Judge(s, &k); need || hold != nil || a.Judged == nil {
			t.Errorf("%s: need %v, hold %v", tt.name, need, hold)
		} else if why := a.Judged.Why; a.Judged.Verdict != tt.want ||
			tt.evidence.Failed != "" && why != "git cannot tell: no" {
			t.Errorf("%s: %+v", tt.name, a.Judged)
		}
	}
}

// A29–A32, A73, A74: ids are the program's own, and a finding that comes back is the same one.
func TestFindings(t *testing.T) {
	run := &Budget{Skill: Audit, KindRun: ofAudit(auditRun(1, Auditing))}
	tick := &Tick{Iteration: 2, Attempt: &Attempt{PhaseAttempt: in(Auditing), Task: 1, Sent: true}}
	commits := 0 // each report is about another commit
	take := func(r Report) string {
		commits++
		_, err := (&Facts{Run: run, Tick: tick}).TakeAudit(r, fmt.Sprint(commits), false)
		if err != nil {
			return err.Error()
		}
		return ""
	}
	panics := FoundOne{File: "a.go", Line: 3, Severity: Bug, Description: "panics at line 3"}
	take(told(AuditReport{Findings: []FoundOne{panics}, Verdict: "dirty"}))
	panics.Line, panics.Description = 9, "Panics at line 9"
	take(told(AuditReport{Findings: []FoundOne{panics}}))
	if list := AuditOf(run).Findings; len(list) != 1 || list[0].ID != "F1" || list[0].Line != 9 {
		t.Fatalf("%+v", list)
	}
	take(told(AuditReport{Resolved: []string{"F1"}, Verdict: "clean"}))
	if f := AuditOf(run).Findings[0]; f.State != ResolvedFinding || f.Until != 2 {
		t.Errorf("%+v", f)
	}
	take(told(AuditReport{Findings: []FoundOne{panics}}))
	if f := AuditOf(run).Findings[0]; f.State != OpenFinding || len(AuditOf(run).Findings) != 1 {
		t.Errorf("%+v", f)
	}
	before := *AuditOf(run)
	for want, r := range map[string]Report{
		`no finding "F9"`: told(AuditReport{Resolved: []string{"F9"},
			Findings: []FoundOne{{File: "b.go", Severity: Bug}}}),
		"no finding is open":     told(AuditReport{Resolved: []string{"F1"}, Verdict: "dirty"}),
		"findings are open, and": told(AuditReport{Findings: manyFindings(MaxFindings)}),
	} {
		if said := take(r); !strings.Contains(said, want) {
			t.Errorf("want %q, got %q", want, said)
		}
		if !cmp.Equal(&before, AuditOf(run)) {
			t.Error("a refused report changed the run")
		}
	}
	applyRecurring(run, tick, Gate{Target: "F1"}, "accept", "accept")
	take(told(AuditReport{Findings: []FoundOne{panics}}))
	if AuditOf(run).Findings[0].State != AcceptedFinding || AuditOf(run).open() != 0 {
		t.Error("an accepted finding is open again")
	}
}

func manyFindings(n int) (list []FoundOne) {
	for i := range n {
		words := strings.Repeat("z", i+1)
		list = append(list, FoundOne{File: "a.go", Severity: Warn, Description: words})
	}
	return list
}

// A33, A73: the budget's counts are those of the findings, and how long one is open is told by the
// audits that ended.
func TestTally(t *testing.T) {
	run := &Budget{Skill: Audit, KindRun: ofAudit(auditRun(1, Auditing))}
	tick := &Tick{Attempt: &Attempt{PhaseAttempt: in(Auditing), Task: 1, Sent: true}}
	commits := 0
	audit := func(found []FoundOne, resolved ...string) {
		r, head := told(AuditReport{Findings: found, Resolved: resolved}), fmt.Sprint(commits)
		commits++
		if _, err := (&Facts{Run: run, Tick: tick}).TakeAudit(r, head, false); err != nil {
			t.Fatal(err)
		}
	}
	ends := func() {
		AuditOf(run).count(tick.Attempt, Judgement{Verdict: Dirty, Why: openFindings})
		AuditOf(run).Phase = Auditing
	}
	bug := FoundOne{File: "a", Severity: Bug, Description: "x"}
	warning := FoundOne{File: "b", Severity: Warn, Description: "y"}
	audit([]FoundOne{bug})
	ends()
	audit([]FoundOne{warning})
	if d := cmp.Diff(Tally{Bugs: 1, Warnings: 1}, AuditOf(run).Found); d != "" {
		t.Error(d)
	}
	ends()
	if !AuditOf(run).recurs() {
		t.Error("a finding that is open at the third audit asks no one")
	}
	audit(nil, "F1")
	if d := cmp.Diff(Tally{Warnings: 1, Resolved: 1, Since: 1}, AuditOf(run).Found); d != "" {
		t.Error(d)
	}
	if AuditOf(run).recurs() {
		t.Error("one that is open at two asks")
	}
	ends()
	audit([]FoundOne{bug}) // it was open at two audits, and is not at the third
	if f := AuditOf(run).Findings[0]; f.Since != 1 || f.Seen != 0 {
		t.Errorf("%+v", f)
	}
	applyRecurring(run, tick, Gate{Target: "F2"}, "accept", "accept")
	if d := cmp.Diff(Tally{Bugs: 1, Accepted: 1, Since: 1}, AuditOf(run).Found); d != "" {
		t.Error(d)
	}
	applyRecurring(run, tick, Gate{Target: "F1"}, "again", "again")
	if AuditOf(run).Found.Since != 3 || AuditOf(run).recurs() {
		t.Errorf("%+v", AuditOf(run).Found)
	}
}

// A budget of an earlier version holds its findings itself, with the audits that each has seen.
func TestAdopt(t *testing.T) {
	r := auditRun(1, Auditing)
	r.Audits = 4
	r.Findings = []Finding{
		{ID: "F1", Severity: Bug, State: OpenFinding, Seen: 3},
		{ID: "F2", Severity: Warn, State: OpenFinding, Seen: 1},
		{ID: "F3", Severity: Bug, State: ResolvedFinding, Seen: 2},
		{ID: "F4", Severity: Bug, State: AcceptedFinding},
	}
	r.Adopt()
	if d := cmp.Diff(Tally{Bugs: 1, Warnings: 1, Resolved: 1, Accepted: 1, Since: 1},
		r.Found); d != "" {
		t.Error(d)
	}
	if r.Findings[1].Since != 3 || r.Findings[2].Seen != 2 || !r.recurs() {
		t.Errorf("%+v", r.Findings)
	}
	if r.Stored() != r {
		t.Error("findings that no file has are not stored")
	}
	r.Found.Sum, r.Found.Bytes = "x", 1
	before := *r
	r.Adopt()
	s := r.Stored().(*AuditRun)
	if s.Findings != nil || s.Found != r.Found || !cmp.Equal(before, *r) {
		t.Errorf("%+v", s)
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
		if b.AuditStatus() != status || b.Restartable() != (status != "completed") {
			t.Errorf("%s is %s", cause, b.AuditStatus())
		}
		if _, known := ConditionOf(cause); !known && cause != CauseStall {
			t.Errorf("%s is no cause", cause)
		}
	}
	for _, c := range Conditions() {
		applies := c.Applies(&Budget{Skill: Audit, KindRun: ofAudit(&AuditRun{})})
		if applies && statuses[c.Cause] == "" {
			t.Errorf("%s has no status", c.Cause)
		}
	}
	for _, status := range []Status{Active, Paused} {
		if s := (&Budget{Status: status}).AuditStatus(); s != "running" {
			t.Error(s)
		}
	}
}

// A28, T91: three iterations in a row in which nothing changed.
func TestIdle(t *testing.T) {
	run := &Budget{Skill: Audit, KindRun: ofAudit(auditRun(1, Coding)), DollarsEstimate: Dollar}
	end := func(a Attempt) {
		before := *run
		a.Sent, a.Head = true, "abc1234567"
		a.Judged = &Judgement{Verdict: Ended}
		run.DollarsEstimate = run.DollarsEstimate.Plus(Dollar)
		run.foldIdle(&Tick{Started: true, Attempt: &a}, &before, Ending{})
	}
	still := Attempt{EndHead: "abc1234567"}
	end(still)
	end(Attempt{EndHead: "abc1234567", EndTree: "other"})
	if run.Idle != nil {
		t.Error("another tree is no change")
	}
	end(Attempt{}) // no one looked
	end(still)
	end(still)
	if noProgress(&Facts{Run: run}) != "" {
		t.Error("fires after two")
	}
	end(still)
	if said := noProgress(&Facts{Run: run}); said !=
		"nothing changed for 3 iterations, $3.00 since abc1234" {
		t.Error(said)
	}
	end(Attempt{EndHead: "def"})
	if run.Idle != nil {
		t.Error("a commit is no change")
	}
}

// A10: iterations and errors are counted from 0, dollars and minutes are not.
func TestRestart(t *testing.T) {
	b := Budget{Skill: Audit, Status: Halted, StopCause: "audit_retry_exhausted", RunID: "r",
		IterationsUsed: 15, DollarsEstimate: 3 * Dollar, MinutesElapsed: 40,
		Ceilings: Ceilings{Iterations: 15, Minutes: 480, Dollars: 25 * Dollar},
		KindRun:  ofAudit(auditRun(3, Auditing)), Idle: &Idle{Iterations: 3}}
	AuditOf(&b).Section, AuditOf(&b).Retries = 1, 3
	AuditOf(&b).Findings = []Finding{{ID: "F1", State: OpenFinding}}
	flags, _, err := ParseFlags(Audit, "--restart")
	if err != nil || !flags.Restart {
		t.Fatal(err)
	}
	r := resume(b, Request{
		Flags: flags, Command: Command{Name: "sdd:audit", Args: "p.md --restart"},
	})
	number, most := r.Iteration(16)
	if number != 1 || most != 15 || AuditOf(&r).Retries != 0 || r.Idle != nil ||
		r.DollarsEstimate != 3*Dollar || r.MinutesElapsed != 40 || r.IterationsUsed != 15 ||
		r.RunID != "r" || AuditOf(&r).Section != 1 || len(AuditOf(&r).Findings) != 1 ||
		r.Command != "/sdd:audit p.md" {
		t.Errorf("%d of %d: %+v %+v", number, most, r, AuditOf(&r))
	}
	again := resume(r, Request{Flags: flags, Command: Command{Name: "sdd:audit"}})
	if again.Ceilings.Iterations != 30 {
		t.Errorf("a second restart has %d iterations", again.Ceilings.Iterations)
	}
	flags, _, _ = ParseFlags(Audit, "p.md --max-iterations 0")
	endless := Budget{Skill: Audit, Ceilings: flags.Ceilings, KindRun: ofAudit(auditRun(1, Coding))}
	if _, most := endless.Iteration(1); most != 0 {
		t.Errorf("no ceiling is %d", most)
	}
}
