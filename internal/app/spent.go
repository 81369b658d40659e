package app

import (
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// asOfNow is the run with what was spent until now, and the time. It is not saved.
func (v *visit) asOfNow(t *thread, spent loop.Spent) loop.Budget {
	b := *t.Budget
	b.Spend(spent)
	b.Observe(v.clock(v.now))
	return b
}

// spent is counted, whose error is a note.
func (v *visit) spent(t *thread) (loop.Spent, []string) {
	spent, notes, _ := v.counted(t)
	return spent, notes
}

// onceNotes are what a run's first iteration tells about how its money is counted and about the configuration.
func (v *visit) onceNotes() []string {
	cfg := v.config()
	notes := report.ConfigNotes(cfg.WarningTexts())
	if days := usage.AgeDays(v.now); days > usage.StaleDays {
		notes = append(notes, report.StaleRates(usage.Dated, days))
	}
	return notes
}
