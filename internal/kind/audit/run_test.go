package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/attempt"
	"hooks/internal/loop"
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

// A16: the phases follow each other as in the seed's diagram.
func TestPhases(t *testing.T) {
	var got []string
	edge := func(r *Run, on string, verdict attempt.Verdict) {
		from := r.Phase
		r.Found.Bugs = 1 // no one accepted what makes an audit dirty
		r.count(&attempt.Attempt{}, attempt.Judgement{Verdict: verdict, Why: openFindings})
		if r.Phase != from || on == "no-verdict" {
			got = loop.AppendNew(got, fmt.Sprintf("%s --> %s: %s", from, r.Phase, on))
		}
	}
	posts := func(r *Run) *Run {
		r.Post = &Post{Prompt: "x"}
		return r
	}
	for _, p := range Phases {
		if !p.Audits() {
			edge(auditRun(2, p), "ended", attempt.Ended)
			continue
		}
		one := func() *Run { return auditRun(1, p) }
		edge(one(), "clear", attempt.Clean)
		edge(posts(one()), "clear-post", attempt.Clean)
		edge(one(), "dirty", attempt.Dirty)
		edge(one(), "no-verdict", attempt.Undecided)
		edge(one(), "outage", attempt.Outage)
	}
	edge(auditRun(2, Auditing), "next", attempt.Clean)
	last := auditRun(2, Auditing)
	last.Section = 1
	edge(last, "last", attempt.Clean)
	want := strings.Split(strings.TrimSpace(seedDiagram+strings.TrimPrefix(ours, "\n")), "\n")
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("edges (-seed +run):\n%s", d)
	}
}

func walk(r *Run, list ...attempt.Judgement) (names []string) {
	for _, j := range list {
		r.count(&attempt.Attempt{Last: "words"}, j)
		names = append(names, fmt.Sprintf("%s %d", r.Phase, r.Section+1))
	}
	return names
}

// A45–A51, A57: whole walks by judgements.
func TestAuditFold(t *testing.T) {
	end, clean := attempt.Judgement{Verdict: attempt.Ended},
		attempt.Judgement{Verdict: attempt.Clean, SHA: "s"}
	bad := attempt.Judgement{Verdict: attempt.Dirty, Why: "2 files not committed"}
	none, outage := attempt.Judgement{Verdict: attempt.Undecided},
		attempt.Judgement{Verdict: attempt.Outage}
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
	for _, j := range []attempt.Judgement{end, outage} {
		r := auditRun(1, Auditing)
		r.Post = &Post{Prompt: "x"}
		if walk(r, clean, j); (r.Post.Summary != "") != (j.Verdict == attempt.Ended) ||
			!r.FinalDone {
			t.Errorf("%s: %+v", j.Verdict, r)
		}
	}
	r := auditRun(1, Auditing)
	for range 3 {
		r.count(&attempt.Attempt{}, none)
	}
	run := &loop.Budget{KindRun: ofAudit(r), Skill: Name, Status: loop.Active}
	if noVerdicts(&loop.Facts{Run: run}, Auditing) == "" ||
		noVerdicts(&loop.Facts{Run: run}, FinalAuditing) != "" {
		t.Error("three audits without a verdict continue")
	}
	if r.count(&attempt.Attempt{}, clean); r.Retries != 0 {
		t.Error("a verdict leaves the count of retries")
	}
}

