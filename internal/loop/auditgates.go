package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// RecurringGate asks about a finding that comes back in several audits (A73).
const RecurringGate = "finding-recurring"

var auditGates = []GateKind{
	{
		Name: RecurringGate, Header: "Finding", When: Exit,
		Holds: HoldNextTick, Safest: "again",
		Options: []Option{
			{"again", "Let the worker try again; two more audits look at it."},
			{"accept", "Leave it as it is; it no longer blocks, and the report names it."},
			{"stop", nothingMore},
		},
		Due: recurringDue, Apply: applyRecurring, Tell: tellRecurring,
	},
}

// recurringDue asks about each finding that was open at three audits in a row, or that an auditor
// called resolved or a warning without a commit. If there is none, it asks about a section that was
// dirty in three audits in a row.
func recurringDue(f *Facts) (due []Gate) {
	a, r := f.Tick.Attempt, AuditOf(f.Run)
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

// applyRecurring accepts the finding, or allows two more audits with it.
func applyRecurring(run *Budget, tick *Tick, g Gate, act, _ string) {
	r, since := AuditOf(run), AuditOf(run).Audits
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
	if a := tick.Attempt; a != nil { // asked again at the next iteration's entry
		r.acceptLast(a.Head, a.Tree)
	}
}

// acceptLast treats the run's last audit as clean if a person accepted everything that it left open
// and its commit is still checked out (A75). For an answer at the audit's own exit, count does the
// same when the iteration closes.
func (r *AuditRun) acceptLast(head, tree string) {
	audit := map[Phase]Phase{Coding: Auditing, Fixing: FinalAuditing}[r.Phase]
	v := r.Verdict
	if audit == "" || v == nil || v.Word != dirtyWord || v.SHA != head || tree != "" ||
		r.open() > 0 || r.Reason != "" || r.unchecked(head) != "" {
		return
	}
	r.Phase, r.Audits = audit, r.Audits-1
	r.count(&Attempt{}, Judgement{Verdict: Dirty, Why: openFindings, SHA: head, Seen: v.Seen})
}

func tellRecurring(f *Facts) string {
	most, r := 0, AuditOf(f.Run)
	if r.open() > 0 {
		most = r.Audits - r.Found.Since
	}
	return fmt.Sprintf("the oldest open finding was there at %s; asks at %d",
		Plural(most, "audit"), maxSeen)
}

// Steer applies a person's `hooks audit accept`, `close` or `add` in a terminal. text is the id of
// an open finding, or a new bug. The history records it like an answer. head is the worktree's
// commit. The findings must have been read. On error, nothing changes.
func (b *Budget) Steer(t *Tick, word, text, head string, now time.Time) error {
	r := AuditOf(b)
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
	said := GateAnswer{Name: RecurringGate, Question: "hooks audit " + word, Answer: text, At: now,
		Origin: OriginTerminal}
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

// audited checks a call against the restrictions of an audit loop's phases: an auditor only reads,
// and no phase asks, pushes or schedules (A67–A70).
func (e Call) audited(s State, k *Known) Outcome {
	r := AuditOf(s.Run) // nil if the file has lost it; the restrictions still apply
	if e.foreign(s) {
		return Outcome{}
	}
	a := s.Tick.Attempt
	during := a.Phase.In(a.Task, a.Of)
	switch {
	case e.Tool == "AskUserQuestion":
		return refuseCall(deny(AuditRule, "decide by the plan, or leave it to the audit",
			"No question is asked during %s", during))
	case e.Schedules != nil:
		return refuseCall(deny(AuditRule, "do it in this phase or leave it",
			"Nothing is scheduled during %s", during))
	}
	if a.Phase.Audits() && (e.Agent != "" || !s.Run.feeds()) {
		if k.lacks(&k.Looks) {
			return Outcome{Need: k}
		}
		if k.Looks.Is.Reports {
			return e.reports(s, k)
		}
		if l := k.Looks.Is; !l.Only && !l.Check {
			way := "read, or report with `hooks report`; what is wrong is a finding"
			if r != nil && r.Check != "" {
				way = "read, run `" + r.Check + "` or report with `hooks report`"
				if flag := OneTest(r.Check); flag != "" {
					way += "; `" + r.Check + " " + flag + " NAME` runs one test"
				}
			}
			return refuseCall(deny(AuditRule, way, "%s is refused: %s changes nothing", e.Tool,
				during))
		}
		if a.looks(k.Looks.Is.Files, k.Looks.Is.Check) {
			return Outcome{Save: Save{Tick: s.Tick}}
		}
		return Outcome{}
	}
	return e.publishes(s, k, during)
}

// OneTest returns the flag with which an auditor may append one test to a check, or "" if it may
// not.
func OneTest(check string) string {
	for _, row := range [][2]string{{"go test ", "-run"}, {"pytest ", "-k"},
		{"python -m pytest ", "-k"}, {"python3 -m pytest ", "-k"}, {"npx jest ", "-t"},
		{"npx vitest run ", "-t"}} {
		if strings.HasPrefix(check+" ", row[0]) {
			return row[1]
		}
	}
	return ""
}

// reports takes an auditor's report from the text of its call before the call runs, because the
// program that it starts might read another text.
func (e Call) reports(s State, k *Known) Outcome {
	if k.lacks(&k.Told) {
		return Outcome{Need: k}
	}
	t := k.Told.Is
	if t.Wrong != "" || AuditOf(s.Run) == nil {
		return refuseCall(deny(AuditRule, t.Way, "Not taken: %s", t.Wrong))
	}
	f := Look(s.Run, s.Tick, nil, e.Now)
	if taken, err := f.TakeAudit(t.Report, t.Head, t.PlanChanged); err != nil {
		return refuseCall(deny(AuditRule, err.Way, "Not taken: %s", err.Text))
	} else if !taken {
		return Outcome{}
	}
	s.Tick.Reported, s.Tick.Attempt.Told = true, t.Sum
	return Outcome{Save: Save{Run: s.Run, Tick: s.Tick}}
}

// publishes refuses pushes, pull requests, and settings by which an auditor's git would start a
// program. A post action may push if the project's configuration says so. If the brake is in place,
// a call that cannot be read is judged by it.
func (e Call) publishes(s State, k *Known, during string) Outcome {
	if r := AuditOf(s.Run); r != nil && r.Phase == PostAction && r.Post != nil && r.Post.Push {
		return Outcome{}
	}
	if k.lacks(&k.Reading) {
		return Outcome{Need: k}
	}
	r := k.Reading.Is
	what := r.Pushes
	for _, act := range r.Acts {
		if what == "" && act.Kind == ActOpen {
			what = act.Command
		}
	}
	switch {
	case r.Shown != "":
		return refuseCall(deny(AuditRule, "leave it out", "Not done: %s. Git would run it "+
			"for the auditor, unchecked", r.Shown))
	case what != "":
		return refuseCall(deny(AuditRule, "commit; a person pushes after the audit is clear",
			"Not published: %s. Nothing leaves the worktree during %s", what, during))
	case r.Opaque != "" && r.Reaches && !r.Braked:
		return refuseCall(deny(AuditRule,
			"write it plainly, without text that is only known when it runs",
			"This command cannot be read and it could push: %s", r.Opaque))
	}
	return Outcome{}
}
