package main

import "hooks/internal/report"

type historyCmd struct {
	which
	RunID string `name:"run" complete:"run" help:"One run only, by its id, with all its iterations."`
	All   bool   `help:"Every iteration in the table, not only the last ones."`
	JSON  bool   `xor:"form" help:"One JSON array, a line an iteration, as it is on disk: hooks history --json | jq '.[].outcome'."`
	CSV   bool   `xor:"form" help:"Comma-separated values with a header."`
}

// Run prints the iterations of all runs, archived ones too, the oldest first.
func (h historyCmd) Run(c caller) error {
	most := report.MostRows
	if h.All || h.RunID != "" {
		most = 0
	}
	out := report.HistoryTable(c.out, c.screen(), most)
	switch {
	case h.JSON:
		out = report.HistoryJSON(c.out)
	case h.CSV:
		out = report.HistoryCSV(c.out)
	}
	return c.History(h.skills(), h.RunID, out)
}
