package audit

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/guard/effect"
	"hooks/internal/hint"
	"hooks/internal/loop"
)

// RecurringGate asks about a finding that stays open, or a section that stays dirty (A73).
const RecurringGate = "finding-recurring"

var gates = []loop.GateKind{
	{
		Name: RecurringGate, Header: "Finding", When: loop.Exit, Safest: "again",
		Options: []loop.Option{
			{Label: "again", Description: "Try again; you are asked again after two more audits."},
			{Label: "accept",
				Description: "Leave it as it is; it blocks nothing, but stays in the report."},
			{Label: "stop", Description: loop.NothingMore},
		},
		Due: recurringDue, Apply: applyRecurring,
		Tell: loop.Says("asks when a finding stays open, or a section stays dirty, for three " +
			"audits in a row").Tell,
	},
}

// recurringDue asks about each finding that stayed open for three audits in a row, that an auditor
// reported as resolved without a commit, or that was a bug and is now reported as a warning. If
// there are none, it asks about a section that stayed dirty for three audits in a row.
func recurringDue(f *loop.Facts) (due []loop.Gate) {
	a, r := f.Tick.Attempt, Of(f.Run)
	if !PhaseOf(a).Audits() || a.Judged == nil || a.Judged.Verdict != attempt.Dirty {
		return nil
	}
	for _, one := range r.Which(OpenFinding) {
		why, seen := one.Doubt, r.Audits-one.Since+1
		if why == "" && seen >= maxSeen {
			why = fmt.Sprintf("open after %d audits", seen)
		}
		if why != "" {
			due = append(due, loop.Gate{
				Question: fmt.Sprintf("Finding %s is %s: %s Try again, accept it, or stop the "+
					"loop?", one.ID, why, sentence(one.String())),
				Target: one.ID,
			})
		}
	}
	if seen := r.Dirty + 1; len(due) == 0 && seen >= maxSeen {
		what := fmt.Sprintf("Section %d", a.Task)
		if PhaseOf(a) == FinalAuditing {
			what = "The plan"
		}
		due = append(due, loop.Gate{
			Question: fmt.Sprintf("%s has been dirty in %d audits in a row, with %s and %s. Try "+
				"again, accept the open findings, or stop the loop?", what, seen,
				english.Plural(r.Found.Bugs, "open bug"),
				english.Plural(r.Found.Warnings, "open warning")),
			Target: allFindings,
		})
	}
	return due
}

// allFindings is the target of a question about a whole section or plan.
const allFindings = "all"

func sentence(text string) string {
	return strings.TrimSuffix(loop.Shortened(text, 300), ".") + "."
}

// applyRecurring accepts the findings in question, or lets them stay open for two more audits.
func applyRecurring(run *loop.Budget, tick *loop.Tick, g loop.Gate, act, _ string) {
	r, since := Of(run), Of(run).Audits
	if !PhaseOf(tick.Attempt).Audits() {
		since-- // the audit that raised the question is already counted
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.ID == g.Target || g.Target == allFindings && f.State == OpenFinding {
			if f.Since, f.Doubt = since, ""; act == "accept" {
				f.State = AcceptedFinding
			}
		}
	}
	r.Dirty = min(r.Dirty, r.Audits-since) // as if the section's last audit were its first
	r.Tally()
	run.Idle = nil                   // a person has intervened
	if a := tick.Attempt; a != nil { // the answer came at the next iteration's entry
		r.acceptLast(a)
	}
}

// acceptLast treats the run's last audit as clean if a person accepted all its open findings and
// the attempt begins on the audited commit (A75). If a person answers at the audit's own exit,
// count does this when the iteration closes.
func (r *Run) acceptLast(a *attempt.Attempt) {
	v, head := r.Verdict, a.Head
	if !r.Phase.Codes() || v == nil || v.Word != dirtyWord || v.SHA != head || a.Tree != "" ||
		r.open() > 0 || r.Reason != "" || r.whyUnchecked(head) != "" {
		return
	}
	r.Phase, r.Audits = r.Phase.turn(), r.Audits-1
	r.count(&attempt.Attempt{}, attempt.Judgement{Verdict: attempt.Dirty, Why: openFindings,
		SHA:  head,
		Seen: v.Seen})
}

