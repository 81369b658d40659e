package main

import (
	"hooks/internal/desk"
	"hooks/internal/report"
)

type historyCmd struct {
	which
	RunID string `name:"run" help:"One run only, by its id, with all its iterations."`
	All   bool   `help:"Every iteration in the table, not the last ones alone."`
	JSON  bool   `xor:"form" help:"One JSON array, a line an iteration, as it stands on disk: hooks history --json | jq '.[].outcome'."`
	CSV   bool   `xor:"form" help:"Comma-separated values with a header."`
}

// Run prints the iterations of all runs, archived ones too, the oldest first.
func (c historyCmd) Run(d *desk.Desk, s streams) error {
	most := report.MostRows
	if c.All || c.RunID != "" {
		most = 0
	}
	out := report.HistoryTable(s.out, screen(d, s.out), most)
	switch {
	case c.JSON:
		out = report.HistoryJSON(s.out)
	case c.CSV:
		out = report.HistoryCSV(s.out)
	}
	return d.History(c.skills(), c.RunID, out)
}
