package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/english"
)

// axis is one of a run's ceilings and the current value it limits, in whole units or cents.
type axis struct {
	name           string // as shown in a question; in lower case, it ends the flag's name
	value, ceiling int64
	text           string // value and ceiling for people, such as "4/5"
}

// raise raises the axis's ceiling in c by half, rounded up.
func (a axis) raise(c *Ceilings) {
	if n := c.units("--max-" + strings.ToLower(a.name)); n != nil {
		*n = max(*n, min(*n+(*n+1)/2, MaxUnits))
		return
	}
	half := (c.Dollars/2 + Cent - 1) / Cent * Cent // in whole cents
	c.Dollars = c.Dollars.Plus(half)
}

// near reports whether the value has reached 80 % of the ceiling.
func (a axis) near() bool { return a.value*5 >= a.ceiling*4 }

// axes returns the run's ceilings with values projected for this tick. The projection includes this
// iteration and the planned PRs; minutes and dollars are current (R92, R95).
func (f *Facts) axes() []axis {
	c := f.Run.Ceilings
	plain := func(name string, value, ceiling int) axis {
		return axis{name, int64(value), int64(ceiling), fmt.Sprintf("%d/%d", value, ceiling)}
	}
	used := f.Run.IterationsUsed
	if f.Tick == nil || !f.Tick.Started && f.Tick.Iteration != used {
		used++
	}
	all := []axis{plain("iterations", used, c.Iterations)}
	if f.Run.CountsPRs() {
		prs := len(f.PRs)
		if f.Tick != nil {
			prs += max(0, len(f.Tick.Report.Plan)-len(f.Tick.PRs))
		}
		all = append(all, plain("PRs", prs, c.PRs))
	}
	if c.Minutes < MaxUnits {
		all = append(all, plain("minutes", f.Minutes, c.Minutes))
	}
	if c.Dollars > 0 {
		all = append(all, axis{
			"dollars", f.Run.DollarsEstimate.Cents(), c.Dollars.Cents(),
			fmt.Sprintf("$%s/$%s", f.Run.DollarsEstimate, c.Dollars),
		})
	}
	return all
}

