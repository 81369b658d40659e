package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/hint"
	"hooks/internal/loop"
)

// Finding is a problem that an auditor, a person or the program reported (A29). Its ID never
// changes.
type Finding struct {
	ID          string   `json:"id"` // for example "F3", assigned by the program
	File        string   `json:"file"`
	Line        int      `json:"line,omitempty"` // 0 for the whole file
	Severity    Severity `json:"severity"`
	Description string   `json:"description"`
	Scenario    string   `json:"scenario,omitempty"`
	Section     int      `json:"section"` // section under audit when it was reported, from 1
	At          int      `json:"at"`      // iteration that first reported it
	// Audits-Since is how many completed audits the finding was open for, counted from its report
	// or a person's last decision about it. Seen keeps that number while the finding is resolved.
	Since int          `json:"since,omitempty"`
	Seen  int          `json:"seen,omitempty"`
	State FindingState `json:"state"`
	Until int          `json:"resolved_at,omitempty"` // iteration that resolved it (A31)
	Head  string       `json:"head,omitempty"`        // HEAD when it was opened
	// Doubt explains why a person must decide before the finding is closed or downgraded.
	Doubt string `json:"doubt,omitempty"`
}

// Severity grades a finding. An open bug blocks completion (A33).
type Severity string

// The severities.
const (
	Bug  Severity = "bug"
	Warn Severity = "warning"
)

// FindingState is the state of a finding: open, resolved or accepted.
type FindingState string

// The states. Only a person accepts a finding (A74).
const (
	OpenFinding     FindingState = "open"
	ResolvedFinding FindingState = "resolved"
	AcceptedFinding FindingState = "accepted"
)

// Tally counts the findings by state. A history line stores the tally instead of the findings.
type Tally struct {
	Bugs     int `json:"open_bugs"`
	Warnings int `json:"open_warnings"`
	Accepted int `json:"accepted"`
	Resolved int `json:"resolved"`
	Since    int `json:"since,omitempty"`  // smallest Since of an open finding, or Audits
	Doubts   int `json:"doubts,omitempty"` // open findings with a Doubt, for older versions
	loop.FilePart
}

// MaxFindings is the maximum number of open findings in a run (A29).
const MaxFindings = 200

// maxSeen is the number of consecutive audits after which a person is asked (A73).
const maxSeen = 3

// openFindings is the recorded reason if an audit is dirty only because of open findings.
const openFindings = "open findings"

// given reports whether a report has fields that only an auditor sends.
func given(r loop.Report) bool {
	return len(r.Findings)+len(r.Resolved) > 0 || r.Verdict != ""
}

func (r *Run) open() int { return r.Found.Bugs + r.Found.Warnings }

// Tally counts the findings and stores the result in Found.
func (r *Run) Tally() {
	t := Tally{Since: r.Audits, FilePart: r.Found.FilePart}
	for _, f := range r.Findings {
		switch {
		case f.State == AcceptedFinding:
			t.Accepted++
		case f.State == ResolvedFinding:
			t.Resolved++
		case f.Severity == Bug:
			t.Bugs++
		default:
			t.Warnings++
		}
		if f.State == OpenFinding {
			t.Since = min(t.Since, f.Since)
			if f.Doubt != "" {
				t.Doubts++
			}
		}
	}
	r.Found = t
}

// Stored returns the run without its findings if they are in their own file.
func (r *Run) Stored() loop.Payload {
	if r.Found.Sum == "" || r.Findings == nil {
		return r
	}
	own := *r
	own.Findings = nil
	return &own
}

func (r *Run) Filed() (findings any, part *loop.FilePart) { return &r.Findings, &r.Found.FilePart }

var _ loop.Finder = (*Run)(nil)

// Which returns the findings in the given state, ordered by id.
func (r *Run) Which(state FindingState) (list []Finding) {
	for _, f := range r.Findings {
		if f.State == state {
			list = append(list, f)
		}
	}
	return list
}

