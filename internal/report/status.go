package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Status is the block that every iteration shows, skipped ticks included (R117, R128). wake is what
// brings the next tick, as in "scheduled by /loop"; it is ignored when the run has halted or
// paused.
func Status(l *loop.Iteration, wake string) string {
	t, b := &text{}, l.Budget.Now(nil, loop.Spent{}, false, l.EndedAt)
	if b.Drive() != "" && l.Ran() {
		return attemptBlock(l, b)
	}
	t.line("## Loop Iteration %s — %s", outOf(l.Iteration, b.Ceilings.Iterations, "/"),
		invocation(b))
	t.line("Started: %s", l.StartedAt.UTC().Format(time.RFC3339))
	kindOf(b, "").block(t, l)
	t.line("Budget remaining: %s", Remaining(b))
	t.line("Spent: $%s this iteration, $%s in all (API-equivalent)%s%s", l.Dollars,
		b.DollarsEstimate, prefixed(", ", outside(b)), burn(l, b))
	t.line("Stop conditions evaluated: %s", cmp.Or(strings.Join(l.Fired, ", "), "none triggered"))
	t.line("Concurrency: %s", concurrency(l))
	t.line("Outcome: %s", outcome(l))
	t.remarks(l)
	if l.Facts != "" {
		t.line("Facts: %s — the skill reported nothing, "+
			"so this iteration is judged by what was observed", l.Facts)
	}
	t.line("Next tick: %s", next(b, l, wake))
	return t.String()
}

// maxBlock bounds the block of an attempt, in lines.
const maxBlock = 6

// attemptBlock is the block of an iteration that is an attempt at a task, or a phase of an audit.
func attemptBlock(l *loop.Iteration, b *loop.Budget) string {
	t := &text{}
	kindOf(b, "").block(t, l)
	t.line("Spent: $%s this iteration, $%s in all (API-equivalent)%s; left: %s", l.Dollars,
		b.DollarsEstimate, prefixed(", ", outside(b)), Remaining(b))
	t.remarks(l)
	list := strings.Split(t.String(), "\n")
	if over := len(list) - maxBlock; over > 0 {
		list = append(list[:maxBlock-1], fmt.Sprintf("… and %s: hooks report-card %s",
			loop.Plural(over+1, "further line"), b.Skill))
	}
	return strings.Join(list, "\n")
}

// remarks writes what else a person should know of an iteration.
func (t *text) remarks(l *loop.Iteration) {
	if l.Overrun != nil {
		t.line("Overrun: %s", l.Overrun)
	}
	if refused := refusals(l.Denied); refused != "" && l.Ran() {
		t.line("%s", refused)
	}
	if l.Task != nil && len(l.Task.Judgement.Weakened) > 0 {
		t.line("Note: Tests weakened: %s", strings.Join(l.Task.Judgement.Weakened, "; "))
	}
	for _, n := range l.Notes {
		if l.Ran() || n != l.Notes[0] {
			t.line("Note: %s", n)
		}
	}
}

// Notes are an iteration's notes without the rest of its block.
func Notes(notes []string) string {
	var t text
	for _, n := range notes {
		t.line("Note: %s", n)
	}
	return t.String()
}

func inBacklog(b *loop.Backlog) string {
	if b == nil {
		return "not reported"
	}
	return fmt.Sprintf("%d unblocked, %d blocked, %d in-progress", len(b.Unblocked), len(b.Blocked),
		len(b.InProgress))
}

func trackedPR(l *loop.Iteration, number int) string {
	for _, p := range l.TrackedPRs {
		if p.Number == number {
			return fmt.Sprintf("#%d (%s, head_sha %s)", number, p.StateAtEnd,
				cmp.Or(shortSHA(p.EndSHA), "unknown"))
		}
	}
	return fmt.Sprintf("#%d (state not reported)", number)
}

// Remaining is what is left on the active axes, as in "2 iterations, 16 PRs, 42 minutes, $14.57"
// (R95, R117).
func Remaining(b *loop.Budget) string {
	parts := []string{loop.Plural(max(0, b.Ceilings.Iterations-b.IterationsUsed), "iteration")}
	if b.Ceilings.Iterations >= noCeiling {
		parts = []string{"iterations without ceiling"}
	}
	if b.CountsPRs() {
		parts = append(parts, loop.Plural(max(0, b.Ceilings.PRs-len(b.PRsTouched)), "PR"))
	}
	parts = append(parts, loop.Plural(max(0, b.Ceilings.Minutes-b.MinutesElapsed), "minute"))
	if b.Ceilings.Dollars == 0 {
		return strings.Join(append(parts, "dollars without ceiling"), ", ")
	}
	return strings.Join(append(parts, "$"+max(0, b.Ceilings.Dollars-b.DollarsEstimate).String()),
		", ")
}

// outside returns the dollars spent while no iteration was open as a text, "" for none.
func outside(b *loop.Budget) string {
	if b.DollarsOutside == 0 {
		return ""
	}
	return fmt.Sprintf("$%s outside of iterations", b.DollarsOutside)
}

// burn is what an iteration costs so far and, if the dollars end before the iterations do, how many
// more they would buy. A skipped tick has none: the open iteration is counted but not paid yet.
func burn(l *loop.Iteration, b *loop.Budget) string {
	spent := b.DollarsEstimate - b.DollarsOutside
	if !l.Ran() || b.IterationsUsed == 0 || spent <= 0 {
		return ""
	}
	each := spent / loop.USD(b.IterationsUsed)
	s := fmt.Sprintf(", $%s per iteration", each)
	if b.Ceilings.Dollars > 0 && each > 0 {
		more := int(max(0, b.Ceilings.Dollars-b.DollarsEstimate) / each)
		if more < b.Ceilings.Iterations-b.IterationsUsed {
			s += ", enough for " + about(more)
		}
	}
	return s
}

func concurrency(l *loop.Iteration) string {
	if l.SkippedForPID != 0 { // also of a loop that ended while it waited for another's lock
		return fmt.Sprintf("lock held by pid %d", l.SkippedForPID)
	}
	return fmt.Sprintf("lock held by pid %d, released at the end of this iteration",
		l.Budget.Owner.PID)
}

func outcome(l *loop.Iteration) string {
	switch {
	case !l.Ran() && len(l.Notes) > 0:
		return l.Notes[0]
	case l.Outcome == loop.Waiting && len(l.Budget.Pending) > 0:
		return fmt.Sprintf("%s — waiting for a person at gate %s", l.Outcome,
			l.Budget.Pending[0].Name)
	}
	return string(l.Outcome)
}

// Paused is what brings the next tick of a paused run.
const Paused = "none before the run is resumed"

func next(b *loop.Budget, l *loop.Iteration, wake string) string {
	switch {
	case !l.Ran() || b.Status == loop.Active:
		return wake
	case b.Status == loop.Paused:
		return Paused
	}
	return "Loop ended"
}

// StopLine is in one line why a run has stopped.
func StopLine(b *loop.Budget) string {
	s := fmt.Sprintf("%s: %s", b.StopCause, prose(b))
	for _, g := range b.Pending {
		s += fmt.Sprintf(" [%s] %s", g.Name, g.Question)
	}
	return s
}
