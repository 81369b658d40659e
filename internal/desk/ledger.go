package desk

import (
	"fmt"

	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// ledger is one run with everything that says what it spent.
type ledger struct {
	run   loop.Budget
	lines []loop.Iteration // in which work may have been done, oldest first
	tick  *loop.Tick       // the open iteration
	live  loop.Tokens      // what that has spent so far, part of run already
	notes []string
}

// ledgers reads the runs, the newest first: the present ones and those in the archive. Only what tells the iterations
// apart needs all lines; else the last one has the sums.
func (v *visit) ledgers(runID string, all bool) (list []*ledger, err error) {
	err = v.everyRun(func(files *store.Store, t *thread, present bool) {
		if runID != "" && t.Budget.RunID != runID {
			return
		}
		read := lastLedger
		if all {
			read = readLedger
		}
		l := read(files, t)
		if present {
			v.addOpen(l, t)
		}
		list = append(list, l)
	})
	return list, err
}

// lastLedger is a run with its last line alone, which knows more than a budget that a crash kept from being written.
func lastLedger(files *store.Store, t *thread) *ledger {
	l := &ledger{run: *t.Budget}
	last, err := files.Last(t.skill, func(line *loop.Iteration) bool {
		return line.Ran() && line.Of(l.run.RunID)
	})
	switch {
	case err != nil:
		l.notes = append(l.notes, fmt.Sprintf("%v: it may have spent more", err))
	case last != nil && last.Budget.Seq > l.run.Seq:
		l.run = last.Budget
	}
	return l
}

// readLedger gathers all of a run's lines.
func readLedger(files *store.Store, t *thread) *ledger {
	l := &ledger{run: *t.Budget}
	for line, err := range files.Lines(t.skill) {
		switch {
		case err != nil:
			l.notes = append(l.notes, fmt.Sprintf("%v: what it spent stands in no iteration", err))
		case line.Ran() && line.Of(l.run.RunID):
			l.lines = append(l.lines, line)
		}
	}
	if n := len(l.lines); n > 0 && l.lines[n-1].Budget.Seq > l.run.Seq {
		l.run = l.lines[n-1].Budget
	}
	return l
}

// addOpen counts what the open iteration has spent so far. Nothing is saved.
func (v *visit) addOpen(l *ledger, t *thread) {
	if t.Tick == nil || t.Tick.RunID != l.run.RunID || l.run.Seq > t.Budget.Seq {
		return
	}
	spent, notes := v.spent(&thread{t.skill, store.State{Budget: &l.run, Tick: t.Tick}})
	l.tick, l.notes = t.Tick, append(l.notes, notes...)
	for _, m := range spent.ByModel {
		l.live = l.live.Add(m)
	}
	l.run.Spend(spent)
}

// total is what the run spent by kind; what a budget of the SPEC's own fields alone says is not told apart by kind.
func (l *ledger) total() (t loop.Tokens) {
	for _, m := range l.run.TokensByModel {
		t = t.Add(m)
	}
	return t.Add(l.untold(t))
}

// untold is what the run's counters hold beyond a sum.
func (l *ledger) untold(t loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: max(0, l.run.TokensIn-t.In()), Output: max(0, l.run.TokensOut-t.Output),
		Dollars: max(0, l.run.DollarsEstimate-t.Dollars),
	}
}

// stretches are the parts of sessions that the run was counted from, as its lines and its open iteration tell.
func (l *ledger) stretches() (list []usage.Stretch) {
	grow := func(b *loop.Budget, began usage.Stretch) {
		if len(b.Cursors) == 0 {
			return
		}
		if n := len(list); n == 0 || list[n-1].Transcript != b.Cursors[0].Path {
			began.Transcript = b.Cursors[0].Path // the first cursor is the main transcript's
			list = append(list, began)
		}
		list[len(list)-1].UpTo = b.Cursors
	}
	for _, line := range l.lines {
		began := usage.Stretch{Since: line.StartedAt}
		if len(line.Budget.LastPrompts) > 0 {
			began.Prompt = line.Budget.LastPrompts[0]
		}
		grow(&line.Budget, began)
	}
	if l.tick != nil {
		grow(&l.run, usage.Stretch{Since: l.tick.StartedAt, Prompt: l.tick.Prompts[0]})
	} else if len(list) > 0 {
		grow(&l.run, usage.Stretch{Since: l.run.StartedAt})
	}
	return list
}