// A33, A71, A75: what an auditor's word is worth.
func TestVerdicts(t *testing.T) {
	bug := Finding{ID: "F1", Severity: Bug, State: OpenFinding}
	warning := Finding{ID: "F2", Severity: Warn, State: OpenFinding}
	for _, tt := range []struct {
		name     string
		verdict  *attempt.WorkerVerdict
		findings []Finding
		evidence attempt.Evidence
		want     attempt.Verdict
	}{
		{"no report", nil, nil, attempt.Evidence{Head: "a"}, attempt.Undecided},
		{"clean", &attempt.WorkerVerdict{Word: "clean", SHA: "a"}, nil, attempt.Evidence{Head: "a"},
			attempt.Clean},
		{"clean beside a warning", &attempt.WorkerVerdict{Word: "clean", SHA: "a"},
			[]Finding{warning},
			attempt.Evidence{Head: "a"}, attempt.Clean},
		{"clean beside a bug", &attempt.WorkerVerdict{Word: "clean", SHA: "a"}, []Finding{bug},
			attempt.Evidence{Head: "a"}, attempt.Dirty},
		{"clean of another commit", &attempt.WorkerVerdict{Word: "clean", SHA: "a"}, nil,
			attempt.Evidence{Head: "b"}, attempt.Undecided},
		{"clean, and a file is not committed", &attempt.WorkerVerdict{Word: "clean", SHA: "a"}, nil,
			attempt.Evidence{Head: "a", Dirty: []string{"x"}}, attempt.Dirty},
		{"clean of what no one looked at", &attempt.WorkerVerdict{Word: "clean", SHA: "a"}, nil,
			attempt.Evidence{Head: "a", Changed: []string{"a.go"}}, attempt.Undecided},
		{"dirty", &attempt.WorkerVerdict{Word: "dirty", SHA: "a"}, []Finding{warning},
			attempt.Evidence{Head: "a"}, attempt.Dirty},
		{"git fails", &attempt.WorkerVerdict{Word: "clean", SHA: "a"}, nil,
			attempt.Evidence{Failed: "no"},
			attempt.Undecided},
	} {
		r := auditRun(1, Auditing)
		r.Findings = tt.findings
		r.Tally()
		a := &attempt.Attempt{Task: 1, Holds: 2,
			Phase: string(Auditing), Reported: tt.verdict}
		s := loop.State{Run: &loop.Budget{KindRun: ofAudit(r), Skill: Name},
			Tick: &loop.Tick{Attempt: a}}
		k := loop.Known{Evidence: loop.Fetched(tt.evidence)}
		if hold := s.Run.Own.Judge(s, &k); hold != nil || a.Judged == nil {
			t.Errorf("%s: held with %v", tt.name, hold)
		} else if why := a.Judged.Why; a.Judged.Verdict != tt.want ||
			tt.evidence.Failed != "" && why != "git could not read the tree: no" {
			t.Errorf("%s: %+v", tt.name, a.Judged)
		}
	}
}

// A29–A32, A73, A74: ids are the program's own, and a finding that comes back is the same one.
func TestFindings(t *testing.T) {
	run := &loop.Budget{Skill: Name, KindRun: ofAudit(auditRun(1, Auditing))}
	tick := &loop.Tick{Iteration: 2, Attempt: &attempt.Attempt{Phase: string(Auditing), Task: 1,
		Sent: true}}
	commits := 0 // each report is about another commit
	take := func(r loop.Report) string {
		commits++
		_, err := Take(loop.State{Run: run, Tick: tick}, r, fmt.Sprint(commits), false)
		if err != nil {
			return err.Error()
		}
		return ""
	}
	panics := loop.ReportedFinding{File: "a.go", Line: 3, Severity: string(Bug),
		Description: "panics at line 3"}
	take(loop.Report{Findings: []loop.ReportedFinding{panics}, Verdict: "dirty"})
	panics.Line, panics.Description = 9, "Panics at line 9"
	take(loop.Report{Findings: []loop.ReportedFinding{panics}})
	if list := Of(run).Findings; len(list) != 1 || list[0].ID != "F1" || list[0].Line != 9 {
		t.Fatalf("%+v", list)
	}
	take(loop.Report{Resolved: []string{"F1"}, Verdict: "clean"})
	if f := Of(run).Findings[0]; f.State != ResolvedFinding || f.Until != 2 {
		t.Errorf("%+v", f)
	}
	take(loop.Report{Findings: []loop.ReportedFinding{panics}})
	if f := Of(run).Findings[0]; f.State != OpenFinding || len(Of(run).Findings) != 1 {
		t.Errorf("%+v", f)
	}
	before := *Of(run)
	for want, r := range map[string]loop.Report{
		`no finding "F9"`: loop.Report{Resolved: []string{"F9"},
			Findings: []loop.ReportedFinding{{File: "b.go", Severity: string(Bug)}}},
		"no finding is open":       loop.Report{Resolved: []string{"F1"}, Verdict: "dirty"},
		"findings are open, which": loop.Report{Findings: manyFindings(MaxFindings)},
	} {
		if said := take(r); !strings.Contains(said, want) {
			t.Errorf("want %q, got %q", want, said)
		}
		if !cmp.Equal(&before, Of(run)) {
			t.Error("a refused report changed the run")
		}
	}
	applyRecurring(run, tick, loop.Gate{Target: "F1"}, "accept", "accept")
	take(loop.Report{Findings: []loop.ReportedFinding{panics}})
	if Of(run).Findings[0].State != AcceptedFinding || Of(run).open() != 0 {
		t.Error("an accepted finding is open again")
	}
}

