package report

import (
	"fmt"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Asked is a gate of a run with the iteration that asked it.
type Asked struct {
	Iteration int
	loop.GateAnswer
}

// Ended is what a final report needs besides the run itself.
type Ended struct {
	Asked           []Asked
	Budget, History string        // paths of the two files, relative to the project if inside it
	Elsewhere       bool          // the budget is not in its default place
	LastError       string        // of qmd, when it ended the run (R56)
	Left            []string      // what an interrupted iteration left half done (R44)
	Denied          []loop.Denial // of the whole run
	Overrun         *loop.Overrun // of its last iteration
	Goal            string        // of the client, still active; "" without one
}

// Final is the report on any halt or pause: the cause by its machine name and in prose, the totals,
// the gates with their answers, both paths, and what to type to continue (R150, R152).
func Final(b *loop.Budget, e Ended) string {
	var t text
	saved, b := b, b.Now(nil, loop.Spent{}, false, time.Time{})
	t.line("# Loop %s — %s", state(b.Status, b.StopCause), invocation(b))
	t.line("Cause: %s — %s", b.StopCause, prose(b))
	if b.StopCause == "qmd_unreachable" && e.LastError != "" {
		t.line("Last error: %s", e.LastError)
	}
	if b.StopDetail != nil {
		t.line("Gate: %s in iteration %d", b.StopDetail.Gate, b.StopDetail.Iteration)
	}
	kindOf(b, "").ended(&t)
	t.line("Iterations: %s", outOf(b.IterationsUsed, b.Ceilings.Iterations, " / "))
	if b.Drive() == "" || len(b.PRsTouched) > 0 {
		t.line("PRs touched: %s", prs(b))
	}
	t.line("Minutes: %d / %d", b.MinutesElapsed, b.Ceilings.Minutes)
	limit := "none"
	if b.Ceilings.Dollars > 0 {
		limit = ceiling(b.Ceilings.Dollars)
	}
	t.line("Dollars: dollars_estimate=$%s / max_dollars=%s (API-equivalent)%s", b.DollarsEstimate,
		limit, prefixed(", ", outside(b)))
	if e.Overrun != nil {
		t.line("Overrun: %s", e.Overrun)
	}
	if b.Drive() == "" || b.CommentsPushed+b.MergesAttempted > 0 {
		t.line("Comments pushed: %d, merges attempted: %d, agents dispatched: %d",
			b.CommentsPushed, b.MergesAttempted, b.AgentsDispatched)
	} else {
		t.line("Workers sent: %d", b.AgentsDispatched)
	}
	if refused := refusals(e.Denied); refused != "" {
		t.line("%s", refused)
	}
	t.line("Budget: %s", e.Budget)
	t.line("History: %s (treat as secret: it may hold issue texts and answers)", e.History)
	if goal := Goal(e.Goal); goal != "" {
		t.line("%s", goal)
	}
	for _, l := range e.Left {
		t.line("Left half done: %s — nothing was cleaned up; finish or undo it", l)
	}
	for _, g := range b.Pending {
		t.line("Waiting: %s — %s Answer it in a terminal: hooks gate answer %s ANSWER",
			g.Name, g.Question, gateName(g))
	}
	if way := goOn(saved, e); way != "" {
		t.line("Next: type %s", way)
	}
	switch {
	case len(e.Asked) > 0:
	case len(b.Pending) > 0:
		t.line("Gates: none answered")
	default:
		t.line("Gates: none fired")
	}
	for _, a := range e.Asked {
		t.line("Gate in iteration %d: %s — %q answered %q", a.Iteration, a.Name, a.Question,
			a.Answer)
	}
	return t.String()
}

// Goal is for a person whose session has a /goal beside the loop: the loop neither waits for it nor
// ends it. It is "" without a goal.
func Goal(goal string) string {
	if goal == "" {
		return ""
	}
	return fmt.Sprintf("Goal: /goal %s is active beside the loop and outlives it; "+
		"/goal clear ends it", clip(clean(goal), 80))
}

// maxTaskLines bounds the tasks that a final report lists one by one.
const maxTaskLines = 30

// ended lists the tasks with their results.
func (b taskLoop) ended(t *text) {
	rows := TaskRows(b.Budget, nil, nil, 0)
	t.line("%s", b.Tasks.Result())
	for _, r := range rows[:min(len(rows), maxTaskLines)] {
		t.line("Task %d: %s", r.Number, r.text())
	}
	if more := len(rows) - maxTaskLines; more > 0 {
		t.line("… and %s: hooks tasks", loop.Plural(more, "further task"))
	}
	t.awaiting(b.Budget)
}

func prose(b *loop.Budget) string {
	switch {
	case b.StopText != "":
		return b.StopText
	case b.Status == loop.Paused:
		return "a question waits for a person"
	}
	return "no reason was recorded"
}

func prs(b *loop.Budget) string {
	list := when(len(b.PRsTouched) > 0, " ("+strings.Join(b.PRsTouched, ", ")+")")
	if !b.CountsPRs() {
		return fmt.Sprintf("%d%s, not limited", len(b.PRsTouched), list)
	}
	return fmt.Sprintf("%d / %d%s", len(b.PRsTouched), b.Ceilings.PRs, list)
}
