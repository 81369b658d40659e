package loop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Finding is one thing that an auditor found (A29). It keeps its id for the whole run.
type Finding struct {
	ID          string   `json:"id"` // as in "F3", given by the program
	File        string   `json:"file"`
	Line        int      `json:"line,omitempty"` // 0 for the whole file
	Severity    Severity `json:"severity"`
	Description string   `json:"description"`
	Scenario    string   `json:"scenario,omitempty"`
	Section     int      `json:"section"` // in which it was reported, from 1
	At          int      `json:"at"`      // iteration in which it was reported first
	// Seen is how many audits ended while it was open, since it was reported or a person looked.
	Seen  int          `json:"seen,omitempty"`
	State FindingState `json:"state"`
	Until int          `json:"resolved_at,omitempty"` // iteration in which it was resolved (A31)
}

// Severity is how bad a finding is. An open bug blocks completion (A33).
type Severity string

// The severities.
const (
	Bug  Severity = "bug"
	Warn Severity = "warning"
)

// FindingState is what became of a finding.
type FindingState string

// The states. A person accepts a finding, no one else (A74).
const (
	OpenFinding     FindingState = "open"
	ResolvedFinding FindingState = "resolved"
	AcceptedFinding FindingState = "accepted"
)

// MaxFindings bounds the open findings of a run (A29).
const MaxFindings = 200

// mostSeen is how many audits a finding may be open at before a person is asked (A73).
const mostSeen = 3

// openFindings is why an audit is dirty where nothing else is wrong.
const openFindings = "open findings"

// FoundOne is a finding as an auditor reports it.
type FoundOne struct {
	File        string   `json:"file"`
	Line        int      `json:"line,omitempty"`
	Severity    Severity `json:"severity"`
	Description string   `json:"description"`
	Scenario    string   `json:"scenario,omitempty"`
}

// reportsAudit reports whether a report has what only an auditor reports.
func (r *Report) reportsAudit() bool {
	return len(r.Findings)+len(r.Resolved) > 0 || r.Verdict != ""
}

// open counts the open findings of a severity, all for "".
func (r *AuditRun) open(of Severity) (n int) {
	for _, f := range r.Findings {
		if f.State == OpenFinding && (of == "" || of == f.Severity) {
			n++
		}
	}
	return n
}

// Which are the findings in a state, in the order of their ids.
func (r *AuditRun) Which(state FindingState) (list []Finding) {
	for _, f := range r.Findings {
		if f.State == state {
			list = append(list, f)
		}
	}
	return list
}

// seen counts an audit that ended for every finding that is still open.
func (r *AuditRun) seen() {
	for i := range r.Findings {
		if r.Findings[i].State == OpenFinding {
			r.Findings[i].Seen++
		}
	}
}

// same reports whether a finding is reported again: the same text about the same file in the same
// section, whatever its line is now.
func (f *Finding) same(o FoundOne, section int) bool {
	return f.File == o.File && f.Section == section &&
		signature(f.Description) == signature(o.Description)
}

// take merges an auditor's report into the run and the open phase (A30–A32). An error changes
// nothing; it has the next step as its hint.
func (r *AuditRun) take(t *Tick, report Report, head string) error {
	a := t.Attempt
	for _, id := range report.Resolved {
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == id })
		if i < 0 {
			return &flagError{fmt.Sprintf("resolved: no finding %q", id),
				"`hooks audit findings` lists them"}
		}
		if f := &r.Findings[i]; f.State == OpenFinding {
			f.State, f.Until = ResolvedFinding, t.Iteration
			a.Resolved = AppendNew(a.Resolved, id)
		}
	}
	for _, found := range report.Findings {
		if err := r.add(t, found); err != nil {
			return err
		}
	}
	switch {
	case report.Verdict == "":
	case head == "":
		return &flagError{"a verdict is about a commit, and git names none here",
			"report again once `git rev-parse HEAD` answers"}
	case report.Verdict == dirtyWord && r.open("") == 0:
		return &flagError{"the verdict is dirty, and no finding is open",
			"report what is wrong as a finding, or the verdict clean"}
	default:
		a.Verdict = &AuditVerdict{Word: report.Verdict, SHA: head}
	}
	return nil
}

