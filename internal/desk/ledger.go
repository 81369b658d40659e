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
	spent []iterationSpent // the last ones, oldest first; only where iterations are told apart
	older iterationSpent   // the sum of those before them, and their number
	parts []usage.Stretch  // only where agents are
	tick  *loop.Tick       // the open iteration
	live  loop.Tokens      // what that has spent so far, part of run already
	notes []string
}

// ledgers reads the runs, the newest first: the present ones and those in the archive. Only what tells the iterations
// apart needs all lines; else the last one has the sums.
func (v *visit) ledgers(runID, by string, most int) (list []*ledger, err error) {
	err = v.everyRun(func(files *store.Store, t *thread, present bool) {
		if runID != "" && t.Budget.RunID != runID {
			return
		}
		l := lastLedger(files, t)
		switch by {
		case "iteration":
			l.readSpent(files, most)
			most -= len(l.spent)
		case "agent":
			l.readParts(files)
		}
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

// stretches are the parts with the open iteration, and with what was counted since the last line.
func (l *ledger) stretches() []usage.Stretch {
	if len(l.run.Cursors) == 0 || l.tick == nil && len(l.parts) == 0 {
		return l.parts
	}
	began := usage.Stretch{Transcript: l.run.Cursors[0].Path, Since: l.run.StartedAt}
	if l.tick != nil {
		began.Since, began.Prompt = l.tick.StartedAt, l.tick.Prompts[0]
	}
	list := l.parts
	if n := len(list); n == 0 || list[n-1].Transcript != began.Transcript {
		list = append(list, began)
	}
	list[len(list)-1].UpTo = l.run.Cursors
	return list
}
