package loop

import "time"

// Now returns the run as it is at a moment, for everything that people and the model read: with
// what the open iteration t has used so far or, if t is nil, what was spent since the last one
// ended. since is what the transcripts have beyond the run's cursors. The minutes of a run whose
// client is not alive do not grow. Nothing of it is saved.
//
// An iteration counts from its entry on, as the budget question at its gate counts it, also while
// the run is paused at that question. One that ends at its gates does not count.
func (b *Budget) Now(t *Tick, since Spent, alive bool, now time.Time) *Budget {
	n := b.clone()
	switch {
	case t != nil:
		if t.Started || !t.Halting() {
			n.IterationsUsed = max(b.IterationsUsed, t.Iteration)
		}
		n.PRsTouched = b.Touched(t)
		n.CommentsPushed += t.Comments
		n.MergesAttempted += t.Merges
		n.AgentsDispatched += t.Agents
		n.Spend(since)
	case b.Status == Active:
		n.spendOutside(since)
	case b.Status == Paused && b.asks(BudgetEscalation):
		n.IterationsUsed++
	}
	if alive && b.Status == Active {
		n.MinutesElapsed = b.Minutes(now)
	}
	return n
}

// asks reports whether a gate of this name waits for a person while the run is paused.
func (b *Budget) asks(gate string) bool {
	for _, g := range b.Pending {
		if g.Name == gate {
			return true
		}
	}
	return false
}

// spendOutside adds usage of a time in which no iteration was open. It counts towards the run's
// dollars and is in no history line. A run that is paused or has ended spends nothing.
func (b *Budget) spendOutside(s Spent) {
	if b.Status != Active {
		return
	}
	b.Spend(s)
	b.DollarsOutside = b.DollarsOutside.Plus(Sum(s.ByModel).Dollars)
}
