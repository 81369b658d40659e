package app

import (
	"cmp"
	"path/filepath"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// finalReport gathers the gates of the whole run from its history.
func (h *handler) finalReport(t *loopState) string {
	h.slip(h.files.Findings(t.Budget))
	r := report.Ended{
		Budget: filepath.ToSlash(t.BudgetPath), History: store.HistoryPath(t.Skill),
		Elsewhere: t.BudgetPath != store.DefaultBudgetPath(t.Skill),
	}
	if h.ev.SessionID == t.Budget.SessionID {
		r.Goal = usage.Goal(cmp.Or(h.ev.Transcript, t.Budget.Transcript()))
	}
	for raw, err := range h.files.RawLines(t.Skill) {
		var l loop.Iteration
		if err == nil {
			set := codec.Setter(&l)
			_, err = raw.Scan(func(name string, v gjson.Result) {
				_ = set(name, v) // as far as it can be read
			}, "gates", "qmd_error", "left", "denied", "overrun")
		}
		if err != nil || l.RunID != t.Budget.RunID {
			continue // a damaged line is the doctor's business, not the report's
		}
		for _, g := range l.Gates {
			r.Asked = append(r.Asked, report.Asked{Iteration: l.Iteration, GateAnswer: g})
		}
		for _, d := range l.Denied {
			r.Denied = loop.AddDenial(r.Denied, d)
		}
		r.LastError, r.Left, r.Overrun = l.LastQmdError, l.Left, l.Overrun
	}
	return report.Final(t.Budget, r)
}