func manyFindings(n int) (list []loop.ReportedFinding) {
	for i := range n {
		words := strings.Repeat("z", i+1)
		list = append(list, loop.ReportedFinding{File: "a.go", Severity: string(Warn),
			Description: words})
	}
	return list
}

// A33, A73: the budget's counts are those of the findings, and how long one is open is told by the
// audits that ended.
func TestTally(t *testing.T) {
	run := &loop.Budget{Skill: Name, KindRun: ofAudit(auditRun(1, Auditing))}
	tick := &loop.Tick{Attempt: &attempt.Attempt{Phase: string(Auditing), Task: 1, Sent: true}}
	commits := 0
	audit := func(found []loop.ReportedFinding, resolved ...string) {
		r, head := loop.Report{Findings: found, Resolved: resolved}, fmt.Sprint(commits)
		commits++
		if _, err := Take(loop.State{Run: run, Tick: tick}, r, head, false); err != nil {
			t.Fatal(err)
		}
	}
	ends := func() {
		Of(run).count(tick.Attempt, attempt.Judgement{Verdict: attempt.Dirty, Why: openFindings})
		Of(run).Phase = Auditing
	}
	bug := loop.ReportedFinding{File: "a", Severity: string(Bug), Description: "x"}
	warning := loop.ReportedFinding{File: "b", Severity: string(Warn), Description: "y"}
	audit([]loop.ReportedFinding{bug})
	ends()
	audit([]loop.ReportedFinding{warning})
	if d := cmp.Diff(Tally{Bugs: 1, Warnings: 1}, Of(run).Found); d != "" {
		t.Error(d)
	}
	ends()
	if !asks(run) {
		t.Error("a finding that is open at the third audit asks no one")
	}
	audit(nil, "F1")
	if d := cmp.Diff(Tally{Warnings: 1, Resolved: 1, Since: 1}, Of(run).Found); d != "" {
		t.Error(d)
	}
	if asks(run) {
		t.Error("one that is open at two asks")
	}
	ends()
	audit([]loop.ReportedFinding{bug}) // it was open at two audits, and is not at the third
	if f := Of(run).Findings[0]; f.Since != 1 || f.Seen != 0 {
		t.Errorf("%+v", f)
	}
	applyRecurring(run, tick, loop.Gate{Target: "F2"}, "accept", "accept")
	if d := cmp.Diff(Tally{Bugs: 1, Accepted: 1, Since: 1}, Of(run).Found); d != "" {
		t.Error(d)
	}
	applyRecurring(run, tick, loop.Gate{Target: "F1"}, "again", "again")
	if Of(run).Found.Since != 3 || asks(run) {
		t.Errorf("%+v", Of(run).Found)
	}
}

// asks reports whether a person is asked about a finding at the end of a dirty audit.
func asks(run *loop.Budget) bool {
	a := &attempt.Attempt{Phase: string(Auditing),
		Judged: &attempt.Judgement{Verdict: attempt.Dirty}}
	due := recurringDue(&loop.Facts{Run: run, Tick: &loop.Tick{Attempt: a}})
	return len(due) > 0 && due[0].Target != allFindings
}

var _ = loop.Register(Kind)

