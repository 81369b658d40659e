package loop

import (
	"slices"
	"time"
)

// PersonRaise is a person's `hooks loop raise` in a terminal: other ceilings for a run that has not
// ended. It takes no iteration, and answers the budget question that waits.
type PersonRaise struct {
	Turn
	Flags Flags
	Words string // as the person typed them
}

func (e PersonRaise) step(s State, _ *Known) Outcome {
	if s.Run == nil || s.Run.Status == Halted {
		return Outcome{}
	}
	run, t := s.Run, s.Tick
	run.Ceilings = e.Flags.override(run.Ceilings)
	said := GateAnswer{Name: BudgetEscalation, Question: "hooks loop raise", At: e.Now,
		Answer: "raise " + e.Words}
	budget := func(g Gate) bool { return g.Name == BudgetEscalation }
	run.Pending = slices.DeleteFunc(slices.Clone(run.Pending), budget) // it is evaluated again
	if t == nil {
		run.Carried = append(slices.Clone(run.Carried), said)
		return Outcome{Save: Save{Run: run}}
	}
	if i := slices.IndexFunc(t.Pending, budget); i >= 0 {
		said.Question = t.Pending[i].Question
	}
	t.Pending = slices.DeleteFunc(slices.Clone(t.Pending), budget)
	t.Answered = append(slices.Clone(t.Answered), said)
	StartBody(run, t)
	return Outcome{Save: Save{Run: run, Tick: t}}
}

// Below names the first flag by which ceilings would be below what the run has used, and that; ""
// where none would.
func (b *Budget) Below(f Flags, t *Tick, now time.Time) (flag, used string) {
	c := f.override(b.Ceilings)
	prs := len(b.Touched(t))
	switch {
	case f.names("--max-iterations") && c.Iterations < b.IterationsUsed:
		return "--max-iterations", Plural(b.IterationsUsed, "iteration")
	case f.names("--max-prs") && c.PRs < prs:
		return "--max-prs", Plural(prs, "PR")
	case f.names("--max-minutes") && c.Minutes < b.Minutes(now):
		return "--max-minutes", Plural(b.Minutes(now), "minute")
	case f.names("--max-dollars") && c.Dollars > 0 && c.Dollars < b.DollarsEstimate:
		return "--max-dollars", "$" + b.DollarsEstimate.String()
	}
	return "", ""
}
