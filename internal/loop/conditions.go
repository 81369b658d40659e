package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/english"
)

// everyRun returns true. It is the Applies function of rows for all kinds of runs.
func everyRun(*Budget) bool { return true }

// attempted reports whether the run's iterations are attempts. Rows use it as Applies.
func attempted(b *Budget) bool { return b.Own != nil }

// conditions lists the conditions shared by more than one kind of run.
var conditions = [...]Condition{
	{3, "iteration-budget", "iteration_budget", Entry | Exit, everyRun, iterationBudget,
		tellIterations, "resume with more iterations, or start a fresh run"},
	{4, "prs-touched-budget", "prs_touched_budget", Entry | Exit, (*Budget).CountsPRs, prBudget,
		tellPRs, "look at the open PRs, then resume with a higher ceiling or start a fresh run"},
	{5, "wall-clock-budget", "wall_clock_budget", Entry | Exit, everyRun, minuteBudget, tellMinutes,
		"resume with more minutes, or start a fresh run"},
	{6, "repeated-failure", "repeated_failure", Exit, everyRun, nil, tellFailure.Tell,
		"fix the cause of the failure, then resume"},
	{8, "user-interrupt", "user_interrupt", Entry | Exit, everyRun, userInterrupt,
		Says("fires on Esc, /loop stop, `hooks loop stop` and the end of the session").Tell,
		""},
	{9, "lock-contention", "lock_contention", Entry, everyRun, nil,
		Says("skips a tick if another iteration holds the lock; never ends the run").Tell,
		"wait until the other iteration ends, or look at its process"},
	{10, "prior-gate-stop", "prior_gate_stop", Entry, everyRun, nil,
		Says("fires when a gate is answered with stop").Tell,
		"settle what the gate asked about, then resume"},
	{11, "qmd-unreachable", "qmd_unreachable", Exit, everyRun, qmdUnreachable, tellQmd,
		"restart qmd, then resume"},
	{12, "cost-budget", costCause, Entry | Exit, everyRun, costBudget, tellDollars,
		"run `hooks cost`, then resume with more dollars or start a fresh run"},
	{15, "infrastructure", "api_unavailable", Exit, attempted, outages, tellOutages,
		"wait until the service answers, then resume"},
	{16, "no-fresh-context", "no_fresh_context", Exit, attempted, staleContext,
		Says("fires if a worker may not have started with a fresh context").Tell,
		"use `hooks go`, which starts one client per task, or another version of the client"},
	{20, "no-progress", "stalled", Entry | Exit, stalls, noProgress, tellIdle,
		"look at what the last iterations tried, fix the cause, then resume"},
}

// conditionsOfSpec is the number of the last condition that the specification defines. A person
// sees the specification's conditions and gates for every run, even if they do not apply.
const conditionsOfSpec = 12

// ConditionOf returns the condition with the cause. ok is false if there is none, for example for
// "gate_waiting", the cause of a pause.
func ConditionOf(cause string) (c Condition, ok bool) {
	if c := first(Conditions, func(c Condition) bool { return c.Cause == cause }); c != nil {
		return *c, true
	}
	return c, false
}

// evaluate returns all conditions that hold at this moment. Completing conditions come first.
func evaluate(f *Facts, at Moment) []Fired {
	var fired []Fired
	for _, c := range Conditions {
		if c.Holds == nil || c.When&at == 0 || !c.Applies(f.Run) {
			continue
		}
		if text := c.Holds(f); text != "" {
			at := len(fired)
			if Completes(c.Cause) { // finished work counts even if the run reaches a ceiling
				at = 0
			}
			fired = slices.Insert(fired, at,
				Fired{Condition: c.Name, Cause: c.Cause, Text: text})
		}
	}
	return fired
}

// exhausted returns the message of a PR, minute or dollar ceiling that the run has reached, or "".
// A long turn then dispatches no more work (R30). The iteration ceiling does not matter here,
// because its count already includes this iteration.
func exhausted(f *Facts) string {
	for _, fired := range evaluate(f, Exit) {
		switch fired.Condition {
		case "prs-touched-budget", "wall-clock-budget", "cost-budget":
			return fired.Text
		}
	}
	return ""
}

// Completes reports whether a run that ends for this cause has done all of its work.
func Completes(cause string) bool {
	return cause != "" && slices.ContainsFunc(Kinds, func(k Kind) bool {
		return k.Completes == cause
	})
}

func iterationBudget(f *Facts) string {
	if f.Run.IterationsUsed < f.Run.Ceilings.Iterations {
		return ""
	}
	return fmt.Sprintf("Iteration budget reached: %d / %d", f.Run.IterationsUsed,
		f.Run.Ceilings.Iterations)
}

func prBudget(f *Facts) string {
	if len(f.PRs) < f.Run.Ceilings.PRs {
		return ""
	}
	return fmt.Sprintf("PR budget reached: %d / %d", len(f.PRs), f.Run.Ceilings.PRs)
}

// PRsLeft returns how many PRs may still be opened or taken up. unbounded is true for a run that
// watches a single PR (R28–R30).
func (f *Facts) PRsLeft() (left int, unbounded bool) {
	return max(0, f.Run.Ceilings.PRs-len(f.PRs)), f.Run.SinglePR != 0
}

func minuteBudget(f *Facts) string {
	if f.Minutes < f.Run.Ceilings.Minutes {
		return ""
	}
	return fmt.Sprintf("Wall-clock budget reached: %d / %d minutes", f.Minutes,
		f.Run.Ceilings.Minutes)
}