func auditRun(sections int, phase Phase) *Run {
	r := &Run{Phase: phase, Drive: loop.DriveStop, Base: "base"}
	for i := range sections {
		r.Sections = append(r.Sections, fmt.Sprint("section ", i+1))
	}
	return r
}

func ofAudit(r *Run) loop.KindRun { return loop.KindRun{Own: r} }

// auditing is an audit loop's open iteration in a phase, with its worker at work.
func auditing(phase Phase) loop.State {
	r := auditRun(3, phase)
	r.Section, r.Plan = 1, "p.md"
	run := &loop.Budget{Skill: Name, Status: loop.Active, SessionID: "s", KindRun: ofAudit(r),
		LastPrompts: []string{"before"}}
	a := &attempt.Attempt{Token: "-n", Head: "h", Branch: "b"}
	r.Begin(a)
	r.Aim(a)
	return loop.State{Run: run, Tick: &loop.Tick{SessionID: "s", Prompts: []string{"p"},
		Started: true,
		Attempt: a}}
}

// fold keeps what a phase leaves: the check, outages in a row, retries, reasons, the verdict.
func TestAuditFoldKeeps(t *testing.T) {
	r := auditRun(2, Auditing)
	r.Checked = &attempt.CheckRun{Exit: 1}
	check := &attempt.CheckRun{Head: "h"}
	end := func(j attempt.Judgement) { r.count(&attempt.Attempt{}, j) }
	end(attempt.Judgement{Verdict: attempt.Outage, Why: "529"})
	if r.Outages != 1 || r.Retries != 0 || r.Reason != "529" || r.Audits != 0 || r.Verdict != nil ||
		r.Checked.Exit != 1 {
		t.Errorf("%+v", r)
	}
	end(attempt.Judgement{Verdict: attempt.Outage})
	end(attempt.Judgement{Verdict: attempt.Undecided, Why: "no verdict"})
	if r.Outages != 0 || r.Retries != 1 || r.Reason != "no verdict" || r.Audits != 0 {
		t.Errorf("%+v", r)
	}
	end(attempt.Judgement{Verdict: attempt.Outage})
	if r.Retries != 1 {
		t.Errorf("an outage gives a retry back: %+v", r)
	}
	end(attempt.Judgement{Verdict: attempt.Dirty, Why: openFindings, SHA: "s"})
	if r.Phase != Auditing { // nothing was open: a person may have accepted it
		end(attempt.Judgement{Verdict: attempt.Ended, Check: check})
	}
	if r.Section != 1 || r.Checked != check {
		t.Errorf("%+v", r)
	}
	r.Found.Warnings = 1
	end(attempt.Judgement{Verdict: attempt.Dirty, Why: openFindings, SHA: "d"})
	if r.Phase != Coding || r.Section != 1 || r.Reason != "" || r.Verdict.Word != dirtyWord ||
		r.Verdict.SHA != "d" {
		t.Errorf("%+v", r)
	}
	end(attempt.Judgement{Verdict: attempt.Ended})
	end(attempt.Judgement{Verdict: attempt.Dirty, Why: "1 file not committed", SHA: "d"})
	if r.Reason != "1 file not committed" {
		t.Errorf("%+v", r)
	}
	end(attempt.Judgement{Verdict: attempt.Ended})
	end(attempt.Judgement{Verdict: attempt.Clean, SHA: "c"})
	if r.Phase != FinalAuditing || r.FinalDone || r.Verdict.Word != cleanWord ||
		r.SectionBase != "c" {
		t.Errorf("%+v", r)
	}
	if end(attempt.Judgement{Verdict: attempt.Clean, SHA: "c"}); r.Phase != Complete ||
		!r.FinalDone {
		t.Errorf("%+v", r)
	}
	f := &loop.Facts{Run: &loop.Budget{KindRun: ofAudit(r)}}
	if got := auditClear(f); got !=
		"The audit is clear. 2 of 2 sections clean, 0 open bugs, 1 open warning" {
		t.Error(got)
	}
	if got := tellClear(f); !strings.HasSuffix(got,
		"phase complete; fires when every audit is clean") {
		t.Error(got)
	}
	for _, run := range []*Run{auditRun(1, Coding), auditRun(1, Auditing)} {
		f.Run.Own = run
		if auditClear(f)+noVerdicts(f, Auditing)+noVerdicts(f, FinalAuditing) != "" {
			t.Errorf("%+v ends", run)
		}
	}
	last := auditRun(2, FinalAuditing)
	last.Retries, last.Reason = 3, "silence"
	f.Run.Own = last
	if got := noVerdicts(f, FinalAuditing); noVerdicts(f, Auditing) != "" ||
		got != "3 audits in a row ended without a verdict: silence" {
		t.Error(got)
	}
}

