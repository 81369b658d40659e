package loop

import (
	"fmt"
	"slices"
	"time"
)

// Moment is a point of a tick at which conditions and gates are evaluated.
type Moment uint8

// The moments of a tick: its entry, a report of the skill, before a worker is sent, before a merge,
// its exit.
const (
	Entry Moment = 1 << iota
	Reported
	Sending
	Merging
	Exit
)

// Facts holds everything that a decision depends on. Tick and Previous may be nil. A missing fact
// never fires a condition and never counts as success.
type Facts struct {
	Run      *Budget
	Tick     *Tick
	Previous *Iteration // the last line of this run in which work was done
	// Snapshot is the last backlog that the run recorded; nil if Previous holds it or there is
	// none.
	Snapshot *Snapshot
	Now      time.Time
	Minutes  int      // the run's active minutes until now
	PRs      []string // prs_touched of the run and of the open tick
	Merging  int      // the PR that a tool call is about to merge, or 0
	Sent     []int    // the issues for which a worker is about to be started
	Edges    [][2]int // dependencies known to the tracker: blocker, blocked
	Dropped  string   // the run's tip if HEAD does not contain it, or ""
	// Redact is the redaction applied to the texts of Previous before they were written; nil if
	// they were not redacted.
	Redact func(string) string
}

// Condition is a reason for which a run stops.
type Condition struct {
	Number  int
	Name    string
	Cause   string // the name recorded in stop_conditions_fired
	When    Moment
	Applies func(*Budget) bool // reports whether the condition applies to a run
	// Holds returns the text for a person, or "" if the condition does not hold. It is nil if a
	// gate or the lock decides about the condition.
	Holds func(f *Facts) string
	// Tell describes, for a person, the current value and how close the condition is to firing.
	Tell func(f *Facts) string
	// Way is what a person has to do before the run is resumed; empty if nothing is needed.
	Way string
	// Because is the cause in a form that ends a sentence; empty if the cause contains numbers of
	// the run.
	Because string
}

// everyRun is the Applies function of rows for runs of every kind.
func everyRun(*Budget) bool { return true }

// attempted is the Applies function of rows for runs whose iterations are attempts.
func attempted(b *Budget) bool { return b.Own != nil }

// conditions lists the conditions that more than one kind of run has.
var conditions = [...]Condition{
	{3, "iteration-budget", "iteration_budget", Entry | Exit, everyRun, iterationBudget,
		tellIterations, "resume with more iterations, or start a fresh run", ""},
	{4, "prs-touched-budget", "prs_touched_budget", Entry | Exit, (*Budget).CountsPRs, prBudget,
		tellPRs, "look at the open PRs, then resume with a higher ceiling or start a fresh run",
		""},
	{5, "wall-clock-budget", "wall_clock_budget", Entry | Exit, everyRun, minuteBudget, tellMinutes,
		"resume with more minutes, or start a fresh run", ""},
	{6, "repeated-failure", "repeated_failure", Exit, everyRun, nil, tellFailure,
		"fix the cause of the failure, then resume", "the same failure occurred twice"},
	{8, "user-interrupt", "user_interrupt", Entry | Exit, everyRun, userInterrupt,
		Says("fires on Esc, /loop stop, `hooks loop stop` and the end of the session"),
		"", "a person stopped it"},
	{9, "lock-contention", "lock_contention", Entry, everyRun, nil,
		Says("another iteration's lock only skips the tick; it never ends the run"),
		"wait for the other iteration, or look at its process", "another iteration held the lock"},
	{10, "prior-gate-stop", "prior_gate_stop", Entry, everyRun, nil,
		Says("fires when a gate is answered stop"),
		"settle what the gate asked about, then resume", "a person answered a question with stop"},
	{11, "qmd-unreachable", "qmd_unreachable", Exit, everyRun, qmdUnreachable, tellQmd,
		"start qmd again, then resume", "qmd could not be reached"},
	{12, "cost-budget", costCause, Entry | Exit, everyRun, costBudget, tellDollars,
		"look at `hooks cost`, then resume with more dollars or start a fresh run", ""},
	{15, "infrastructure", "api_unavailable", Exit, attempted, outages, tellOutages,
		"wait until the service answers, then resume",
		"several attempts in a row ended by no fault of the task"},
	{16, "no-fresh-context", "no_fresh_context", Exit, attempted, staleContext,
		Says("fires when a worker is not proven to begin with a fresh context"),
		"use `hooks go`, which starts one client a task, or another version of the client",
		"the context of a worker was not proven to be fresh"},
	{20, "no-progress", "stalled", Entry | Exit, stalls, noProgress, tellIdle,
		"look at what the last iterations tried, fix the cause, then continue",
		"several iterations in a row changed nothing"},
}

// conditionsOfSpec is the number of the last condition that the specification defines. A person
// sees the specification's conditions and gates for every run, even if they do not apply.
const conditionsOfSpec = 12

// ConditionOf returns the condition recorded as a cause. ok is false if the cause is not a
// condition, as for a pause.
func ConditionOf(cause string) (c Condition, ok bool) {
	if c := first(Conditions, func(c Condition) bool { return c.Cause == cause }); c != nil {
		return *c, true
	}
	return c, false
}

// evaluate returns all conditions that hold at this moment.
func evaluate(f *Facts, at Moment) []Fired {
	var fired []Fired
	for _, c := range Conditions {
		if c.Holds == nil || c.When&at == 0 || !c.Applies(f.Run) {
			continue
		}
		if text := c.Holds(f); text != "" {
			at := len(fired)
			if Completes(c.Cause) { // finished work counts even if it reaches a ceiling
				at = 0
			}
			fired = slices.Insert(fired, at,
				Fired{Condition: c.Name, Cause: c.Cause, Text: text})
		}
	}
	return fired
}

// Completes reports whether a run that ends by the cause has done all of its work.
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
		f.Run.Ceilings.Minutes) + f.Run.jumped(f.Minutes)
}

const costCause = "cost_budget"

func costBudget(f *Facts) string { return f.Run.dollarsReached(f.Run.DollarsEstimate) }

// dollarsReached returns the text of the dollar ceiling if the spending in all reaches it, or "".
func (b *Budget) dollarsReached(spent USD) string {
	if b.Ceilings.Dollars == 0 || spent < b.Ceilings.Dollars {
		return ""
	}
	return fmt.Sprintf("Cost budget reached: $%s / $%s", spent, b.Ceilings.Dollars)
}

func userInterrupt(f *Facts) string {
	if f.Tick == nil || f.Tick.Interrupted == "" {
		return ""
	}
	return "Loop interrupted: " + f.Tick.Interrupted
}

// qmdUnreachable also requires an outage in this iteration, because a resumed run keeps its
// counter and another kind of failure is not an outage (R52).
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