// add records one finding. One that was there before keeps its id; an accepted one stays accepted.
func (r *AuditRun) add(t *Tick, o FoundOne) error {
	a := t.Attempt
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.same(o, a.Task) })
	if i >= 0 {
		f := &r.Findings[i]
		if f.Line, f.Severity = o.Line, o.Severity; f.State == ResolvedFinding {
			f.State, f.Until = OpenFinding, 0
			a.Opened = AppendNew(a.Opened, f.ID)
			a.Resolved = slices.DeleteFunc(slices.Clone(a.Resolved), func(id string) bool {
				return id == f.ID
			})
		}
		return nil
	}
	if r.open("") >= MaxFindings {
		return &flagError{fmt.Sprintf("%d findings are open, and a run keeps no more", MaxFindings),
			"report the verdict dirty; the rest is found again once these are resolved"}
	}
	r.LastID++
	f := Finding{
		ID: "F" + strconv.Itoa(r.LastID), File: o.File, Line: o.Line, Severity: o.Severity,
		Description: o.Description, Scenario: o.Scenario, Section: a.Task, At: t.Iteration,
		State: OpenFinding,
	}
	r.Findings = append(r.dropOld(), f)
	a.Opened = AppendNew(a.Opened, f.ID)
	return nil
}

// dropOld keeps the list within twice its bound: the oldest resolved findings go; history lines
// have their ids.
func (r *AuditRun) dropOld() []Finding {
	extra := len(r.Findings) - 2*MaxFindings + 1
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		drop := extra > 0 && f.State == ResolvedFinding
		if drop {
			extra--
		}
		return drop
	})
}

// String is a finding on one line, as in "F3 bug a.go:12: text (when: scenario)".
func (f Finding) String() string {
	at := f.File
	if f.Line > 0 {
		at += ":" + strconv.Itoa(f.Line)
	}
	text := fmt.Sprintf("%s %s %s: %s", f.ID, f.Severity, at, f.Description)
	if f.Scenario != "" {
		text += " (when: " + f.Scenario + ")"
	}
	return strings.Join(strings.Fields(text), " ")
}

// TakeAudit takes an auditor's findings and verdict into the run and the open phase, and returns
// what changed in a line, "" where the report has none of them. They are taken from an audit's
// worker alone. An error changes nothing.
func (f *Facts) TakeAudit(report Report, head string) (string, error) {
	t := f.Tick
	switch {
	case !report.reportsAudit():
		return "", nil
	case f.Run.Audit == nil || t.Attempt == nil || !t.Attempt.Phase.Audits():
		now := "an iteration of " + string(f.Run.Skill)
		if t.Attempt != nil && f.Run.Audit != nil {
			now = t.Attempt.Name()
		}
		return "", &flagError{"findings, resolved and verdict are reported by an audit, and this " +
			"is " + now, "leave them out"}
	case !t.Attempt.Sent && f.Run.feeds() || t.Attempt.Judged != nil:
		return "", &flagError{"no auditor is at work", "the auditor itself reports"}
	}
	run, attempt := f.Run.Audit.clone(), *t.Attempt
	draft := *t
	draft.Attempt = &attempt
	if err := run.take(&draft, report, head); err != nil {
		return "", err
	}
	f.Run.Audit, t.Attempt = run, &attempt
	said := run.Result()
	if report.Verdict == cleanWord && run.open(Bug) > 0 {
		said += "; an open bug makes the verdict dirty"
	}
	if v := attempt.Verdict; v != nil {
		said += fmt.Sprintf("; verdict %s about %s", v.Word, abbreviated(v.SHA))
	}
	if len(attempt.Opened) > 0 {
		said = "opened " + strings.Join(attempt.Opened, ", ") + "; " + said
	}
	return said, nil
}