// budgetDue asks one question about all ceilings at least 80 % used in this tick (R92–R97).
func budgetDue(f *Facts) []Gate {
	var parts []string
	raised := f.Run.Ceilings
	for _, a := range f.axes() {
		if a.value >= a.ceiling { // the run will stop, so no one is asked (R94)
			return nil
		}
		if a.near() {
			parts = append(parts, fmt.Sprintf("%s (%s)", a.name, a.text))
			a.raise(&raised)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	noun := "ceiling"
	if len(parts) > 1 {
		noun = "ceiling(s)"
	}
	return []Gate{{
		Question: fmt.Sprintf("Approaching %s. Continue, raise %s, or stop?", enumerate(parts),
			noun),
		Raise: &raised,
	}}
}

// applyPolicy answers the waiting budget question if a person has answered it in advance with
// --near-limit. Each use is recorded as an answer to the question (R107).
func (t *Tick) applyPolicy(run *Budget, now time.Time) {
	if run.NearLimit != NearContinue && run.NearLimit != NearStop {
		return
	}
	if i := slices.IndexFunc(t.Pending, Gate.ofBudget); i >= 0 {
		Answer(run, t, i, GateAnswer{Name: BudgetEscalation, Question: t.Pending[i].Question,
			Answer: run.NearLimit, At: now, Origin: OriginFlag})
	}
}

// enumerate joins parts into a phrase: "a", "a and b", or "a, b, and c".
func enumerate(parts []string) string {
	last := len(parts) - 1
	if last < 2 {
		return strings.Join(parts, " and ")
	}
	return strings.Join(parts[:last], ", ") + ", and " + parts[last]
}

// Limits describes the run's ceilings for people.
func (b *Budget) Limits() string { return b.Ceilings.text(b.CountsPRs()) }

// text describes the ceilings, including the PR ceiling if the run has one (R95).
func (c Ceilings) text(countsPRs bool) string {
	prs, minutes, dollars := "", "no minute ceiling", "no dollar ceiling"
	if countsPRs {
		prs = english.Plural(c.PRs, "PR") + ", "
	}
	if c.Minutes < MaxUnits {
		minutes = english.Plural(c.Minutes, "minute")
	}
	if c.Dollars > 0 {
		dollars = "$" + c.Dollars.String()
	}
	return fmt.Sprintf("%s, %s%s, %s", english.Plural(c.Iterations, "iteration"), prs, minutes,
		dollars)
}

// raiseTo returns the terminal command that sets the run's ceilings to the values in to.
func (b *Budget) raiseTo(to Ceilings) string {
	return "hooks loop raise " + string(b.Skill) + b.Ceilings.Flags(to)
}

// Flags returns the flags that change the ceilings from c to to, each preceded by a space.
func (c Ceilings) Flags(to Ceilings) (flags string) {
	for _, name := range limits[:3] {
		if then := *to.units(name); then != *c.units(name) {
			flags += fmt.Sprintf(" %s %d", name, then)
		}
	}
	switch then := to.Dollars; {
	case then == c.Dollars:
	case then%Cent != 0:
		flags += " --max-dollars " + then.Decimal()
	default:
		flags += " --max-dollars " + strings.TrimSuffix(then.String(), ".00")
	}
	return flags
}

// RaiseCommand returns the terminal command to raise by half every ceiling that is at least 80 %
// used. It returns "" if there is no such ceiling or the run has ended.
func (b *Budget) RaiseCommand(t *Tick, now time.Time) string {
	to := b.Ceilings
	for _, a := range Look(b, t, nil, now).axes() {
		if a.near() {
			a.raise(&to)
		}
	}
	if b.Status == Halted || to == b.Ceilings {
		return ""
	}
	return b.raiseTo(to)
}

func applyBudget(run *Budget, _ *Tick, g Gate, act, answer string) {
	if act != "raise" || g.Raise == nil {
		return
	}
	to := *g.Raise
	if own, ok := parseRaise(answer, run.Ceilings); ok {
		to = own
	}
	run.Ceilings = to
}

// parseRaise parses a person's own ceilings, such as "dollars=50 iterations=12", into c. It returns
// false if the answer contains anything else or an invalid value.
func parseRaise(answer string, c Ceilings) (Ceilings, bool) {
	words := strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' })
	for _, w := range words {
		name, value, ok := strings.Cut(strings.ToLower(w), "=")
		if !ok || !c.set(name, strings.TrimPrefix(value, "$")) {
			return c, false
		}
	}
	return c, len(words) > 0
}

func (c *Ceilings) set(name, value string) bool {
	if name == "dollars" {
		return dollars(name, value, "", &c.Dollars) == nil && c.Dollars > 0
	}
	to := c.units("--max-" + name)
	return to != nil && number(name, value, to) == nil
}

// PersonRaise is the event of `hooks loop raise` in a terminal. It sets new ceilings for a run that
// has not ended, uses up no iteration, and counts as the answer to a waiting budget question.
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
	run.Ceilings = run.Ceilings.With(e.Flags.Ceilings, e.Flags.explicit)
	said := GateAnswer{Name: BudgetEscalation, Question: "hooks loop raise", At: e.Now,
		Answer: "raise " + e.Words, Origin: OriginTerminal}
	// budgetDue asks again if a ceiling is still near
	run.Pending = slices.DeleteFunc(slices.Clone(run.Pending), Gate.ofBudget)
	if t == nil {
		run.Carried = append(slices.Clone(run.Carried), said)
		return Outcome{Save: Save{Run: run}}
	}
	if g := first(t.Pending, Gate.ofBudget); g != nil {
		said.Question = g.Question
	}
	t.Pending = slices.DeleteFunc(slices.Clone(t.Pending), Gate.ofBudget)
	t.Answered = append(slices.Clone(t.Answered), said)
	StartBody(run, t)
	return Outcome{Save: Save{Run: run, Tick: t}}
}

// Below returns the first flag that would set a ceiling below the amount already used, and that
// amount. It returns empty strings if there is no such flag.
func (b *Budget) Below(f Flags, t *Tick, now time.Time) (flag, used string) {
	c := b.Ceilings.With(f.Ceilings, f.explicit)
	prs := len(b.Touched(t))
	switch {
	case f.Names("--max-iterations") && c.Iterations < b.IterationsUsed:
		return "--max-iterations", english.Plural(b.IterationsUsed, "iteration")
	case f.Names("--max-prs") && c.PRs < prs:
		return "--max-prs", english.Plural(prs, "PR")
	case f.Names("--max-minutes") && c.Minutes < b.Minutes(now):
		return "--max-minutes", english.Plural(b.Minutes(now), "minute")
	case f.Names("--max-dollars") && c.Dollars > 0 && c.Dollars < b.DollarsEstimate:
		return "--max-dollars", "$" + b.DollarsEstimate.String()
	}
	return "", ""
}