// same reports whether o repeats the finding: same file, same section and same description. The
// line may differ.
func (f *Finding) same(o loop.ReportedFinding, section int) bool {
	return f.File == o.File && f.Section == section &&
		loop.Signature(f.Description) == loop.Signature(o.Description)
}

// take merges an auditor's report into the run and the open phase (A30–A32). A bug is closed only
// after a new commit or by a person. If take returns an error, the caller discards the changes.
func (r *Run) take(t *loop.Tick, report loop.Report, head string) error {
	a := t.Attempt
	for _, id := range report.Resolved {
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == id })
		if i < 0 {
			return hint.New("see `hooks audit findings` for the list",
				"there is no finding %q to resolve", id)
		}
		f := &r.Findings[i]
		unchanged := f.Head != "" && f.Head == head
		switch {
		case f.State != OpenFinding || f.ofPlan(r):
		case unchanged && f.Severity == Bug:
			f.Doubt = "reported as resolved without a commit since it was opened"
		default:
			if f.resolve(r, t); unchanged {
				t.Notes = loop.AppendNew(t.Notes,
					id+" was closed without a commit since it was opened")
			}
		}
	}
	for _, found := range report.Findings {
		if err := r.add(t, found, head); err != nil {
			return err
		}
	}
	r.Tally()
	switch {
	case report.Verdict == "":
	case head == "":
		return hint.New("report again once `git rev-parse HEAD` prints a commit",
			"a verdict needs a commit, but git reports none here")
	case report.Verdict == dirtyWord && r.open() == 0:
		return hint.New("report each problem as a finding, or report the verdict clean",
			"the verdict is dirty, but no finding is open")
	default:
		a.Reported = &attempt.WorkerVerdict{Word: report.Verdict, SHA: head}
	}
	return nil
}

func (f *Finding) resolve(r *Run, t *loop.Tick) {
	f.State, f.Until, f.Seen, f.Doubt = ResolvedFinding, t.Iteration, r.Audits-f.Since, ""
	t.Attempt.Resolved = loop.AppendNew(t.Attempt.Resolved, f.ID)
}

// changedPlan is the description of the program's finding about a changed plan file.
const changedPlan = "the file differs from the approved plan, which every audit uses; undo the " +
	"change"

func (f *Finding) ofPlan(r *Run) bool {
	return f.File == r.Plan && f.Description == changedPlan
}

// holdPlan opens the finding about a changed plan file, or closes it if the file is unchanged.
func (r *Run) holdPlan(t *loop.Tick, changed bool, head string) error {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ofPlan(r) })
	switch {
	case changed && (i < 0 || r.Findings[i].State == ResolvedFinding):
		found := loop.ReportedFinding{File: r.Plan, Severity: string(Bug), Description: changedPlan}
		return r.add(t, found, head)
	case !changed && i >= 0 && r.Findings[i].State == OpenFinding:
		r.Findings[i].resolve(r, t)
	}
	return nil
}

// add records one finding. A known finding keeps its id, an accepted one stays accepted, and an
// open bug stays a bug.
func (r *Run) add(t *loop.Tick, o loop.ReportedFinding, head string) error {
	a := t.Attempt
	i := slices.IndexFunc(r.Findings, func(f Finding) bool {
		return f.same(o, a.Task) || f.ofPlan(r) && o.Description == changedPlan
	})
	if i >= 0 {
		f := &r.Findings[i]
		f.Line, f.Doubt = o.Line, ""
		if f.State == OpenFinding && f.Severity == Bug && o.Severity == string(Warn) {
			f.Doubt = "reported as a warning, although it was opened as a bug"
			return nil
		}
		if f.Severity = Severity(o.Severity); f.State == ResolvedFinding {
			f.State, f.Until, f.Since, f.Seen = OpenFinding, 0, r.Audits-f.Seen, 0
			f.Head = head
			a.Opened = loop.AppendNew(a.Opened, f.ID)
			a.Resolved = loop.Without(a.Resolved, f.ID)
		}
		return nil
	}
	if len(r.Which(OpenFinding)) >= MaxFindings {
		return hint.New("report the verdict dirty, and the other findings once these are "+
			"resolved",
			"%d findings are open, which is the maximum for a run", MaxFindings)
	}
	r.LastID++
	f := Finding{
		ID: "F" + strconv.Itoa(r.LastID), File: o.File, Line: o.Line,
		Severity:    Severity(o.Severity),
		Description: o.Description, Scenario: o.Scenario, Section: a.Task, At: t.Iteration,
		Since: r.Audits, State: OpenFinding, Head: head,
	}
	r.Findings = append(r.Findings, f)
	a.Opened = loop.AppendNew(a.Opened, f.ID)
	return nil
}