// maxFinding bounds a person's finding, in bytes. Strings in a report have the same limit.
const maxFinding = 4000

// steer applies a person's `hooks audit accept`, `close` or `add` to an incomplete audit. by.Text
// is the id of an open finding, or describes a new bug. The history records the command as an
// answer.
func steer(s loop.State, by loop.Steering) (said string, err error) {
	b, r, text := s.Run, Of(s.Run), strings.Join(strings.Fields(by.Text), " ")
	switch {
	case text == "" || len(text) > maxFinding:
		return "", hint.New("describe the bug, as in `hooks audit add \"the page has no title\"`",
			"a finding must be 1 to %d bytes long", maxFinding)
	case r == nil || loop.Completes(b.StopCause):
		return "", hint.New("list all loops with `hooks status`",
			"no audit is running in this project")
	}
	by.Text = by.Redact(text)
	if err := r.steer(b, s.Tick, by); err != nil {
		return "", err
	}
	return r.Result() + "; `hooks audit findings` lists the findings", nil
}

func (r *Run) steer(b *loop.Budget, t *loop.Tick, by loop.Steering) error {
	at := loop.Tick{Iteration: b.IterationsUsed, Attempt: &attempt.Attempt{Task: r.Section + 1}}
	if t != nil && t.Attempt != nil {
		at = *t
	}
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == by.Text })
	switch {
	case by.Word == "add":
		if err := r.add(&at, loop.ReportedFinding{Severity: string(Bug), Description: by.Text},
			by.Head); err != nil {
			return err
		}
	case i < 0 || r.Findings[i].State != OpenFinding:
		return hint.New("see `hooks audit findings` for the list", "no finding %q is open", by.Text)
	case by.Word == "accept":
		r.Findings[i].State, r.Findings[i].Doubt = AcceptedFinding, ""
	default:
		r.Findings[i].resolve(r, &at)
	}
	r.Tally()
	b.Idle = nil // a person has intervened
	settled := func(g loop.Gate) bool {
		return g.Name == RecurringGate &&
			(g.Target == by.Text || g.Target == allFindings && r.open() == 0)
	}
	answer := loop.GateAnswer{Name: RecurringGate, Question: "hooks audit " + by.Word,
		Answer: by.Text, At: by.Now, Origin: loop.OriginTerminal}
	b.Pending = slices.DeleteFunc(slices.Clone(b.Pending), settled)
	if t == nil {
		b.Carried = append(slices.Clone(b.Carried), answer)
		return nil
	}
	t.Pending = slices.DeleteFunc(slices.Clone(t.Pending), settled)
	t.Answered = append(slices.Clone(t.Answered), answer)
	if a := t.Attempt; a != nil && !t.Started {
		r.acceptLast(a)
	}
	loop.StartBody(b, t)
	return nil
}

// audited enforces the rules for calls in an audit loop (A67–A70). An auditor may only read. No
// phase may ask a person or schedule work. Only a post action with permission may push.
func audited(e loop.Call, s loop.State, k *loop.Known) loop.Outcome {
	r := Of(s.Run) // nil if the run file lost it; the restrictions still apply
	if e.Foreign(s) {
		return loop.Outcome{}
	}
	a := s.Tick.Attempt
	during := PhaseOf(a).In(a.Task, a.Of)
	switch {
	case e.Tool == "AskUserQuestion":
		return loop.RefuseCall(loop.AuditRule,
			"decide according to the plan, or leave the decision to the audit",
			"Asking a person is not allowed during %s", during)
	case e.Schedules != nil:
		return loop.RefuseCall(loop.AuditRule, "do the work in this phase, or leave it undone",
			"Scheduling is not allowed during %s", during)
	}
	if PhaseOf(a).Audits() && (e.Agent != "" || !s.Run.Conducted()) {
		k.Require(&k.Looks)
		if k.Looks.Value.Reports && r != nil {
			return reports(s, k)
		}
		if l := k.Looks.Value; !l.Only && !l.Check {
			way := "read, or report with `hooks report`; report each problem as a finding"
			if r != nil && r.Check != "" {
				way = "read, run `" + r.Check + "` or report with `hooks report`"
			}
			return loop.RefuseCall(loop.AuditRule, way,
				"%s is refused: nothing may change during %s", e.Tool, during)
		}
		if a.Look(k.Looks.Value.Files, k.Looks.Value.Check) {
			return loop.Outcome{Save: loop.Save{Tick: s.Tick}}
		}
		return loop.Outcome{}
	}
	return publishes(s, k, during)
}