// A73: a person is asked about what will have been open at three audits, once the third is dirty.
func TestRecurringDue(t *testing.T) {
	s := auditing(Auditing)
	r := Of(s.Run)
	r.Audits = 2
	r.Findings = []Finding{
		{ID: "F1", File: "a", Severity: Bug, State: OpenFinding, Description: "old"},
		{ID: "F2", File: "b", Severity: Bug, State: OpenFinding, Since: 1},
		{ID: "F3", File: "c", Severity: Bug, State: ResolvedFinding},
	}
	r.Tally()
	f := &loop.Facts{Run: s.Run, Tick: s.Tick}
	if len(recurringDue(f)) != 0 {
		t.Error("asked before the audit is judged")
	}
	s.Tick.Attempt.Judged = &attempt.Judgement{Verdict: attempt.Dirty}
	due := recurringDue(f)
	const asked = "Finding F1 is open after 3 audits: F1 bug a: old. Try again, accept it, or " +
		"stop the loop?"
	if len(due) != 1 || due[0].Target != "F1" || due[0].Question != asked {
		t.Errorf("%+v", due)
	}
	for name, change := range map[string]func(*loop.Facts){
		"a clean audit": func(f *loop.Facts) {
			f.Tick.Attempt.Judged = &attempt.Judgement{Verdict: attempt.Clean}
		},
		"a coder":    func(f *loop.Facts) { f.Tick.Attempt.Phase = string(Coding) },
		"no attempt": func(f *loop.Facts) { f.Tick.Attempt = nil },
	} {
		tick, a := *s.Tick, *s.Tick.Attempt
		tick.Attempt = &a
		f := &loop.Facts{Run: s.Run, Tick: &tick}
		if change(f); len(recurringDue(f)) != 0 {
			t.Errorf("asked after %s", name)
		}
	}
	r.Findings = nil
	r.Tally()
	r.Audits = 9 // since nothing is open
	if asks(s.Run) {
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
	take := func(s loop.State, r loop.Report, head string) string {
		if a := s.Tick.Attempt; a != nil && PhaseOf(a).Audits() && Of(s.Run) != nil {
			if _, err := Take(s, r, head, false); err != nil {
				return "error: " + err.Error()
			}
		}
		said, err := told(s, r, "")
		if err != nil {
			return "error: " + err.Error()
		}
		return said
	}
	bug := loop.ReportedFinding{File: "a", Severity: string(Bug), Description: "x"}
	found := loop.Report{Findings: []loop.ReportedFinding{bug}}
	clean := loop.Report{Verdict: "clean"}
	resolved := loop.Report{Resolved: []string{"F1"}}
	sent := auditing(Auditing)
	sent.Tick.Attempt.Sent = true
	for _, tt := range []struct {
		name   string
		state  loop.State
		report loop.Report
		head   string
		want   string
	}{
		{"nothing of an audit", auditing(Coding), loop.Report{Note: "x"}, "h", ""},
		{"of a coder", auditing(Coding), clean, "h",
			"error: only an audit may report the fields findings, resolved and verdict, " +
				"but this is the coding phase"},
		{"of a coder, resolved alone", auditing(Coding), resolved, "h",
			"error: only an audit"},
		{"of another loop", loop.State{Run: &loop.Budget{Skill: "work"}, Tick: &loop.Tick{}},
			found, "h", "error: only an audit may report the fields findings, resolved and " +
				"verdict, but this is an iteration of the work loop"},
		{"before the auditor is sent", auditing(Auditing), clean, "h",
			"error: only a running auditor may report findings and a verdict"},
		{"without a commit", sent, clean, "",
			"error: a verdict needs a commit"},
		{"clean", sent, clean, "1234567890",
			"1 of 3 sections clean, 0 open bugs, 0 open warnings; verdict clean at 1234567"},
		{"clean beside a bug", sent, loop.Report{Findings: []loop.ReportedFinding{bug},
			Verdict: "clean"},
			"h",
			"opened F1; 1 of 3 sections clean, 1 open bug, 0 open warnings; an open bug makes " +
				"the " +
				"verdict dirty; verdict clean at h"},
	} {
		if got := take(tt.state, tt.report, tt.head); got != tt.want &&
			(tt.want == "" || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	for name, s := range map[string]loop.State{
		"no phase": {Run: &loop.Budget{Skill: Name, KindRun: ofAudit(auditRun(1, Auditing))},
			Tick: &loop.Tick{}},
		"no run": {Run: &loop.Budget{Skill: Name},
			Tick: &loop.Tick{Attempt: &attempt.Attempt{Phase: string(Auditing), Sent: true}}},
	} {
		if got := take(s, clean, "h"); !strings.HasSuffix(got,
			"but this is an iteration of the audit loop") {
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
	if take(again, found, "h"); Of(again.Run).Found.Bugs != 2 {
		t.Errorf("%+v", Of(again.Run).Findings)
	}
	driven := auditing(Auditing)
	Of(driven.Run).Drive = loop.DriveProcess
	if got := take(driven, clean, "h"); strings.HasPrefix(got, "error") {
		t.Error(got)
	}
	sent.Tick.Attempt.Judged = &attempt.Judgement{}
	got := take(sent, clean, "h")
	if !strings.HasPrefix(got, "error: only a running auditor") {
		t.Error(got)
	}
}

// A75: once a person has accepted all that was open, the last audit is clean where its commit is
// checked out as it was, and nothing else was wrong.
func TestAcceptedFindingsSettleTheAudit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		phase  Phase
		change func(*Run)
		head   string
		tree   string
		want   Phase
	}{
		{"of a section", Coding, nil, "h", "", Coding},
		{"of the whole", Fixing, nil, "h", "", Complete},
		{"another commit", Fixing, nil, "other", "", Fixing},
		{"a changed file", Fixing, nil, "h", "t", Fixing},
		{"another is open", Fixing, func(r *Run) { r.Found.Warnings = 1 }, "h", "", Fixing},
		{"more was wrong", Fixing, func(r *Run) { r.Reason = "a file" }, "h", "", Fixing},
		{"no check of it", Fixing, func(r *Run) { r.Check = "x" }, "h", "", Fixing},
		{"no verdict", Fixing, func(r *Run) { r.Verdict = nil }, "h", "", Fixing},
		{"it is clean", Fixing, func(r *Run) { r.Verdict.Word = cleanWord }, "h", "", Fixing},
		{"in an audit", FinalAuditing, nil, "h", "", FinalAuditing},
	} {
		r := Of(auditing(tt.phase).Run)
		r.Audits, r.Check, r.Post = 3, "", nil
		r.Verdict = &attempt.WorkerVerdict{Word: dirtyWord, SHA: "h"}
		if tt.change != nil {
			tt.change(r)
		}
		section := r.Section
		got := r.clone()
		got.acceptLast(&attempt.Attempt{Head: tt.head, Tree: tt.tree})
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
		attempt *attempt.Attempt
		audits  int // that have ended
	}{{"at its end", &attempt.Attempt{Phase: string(Auditing)}, 2}, {"later", nil, 3},
		{"as the next phase begins", &attempt.Attempt{Phase: string(Coding)}, 3}} {
		run := &loop.Budget{KindRun: ofAudit(&Run{Audits: tt.audits, Phase: Auditing,
			Findings: []Finding{{ID: "F1", State: OpenFinding}}})}
		applyRecurring(run, &loop.Tick{Attempt: tt.attempt}, loop.Gate{Target: "F1"}, "again",
			"again")
		for audits, want := range map[int]bool{3: false, 4: true} {
			if Of(run).Audits = audits; asks(run) != want {
				t.Errorf("%s: the audit after %d asks: %v", tt.name, audits, !want)
			}
		}
	}
}

// T91: what counts as progress of a phase or a task, beside commits and files.
func TestIdleAdvances(t *testing.T) {
	red, green := &attempt.CheckRun{Exit: 1}, &attempt.CheckRun{}
	verdict := func(word string) *attempt.WorkerVerdict {
		return &attempt.WorkerVerdict{Word: word}
	}
	for _, tt := range []struct {
		name     string
		was, now *Run
		want     bool
	}{
		{"nothing", &Run{}, &Run{}, false},
		{"a clean audit", &Run{}, &Run{Audits: 1, Verdict: verdict(cleanWord)}, true},
		{"a dirty one", &Run{}, &Run{Audits: 1, Verdict: verdict(dirtyWord)}, false},
		{"an earlier clean one", &Run{Audits: 1},
			&Run{Audits: 1, Verdict: verdict(cleanWord)}, false},
		{"red to green", &Run{Checked: red}, &Run{Checked: green}, true},
		{"green to green", &Run{Checked: green}, &Run{Checked: green}, false},
		{"green to red", &Run{Checked: green}, &Run{Checked: red}, false},
		{"red to red", &Run{Checked: red}, &Run{Checked: red}, false},
		{"the first check", &Run{}, &Run{Checked: green}, false},
	} {
		if got := tt.now.Advanced(tt.was); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// What a person's resume changes in an audit, and a schedule's does not (A10, A20).
func TestResumedAudit(t *testing.T) {
	before := Run{Check: "old", Tip: "t", Branch: "b", Retries: 2, Outages: 1}
	r := loop.Request{Flags: loop.Flags{Task: loop.TaskFlags{Check: "new"}}}
	a := before.clone()
	if a.Resume(nil, r); a.Check != "new" || a.Tip+a.Branch != "" || a.Retries+a.Outages != 0 {
		t.Errorf("by a person: %+v", a)
	}
	r.Scheduled = true
	a = before.clone()
	if a.Resume(nil, r); a.Check != "old" || a.Tip+a.Branch != "tb" {
		t.Errorf("by a schedule: %+v", a)
	}
	for _, c := range []struct {
		ceiling, named, want int
	}{{10, 0, 12}, {10, 3, 8}, {loop.MaxUnits, 0, loop.MaxUnits}, {loop.MaxUnits, 3, 8}} {
		b := loop.Budget{IterationsUsed: 5, Ceilings: loop.Ceilings{Iterations: c.ceiling},
			KindRun: ofAudit(&Run{Before: 3})}
		var r loop.Request
		if c.named > 0 {
			r.Flags, _, _ = loop.ParseFlags(Name, fmt.Sprint("--max-iterations ", c.named))
		}
		if Of(&b).restart(&b, r); b.Ceilings.Iterations != c.want || Of(&b).Before != 5 {
			t.Errorf("%+v: up to iteration %d", c, b.Ceilings.Iterations)
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
		r.Phase = phase
		_, title := r.Heading()
		if title != want || r.Clean() != map[string]int{"p.md": 2}[want] {
			t.Errorf("%s: %s, %d", phase, title, r.Clean())
		}
	}
}

// A75: a phase that lost the commit of the one before it is not judged well.
func TestAPhaseKeepsTheCommitOfTheOneBefore(t *testing.T) {
	for _, c := range []struct {
		seen attempt.Evidence
		want string
	}{
		{attempt.Evidence{Branch: "b"}, ""},
		{attempt.Evidence{Branch: "c"}, "the current branch is c, but the loop began on b"},
		{attempt.Evidence{Branch: "b", Dropped: "abc"}, "the branch no longer contains commit abc"},
		{attempt.Evidence{Branch: "b", Dirty: []string{"x"}}, "1 file not committed"},
	} {
		if got, _ := c.seen.Untidy("b", "loop"); got != c.want {
			t.Errorf("%+v: %q", c.seen, got)
		}
	}
}