const costCause = "cost_budget"

func costBudget(f *Facts) string {
	spent, most := f.Run.DollarsEstimate, f.Run.Ceilings.Dollars
	if most == 0 || spent < most {
		return ""
	}
	return fmt.Sprintf("Cost budget reached: $%s / $%s", spent, most)
}

func userInterrupt(f *Facts) string {
	if f.Tick == nil || f.Tick.Interrupted == "" {
		return ""
	}
	return "Loop interrupted: " + f.Tick.Interrupted
}

// qmdUnreachable also requires that qmd was unreachable in this iteration. The counter alone does
// not show that, because it survives a resume and iterations that fail for another reason (R52).
func qmdUnreachable(f *Facts) string {
	if f.Run.QmdFailuresConsecutive < 2 || f.Tick == nil || !f.Tick.qmdDown() {
		return ""
	}
	return fmt.Sprintf("qmd unreachable for %d iterations — fix per ADR-0024 (e.g., restart qmd "+
		"daemon) and resume", f.Run.QmdFailuresConsecutive)
}

// contentionNote returns the note about a skipped tick (R46).
func contentionNote(iteration, pid int) string {
	return fmt.Sprintf("Previous iteration %d still active (pid %d) — skipping this tick",
		iteration, pid)
}

// priorStop returns the reason why a tick of a halted or paused run does not begin (R51).
func priorStop(b *Budget) string {
	if b.StopDetail != nil {
		return fmt.Sprintf("Loop already stopped at gate %s in iteration %d", b.StopDetail.Gate,
			b.StopDetail.Iteration)
	}
	if len(b.Pending) > 0 {
		return "Loop paused at gate " + b.Pending[0].Name +
			" — answer it with `hooks gate answer`, then type the command with --resume"
	}
	return fmt.Sprintf("Loop already stopped: %s — %s", b.StopCause, b.StopText)
}

// Idle counts consecutive iterations that changed nothing (A28, T91). It is nil after an iteration
// that changed something.
type Idle struct {
	Iterations int `json:"iterations"`
	// commit where the first of these iterations began
	Since  string `json:"since,omitempty"`
	Before USD    `json:"dollars_before"` // the run's dollars at that time
}

// maxIdle is the minimum number of consecutive idle iterations that stall a task or audit loop. A
// task loop may need more, because a task uses all its attempts first (T57). A work or prompt loop
// stalls only if a person sets the number.
const maxIdle = 3

func (b *Budget) maxIdle() int {
	if b.MaxIdle > 0 {
		return b.MaxIdle
	}
	return max(maxIdle, b.Attempts().MaxIdle)
}

// foldIdle counts the ending iteration as idle or resets the count; before is the run without that
// iteration. If the API or a person ended it, or git failed, the count stays.
func (b *Budget) foldIdle(t *Tick, before *Budget, e Ending) {
	a := t.Attempt
	if b.MaxIdle > 0 {
		if t.Started && t.Failed == "" && t.Interrupted == "" && t.Trail != "" && e.Trail != "" {
			head, _, _ := strings.Cut(t.Trail, " ")
			// local git may not show a merge or a new PR
			b.countIdle(t.Trail != e.Trail || t.Merges+len(t.Observed.PRs) > 0, head, before)
		}
		return
	}
	if a == nil || b.Own == nil || !t.Started || t.Verdict().Verdict == attempt.Outage {
		return
	}
	if changed := a.Moved() || a.Closed() || b.Own.Advanced(before.Own); changed ||
		!a.Sent || a.EndHead != "" {
		b.countIdle(changed, a.Head, before)
	}
}

// countIdle updates the count of idle iterations after an iteration that began at commit head.
func (b *Budget) countIdle(changed bool, head string, before *Budget) {
	if changed {
		b.Idle = nil
		return
	}
	if b.Idle == nil {
		b.Idle = &Idle{Since: head, Before: before.DollarsEstimate}
	}
	b.Idle.Iterations++
}

// stalls reports whether the run must make progress. Rows use it as Applies. A work or prompt loop
// must make progress only if a person requests it.
func stalls(b *Budget) bool { return attempted(b) || b.MaxIdle > 0 }

func noProgress(f *Facts) string {
	if i := f.Run.Idle; i == nil || i.Iterations < f.Run.maxIdle() {
		return ""
	}
	return f.Run.idleText()
}

// idleText describes Idle, such as "nothing changed for 2 iterations, $4.10 spent since abc1234".
func (b *Budget) idleText() string {
	return fmt.Sprintf("nothing changed for %s ($%s spent since %s)",
		english.Plural(b.Idle.Iterations, "iteration"), b.DollarsEstimate.minus(b.Idle.Before),
		cmp.Or(attempt.Short(b.Idle.Since), "then"))
}

func tellIdle(f *Facts) string {
	return cmp.Or(f.Run.Standstill(), fmt.Sprintf(
		"the last iteration changed something; fires after %s without a change",
		english.Plural(f.Run.maxIdle(), "iteration")))
}

// Standstill describes how long nothing has changed, or returns "" if the last iteration changed
// something.
func (b *Budget) Standstill() string {
	if b.Idle == nil || b.Idle.Iterations == 0 {
		return ""
	}
	return fmt.Sprintf("%s; fires after %d", b.idleText(), b.maxIdle())
}

// qmdDown reports whether the program found qmd unreachable, or the skill last reported so (R53).
func (t *Tick) qmdDown() bool {
	return t.QmdDown || t.Report.Qmd != nil && t.Report.Qmd.Unreachable
}