// confine returns the restrictions on a phase. Nothing may leave the worktree, except through a
// post action that may push (A67).
func confine(field func(path string) string) (c loop.Confined) {
	p := Phase(field("phase"))
	if p == "" || p == PostAction && field("post_action.push") == "true" {
		return c
	}
	c = loop.Confined{During: fmt.Sprintf("the %s phase of an audit loop",
		strings.ReplaceAll(string(p), "_", " ")),
		Until: "the audit is clear", Reads: p.Audits(), Writes: p.Codes()}
	if c.Writes {
		c.Branch = field("branch")
	}
	return c
}

// reports reads an auditor's report from its call before the call runs, because the program that it
// starts might read a different report.
func reports(s loop.State, k *loop.Known) loop.Outcome {
	k.Require(&k.Told)
	t, taken := k.Told.Value, false
	err := refused(t)
	if err == nil {
		taken, err = Take(s, t.Report, t.Head, t.Plan != Of(s.Run).PlanSum)
	}
	if err != nil {
		return loop.RefuseCall(loop.AuditRule, hint.Of(err), "Report refused: %s", err)
	} else if !taken {
		return loop.Outcome{}
	}
	s.Tick.Reported, s.Tick.Attempt.Told = true, t.Sum
	return loop.Outcome{Save: loop.Save{Run: s.Run, Tick: s.Tick}}
}

// refused returns an error if a call may not report, regardless of what the report says.
func refused(t *loop.Told) error {
	switch {
	case !t.Shown:
		return hint.New("report with "+ReportForm, "the call does not contain the report text")
	case t.Bad != nil:
		return hint.New("report with "+ReportForm, "%w", t.Bad)
	case !t.ByAuditor:
		return hint.New("leave reports to the auditor", "only the auditor of this phase may report")
	}
	return nil
}

// publishes refuses pushes, pull requests, and settings that make an auditor's git start a program.
// A post action may push if the project's configuration allows it. Calls that the guard cannot read
// are left to the brake if it is in place.
func publishes(s loop.State, k *loop.Known, during string) loop.Outcome {
	if r := Of(s.Run); r != nil && r.Phase == PostAction && r.Post != nil && r.Post.Push {
		return loop.Outcome{}
	}
	k.Require(&k.Reading)
	r := k.Reading.Value
	what := r.Pushes
	for _, act := range r.Acts {
		if what == "" && act.Kind == effect.OpenPR {
			what = act.Command
		}
	}
	switch {
	case r.Shown != "":
		return loop.RefuseCall(loop.AuditRule, "leave the setting out", "Not done: %s. With this "+
			"setting, git would run an unchecked program for the auditor", r.Shown)
	case what != "":
		return loop.RefuseCall(loop.AuditRule, "commit; a person can push after the audit is clear",
			"Not published: %s. Pushes and pull requests are not allowed during %s", what, during)
	case r.Opaque != "" && r.Reaches && !r.Braked:
		return loop.RefuseCall(loop.AuditRule,
			"write it plainly, without text that is only known at run time",
			"This command cannot be read, and it could push: %s", r.Opaque)
	}
	return loop.Outcome{}
}
