package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// RecurringGate asks about a finding that auditor and coder hand back and forth (A73).
const RecurringGate = "finding-recurring"

// recurringDue asks about each finding that will have been open at three audits in a row, or that
// an auditor gave up without a commit; else about a section that was dirty in three audits in a
// row, whatever was found in it.
func recurringDue(f *Facts) (due []Gate) {
	a, r := f.Tick.Attempt, f.Run.Audit
	if a == nil || !a.Phase.Audits() || a.Judged == nil || a.Judged.Verdict != Dirty {
		return nil
	}
	for _, one := range r.Which(OpenFinding) {
		why, seen := one.Doubt, r.Audits-one.Since+1
		if why == "" && seen >= maxSeen {
			why = fmt.Sprintf("open after %d audits", seen)
		}
		if why != "" {
			due = append(due, Gate{
				Question: fmt.Sprintf("Finding %s is %s: %s Try again, accept it, or stop the "+
					"loop?", one.ID, why, sentence(one.String())),
				Target: one.ID,
			})
		}
	}
	if seen := r.Dirty + 1; len(due) == 0 && seen >= maxSeen {
		what := fmt.Sprintf("Section %d", a.Task)
		if a.Phase == FinalAuditing {
			what = "The plan"
		}
		due = append(due, Gate{
			Question: fmt.Sprintf("%s is dirty in %d audits in a row, with %s, %s. Try again, "+
				"accept what is open, or stop the loop?", what, seen,
				Plural(r.Found.Bugs, "open bug"), Plural(r.Found.Warnings, "open warning")),
			Target: allFindings,
		})
	}
	return due
}

// allFindings is the target of the question about a whole section.
const allFindings = "all"

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
		f := &r.Findings[i]
		if f.ID == g.Target || g.Target == allFindings && f.State == OpenFinding {
			if f.Since, f.Doubt = since, ""; act == "accept" {
				f.State = AcceptedFinding
			}
		}
	}
	r.Dirty = min(r.Dirty, r.Audits-since) // as if the section's last audit was its first
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

// Steer does a person's `hooks audit accept`, `close` or `add` in a terminal: text is the id of a
// finding that is open, or a new bug. The history has it like an answer. head is the
// worktree's commit; the findings were read. An error changes nothing.
func (b *Budget) Steer(t *Tick, word, text, head string, now time.Time) error {
	r := b.Audit
	at := Tick{Iteration: b.IterationsUsed, Attempt: &Attempt{Task: r.Section + 1}}
	if t != nil && t.Attempt != nil {
		at = *t
	}
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == text })
	switch {
	case word == "add":
		if err := r.add(&at, FoundOne{Severity: Bug, Description: text}, head); err != nil {
			return err
		}
	case i < 0 || r.Findings[i].State != OpenFinding:
		return &flagError{fmt.Sprintf("no finding %q is open", text),
			"`hooks audit findings` lists them"}
	case word == "accept":
		r.Findings[i].State, r.Findings[i].Doubt = AcceptedFinding, ""
	default:
		r.Findings[i].resolve(r, &at)
	}
	r.Tally()
	b.Idle = nil // a person has intervened
	settled := func(g Gate) bool {
		return g.Name == RecurringGate &&
			(g.Target == text || g.Target == allFindings && r.open() == 0)
	}
	said := GateAnswer{Name: RecurringGate, Question: "hooks audit " + word, Answer: text, At: now}
	b.Pending = slices.DeleteFunc(slices.Clone(b.Pending), settled)
	if t == nil {
		b.Carried = append(slices.Clone(b.Carried), said)
		return nil
	}
	t.Pending = slices.DeleteFunc(slices.Clone(t.Pending), settled)
	t.Answered = append(slices.Clone(t.Answered), said)
	if a := t.Attempt; a != nil && !t.Started {
		r.acceptLast(a.Head, a.Tree)
	}
	StartBody(b, t)
	return nil
}
