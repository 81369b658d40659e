package main

import (
	"path/filepath"

	"hooks/internal/hint"
	"hooks/internal/report"
)

type historyCmd struct {
	which
	RunID string `name:"run" complete:"run" help:"One run only, by its id, with all its iterations."`
	All   bool   `help:"Every iteration in the table, not only the last ones."`
	JSON  bool   `xor:"form" help:"One JSON array, a line an iteration, as it is on disk: hooks history --json | jq '.[].outcome'."`
	CSV   bool   `xor:"form" help:"Comma-separated values with a header."`
	OTLP  bool   `xor:"form" help:"OpenTelemetry's JSON lines, traces and metrics, for a collector: docs/telemetry.md."`
	Texts bool   `help:"With --otlp: questions, answers and refused calls too. They may hold secrets."`
}

// Run prints the iterations of all runs, archived ones too, the oldest first.
func (h historyCmd) Run(c caller) error {
	if h.Texts && !h.OTLP {
		return hint.New("hooks history --otlp --texts", "--texts belongs to --otlp")
	}
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
	case h.OTLP:
		out = report.HistoryOTLP(c.out, report.OTLP{Project: filepath.Base(c.Project()),
			Version: version(), Texts: h.Texts})
	}
	return c.History(h.skills(), h.RunID, out)
}
