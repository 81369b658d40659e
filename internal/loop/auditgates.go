package loop

import (
	"fmt"
	"strings"
)

// RecurringGate asks about a finding that auditor and coder hand back and forth (A73).
const RecurringGate = "finding-recurring"

// recurringDue asks about each finding that will have been open at three audits in a row.
func recurringDue(f *Facts) (due []Gate) {
	a := f.Tick.Attempt
	if a == nil || !a.Phase.Audits() || a.Judged == nil || a.Judged.Verdict != Dirty {
		return nil
	}
	for _, one := range f.Run.Audit.Which(OpenFinding) {
		if seen := f.Run.Audit.Audits - one.Since + 1; seen >= maxSeen {
			due = append(due, Gate{
				Question: fmt.Sprintf("Finding %s is open after %d audits: %s Try again, accept "+
					"it, or stop the loop?", one.ID, seen, sentence(one.String())),
				Target: one.ID,
			})
		}
	}
	return due
}

func sentence(text string) string {
	return strings.TrimSuffix(shortened(text, 300), ".") + "."
}

// applyRecurring accepts the finding, or lets two more audits look at it.
func applyRecurring(run *Budget, tick *Tick, g Gate, act, _ string) {
	if run.Audit == nil {
		return
	}
	r, since := run.Audit, run.Audit.Audits
	if a := tick.Attempt; a == nil || !a.Phase.Audits() {
		since-- // the audit that asked is counted already
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.ID == g.Target {
			if f.Since = since; act == "accept" {
				f.State = AcceptedFinding
			}
		}
	}
	r.Tally()
	run.Idle = nil                   // a person has intervened
	if a := tick.Attempt; a != nil { // asked again as the iteration after it begins
		r.acceptLast(a.Head, a.Tree)
	}
}

// acceptLast takes the run's last audit as clean where a person accepted all that it left open and
// the commit is still checked out that it is about (A75). An answer at the audit's own end does the
// same at its close.
func (r *AuditRun) acceptLast(head, tree string) {
	audit := map[Phase]Phase{Coding: Auditing, Fixing: FinalAuditing}[r.Phase]
	v := r.Verdict
	if audit == "" || v == nil || v.Word != dirtyWord || v.SHA != head || tree != "" ||
		r.open() > 0 || r.Reason != "" || r.unchecked(head) != "" {
		return
	}
	r.Phase, r.Audits = audit, r.Audits-1
	r.fold(&Attempt{}, Judgement{Verdict: Dirty, Why: openFindings, SHA: head, Seen: v.Seen})
}

func tellRecurring(f *Facts) string {
	most, r := 0, f.Run.Audit
	if r.open() > 0 {
		most = r.Audits - r.Found.Since
	}
	return fmt.Sprintf("the oldest open finding was there at %s; asks at %d",
		Plural(most, "audit"), maxSeen)
}
