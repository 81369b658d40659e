package loop

import "fmt"

// RecurringGate asks about a finding that auditor and coder hand back and forth (A73).
const RecurringGate = "finding-recurring"

// recurringDue asks about each finding that will have been open at three audits in a row.
func recurringDue(f *Facts) (due []Gate) {
	if f.Tick == nil || f.Tick.Attempt == nil || !f.Tick.Attempt.Phase.Audits() {
		return nil
	}
	if j := f.Tick.Attempt.Judged; j == nil || j.Verdict != Dirty {
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
	return shortened(text, 300) + "."
}

// applyRecurring accepts the finding, or lets two more audits look at it.
func applyRecurring(run *Budget, _ *Tick, g Gate, act, _ string) {
	if run.Audit == nil {
		return
	}
	r := run.Audit.clone()
	for i := range r.Findings {
		if f := &r.Findings[i]; f.ID == g.Target {
			if f.Since = r.Audits; act == "accept" {
				f.State = AcceptedFinding
			}
		}
	}
	r.Tally()
	run.Audit = r
}

func tellRecurring(f *Facts) string {
	most, r := 0, f.Run.Audit
	if r.open() > 0 {
		most = r.Audits - r.Found.Since
	}
	return fmt.Sprintf("the oldest open finding was there at %d audits; asks at %d", most, maxSeen)
}
