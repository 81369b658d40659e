package main

import (
	"hooks/internal/desk"
	"hooks/internal/report"
)

type historyCmd struct {
	which
	RunID string `name:"run" help:"One run only, by its id."`
	JSON  bool   `xor:"form" help:"One JSON array, a line an iteration, as it stands on disk: hooks history --json | jq '.[].outcome'."`
	CSV   bool   `xor:"form" help:"Comma-separated values with a header."`
}

// Run prints the iterations of all runs, archived ones too, the oldest first.
func (c historyCmd) Run(d *desk.Desk, s streams) error {
	out := report.HistoryTable(s.out, screen(d, s.out))
	switch {
	case c.JSON:
		out = report.HistoryJSON(s.out)
	case c.CSV:
		out = report.HistoryCSV(s.out)
	}
	return d.History(c.skills(), c.RunID, out)
}
