package loop

import (
	"slices"
	"strings"
)

// audited holds the calls of an audit loop's phase against its restrictions: an auditor only looks,
// and no phase asks, pushes or schedules (A67–A70).
func (e Call) audited(s State, k *Known) Outcome {
	r := s.Run.Audit // nil where the file has lost it: what a phase may not do stays refused
	if s.Run.Skill != Audit || e.between(s) || !e.open(s) || e.foreign(s) ||
		s.Tick.Attempt == nil {
		return Outcome{}
	}
	a := s.Tick.Attempt
	switch {
	case e.Tool == "AskUserQuestion":
		return refuseCall(deny(AuditRule, "decide by the plan, or leave it to the audit",
			"No question is asked during %s", a.Name()))
	case e.Schedules != nil:
		return refuseCall(deny(AuditRule, "do it in this phase or leave it",
			"Nothing is scheduled during %s", a.Name()))
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
				a.Name()))
		}
		if a.looks(k.Looks.Is.Files, k.Looks.Is.Check) {
			return Outcome{Save: Save{Tick: s.Tick}}
		}
		return Outcome{}
	}
	return e.publishes(s, k, a.Name())
}

// OneTest is the flag by which an auditor may name one test behind a check, "" if it may not.
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

// reports takes what an auditor reports from its call, before that runs: what the program that it
// starts then reads could be another's.
func (e Call) reports(s State, k *Known) Outcome {
	if k.lacks(&k.Told) {
		return Outcome{Need: k}
	}
	t := k.Told.Is
	if t.Wrong != "" || s.Run.Audit == nil {
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

// between reports whether a conductor's turn continues between two tasks or phases.
func (e Call) between(s State) bool {
	return s.Tick == nil && s.Run.feeds() && s.Run.Status == Active && e.Agent == "" &&
		e.Session == s.Run.SessionID &&
		slices.Contains(s.Run.LastPrompts, e.Prompt)
}

// publishes refuses what would leave the worktree, pushes and pull requests, and settings by which
// an auditor's git would start a program. A post action may do
// it where the project's configuration says so. What is not plain is judged as it starts where the
// brake is.
func (e Call) publishes(s State, k *Known, during string) Outcome {
	if r := s.Run.Audit; r != nil && r.Phase == PostAction && r.Post != nil && r.Post.Push {
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
		return refuseCall(deny(AuditRule, "leave it out", "Not done: %s. Without the brake git "+
			"would run it for the auditor", r.Shown))
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