// String returns the finding on one line, such as "F3 bug a.go:12: text (when: scenario)".
func (f Finding) String() string {
	at := ""
	if f.File != "" { // a finding that a person added has no file
		at = " " + f.File
	}
	if f.Line > 0 {
		at += ":" + strconv.Itoa(f.Line)
	}
	text := fmt.Sprintf("%s %s%s: %s", f.ID, f.Severity, at, f.Description)
	if f.Scenario != "" {
		text += " (when: " + f.Scenario + ")"
	}
	return strings.Join(strings.Fields(text), " ")
}

// Take merges an auditor's findings and verdict into the run and the open phase. taken is false if
// the report has neither. changed reports whether the plan file differs from the approved plan. On
// error, nothing changes.
func Take(s loop.State, report loop.Report, head string, changed bool) (taken bool, err error) {
	t := s.Tick
	if !given(report) {
		return false, nil
	} else if t.Attempt.Judged != nil || !t.Attempt.Sent && s.Run.Conducted() {
		return false, hint.New("end your turn; the auditor will report them",
			"only a running auditor may report findings and a verdict")
	}
	run, own := Of(s.Run).clone(), *t.Attempt
	draft := *t
	draft.Attempt = &own
	draft.Notes = slices.Clip(t.Notes)
	if err := run.holdPlan(&draft, changed, head); err != nil {
		return false, err
	}
	if err := run.take(&draft, report, head); err != nil {
		return false, err
	}
	t.Notes = draft.Notes
	*Of(s.Run), *t.Attempt = *run, own
	return true, nil
}

// told returns the output of the auditor's `hooks report`: the changes that its report made. It
// returns "" for a report without auditor fields. It returns an error outside an audit, or if the
// auditor made no call with this report.
func told(s loop.State, report loop.Report, sum string) (string, error) {
	a, r := s.Tick.Attempt, Of(s.Run)
	switch {
	case !given(report):
		return "", nil
	case r == nil || !PhaseOf(a).Audits():
		now := "an iteration of the " + string(s.Run.Skill) + " loop"
		if a != nil && r != nil {
			now = r.Name(a)
		}
		return "", hint.New("leave these fields out", "only an audit may report the fields "+
			"findings, resolved and verdict, but this is %s", now)
	case a.Told != sum:
		return "", hint.New("the auditor must report with "+ReportForm,
			"report refused: the auditor made no call with this text")
	}
	said := r.Result()
	if v := a.Reported; v != nil {
		if v.Word == cleanWord && r.Found.Bugs > 0 {
			said += "; an open bug makes the verdict dirty"
		}
		said += fmt.Sprintf("; verdict %s at %s", v.Word, attempt.Short(v.SHA))
	}
	if len(a.Opened) > 0 {
		said = "opened " + strings.Join(a.Opened, ", ") + "; " + said
	}
	return said, nil
}

// ReportForm describes the call that an auditor uses to report.
const ReportForm = "one call that runs only `hooks report <<< '{\"verdict\":\"clean\"}'`"
