package app

import (
	"encoding/json"
	"path/filepath"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// finalReport gathers the gates of the whole run from its history.
func (h *handler) finalReport(t *loopState) string {
	h.slip(h.files.Findings(t.Budget))
	r := report.Ended{
		Budget: filepath.ToSlash(t.BudgetPath), History: store.HistoryPath(t.Skill),
		Elsewhere: t.BudgetPath != store.DefaultBudgetPath(t.Skill),
	}
	for raw, err := range h.files.RawLines(t.Skill) {
		var l loop.Iteration
		if err == nil {
			_, err = raw.Scan(endingField(&l), "gates", "qmd_error", "left", "denied", "overrun")
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

// endingField fills in the fields of a line that the final report shows.
func endingField(l *loop.Iteration) func(name string, v gjson.Result) {
	return func(name string, v gjson.Result) {
		switch name {
		case "run_id":
			l.RunID = v.String()
		case "iteration":
			l.Iteration = int(v.Int())
		case "gates":
			l.Gates = nil
			_ = json.Unmarshal([]byte(v.Raw), &l.Gates)
		case "qmd_error":
			l.LastQmdError = v.String()
		case "denied":
			l.Denied = nil
			_ = json.Unmarshal([]byte(v.Raw), &l.Denied)
		case "overrun":
			l.Overrun = nil
			_ = json.Unmarshal([]byte(v.Raw), &l.Overrun)
		case "left":
			l.Left = nil
			_ = json.Unmarshal([]byte(v.Raw), &l.Left)
		}
	}
}
