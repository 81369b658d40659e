package app

import (
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// asOfNow returns the run with what was spent until now, and the time. It is not saved.
func (v *visit) asOfNow(t *thread, spent loop.Spent) loop.Budget {
	b := *t.Budget
	b.Spend(spent)
	b.Observe(v.clock(v.now))
	return b
}

// spent counts what was spent since the last count. What cannot be counted is left out.
func (v *visit) spent(t *thread) loop.Spent {
	path := v.transcript(t, nil)
	spent, _, _ := usage.Spent(path, t.Budget.Cursors, usage.NewTable(v.config().Rates))
	return spent
}
