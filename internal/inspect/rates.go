package inspect

import (
	"hooks/internal/config"
	"hooks/internal/report"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// Rates is the price table in force in the project.
func (d *Inspector) Rates() report.Rates {
	c := config.Load(tracker.Project(d.Env, cwd()))
	table := usage.NewTable(c.Rates)
	r := report.Rates{Source: table.Source(), Dated: usage.Dated,
		AgeDays: usage.AgeDays(d.Now().UTC()), Warnings: c.WarningTexts()}
	const million = 1_000_000
	for _, row := range table.Rows() {
		r.Rows = append(r.Rows, report.RateRow{
			Model: row.Model, Input: row.Input * million, Output: row.Output * million,
			CacheRead:    row.CacheRead * million,
			CacheWrite5m: row.CacheWrite5m * million, CacheWrite1h: row.CacheWrite1h * million,
			Fast: row.Fast, Long: row.Long, Source: row.Source,
		})
	}
	return r
}
