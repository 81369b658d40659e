package drive

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Settled holds what lies on disk, once no iteration is open and nobody works, against the ledger: nothing is lost,
// nothing counted twice, nobody is kept out.
func (w *World) Settled(d *Disk) (bad []string) {
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	if d.Tick != nil {
		say("an iteration is still open")
	}
	if d.Lock != nil {
		say("a lock is left: %+v", *d.Lock)
	}
	var sum total
	for _, b := range d.Budgets {
		bad = append(bad, w.run(d, &b)...)
		sum.add(&b)
	}
	if (sum.in != w.Ledger.In || sum.out != w.Ledger.Out) && !(w.Ledger.Admitted && sum.in <= w.Ledger.In) {
		say("%d/%d tokens were spent, %d/%d are counted", w.Ledger.In, w.Ledger.Out, sum.in, sum.out)
	}
	for name, of := range map[string]struct {
		n int
		Range
	}{"agents": {sum.agents, w.Ledger.Agents}, "comments": {sum.comments, w.Ledger.Comments}, "merges": {sum.merges, w.Ledger.Merges}, "PRs": {sum.prs, w.Ledger.PRs}} {
		if of.n < of.Min || of.n > of.Max {
			say("%d %s are counted, not %d to %d", of.n, name, of.Min, of.Max)
		}
	}
	return append(bad, w.answers(d)...)
}

// uncounted: a line says that its usage could not be counted.
func uncounted(l loop.Iteration) bool {
	return slices.ContainsFunc(l.Notes, func(n string) bool { return strings.HasPrefix(n, "Usage could not be counted") })
}

type total struct {
	in, out                       int64
	agents, comments, merges, prs int
}

func (t *total) add(b *loop.Budget) {
	t.in, t.out = t.in+b.TokensIn, t.out+b.TokensOut
	t.agents, t.comments, t.merges = t.agents+b.AgentsDispatched, t.comments+b.CommentsPushed, t.merges+b.MergesAttempted
	t.prs += len(b.PRsTouched)
}

// run holds one run's budget against its lines and against what was seen to begin.
func (w *World) run(d *Disk, b *loop.Budget) (bad []string) {
	say := func(format string, args ...any) {
		bad = append(bad, fmt.Sprintf("run %s: %s", b.RunID, fmt.Sprintf(format, args...)))
	}
	var sum total
	var dollars loop.USD
	var numbers []int
	lines := d.run(b.RunID)
	for i, l := range lines {
		if l.Seq != i+1 {
			say("line %d has seq %d", i+1, l.Seq)
		}
		switch {
		case l.Budget.IterationsUsed < l.Iteration: // it ended at its gates, so the next one has its number
		case !slices.Contains(numbers, l.Iteration):
			numbers = append(numbers, l.Iteration)
		case l.Outcome != loop.Waiting && l.Outcome != loop.Stopped:
			say("iteration %d has a second line", l.Iteration)
		}
		sum.in, sum.out = sum.in+l.TokensIn, sum.out+l.TokensOut
		dollars += l.Dollars
		sum.agents, sum.comments = sum.agents+l.Agents, sum.comments+l.Comments
	}
	begun := 0
	for n := 1; n <= b.IterationsUsed+20; n++ {
		seen := w.Ledger.Begun[key(b.RunID, n)]
		if seen {
			begun++
		}
		if seen != slices.Contains(numbers, n) {
			say("iteration %d: seen to begin %v, in the history %v", n, seen, !seen)
		}
	}
	if b.Seq != len(lines) {
		say("the budget has seq %d, the history %d lines", b.Seq, len(lines))
	}
	if b.IterationsUsed != begun {
		say("%d iterations are used, %d have begun", b.IterationsUsed, begun)
	}
	if w.Ledger.Admitted { // the end of the session counts into no line
		return bad
	}
	if b.TokensIn != sum.in || b.TokensOut != sum.out || b.DollarsEstimate != dollars || b.AgentsDispatched != sum.agents || b.CommentsPushed != sum.comments {
		say("the lines add up to %+v and %v, the budget says %d/%d, %v", sum, dollars, b.TokensIn, b.TokensOut, b.DollarsEstimate)
	}
	return bad
}

// answers: each word of a person that was heard stands in the history once, and no other does.
func (w *World) answers(d *Disk) (bad []string) {
	var found []string
	for _, l := range d.Lines {
		for _, a := range l.Gates {
			found = append(found, a.Answer)
		}
	}
	for _, given := range w.Ledger.Answers {
		n := len(found)
		found = slices.DeleteFunc(found, func(a string) bool { return a == given })
		lost := n == len(found) && slices.Contains(w.Ledger.Unheard, given)
		if n-len(found) != 1 && !lost {
			bad = append(bad, fmt.Sprintf("the answer %q stands in the history %d times", given, n-len(found)))
		}
	}
	for _, invented := range found {
		bad = append(bad, fmt.Sprintf("nobody answered %q", invented))
	}
	return bad
}
