package main

import (
	"cmp"
	"errors"
	"math"

	"hooks/internal/hint"
	"hooks/internal/report"
)

type historyCmd struct {
	which
	RunID string `name:"run" placeholder:"ID" complete:"run" help:"One run only, by its id, with all its iterations."`
	All   bool   `help:"The runs of all projects of this machine."`
	lastRows
	JSON  bool `xor:"form" help:"One JSON array, a line an iteration, as it is on disk: hooks history --json | jq '.[].outcome'."`
	CSV   bool `xor:"form" help:"Comma-separated values with a header."`
	OTLP  bool `xor:"form" help:"OpenTelemetry's JSON lines, traces and metrics, for a collector: docs/telemetry.md."`
	Texts bool `help:"With --otlp: questions, answers and refused calls too. They may hold secrets."`
}

// lastRows bounds a table for people; the forms for programs leave nothing out.
type lastRows struct {
	Last *int `short:"n" placeholder:"N" help:"Only the last N iterations in a table; 0 for all of them, 40 if not given."`
}

// rows returns how many iterations a table shows, all of them for 0. That of one run has all.
func (l lastRows) rows(runID string, table bool) (int, error) {
	switch {
	case l.Last == nil && (runID != "" || !table):
		return 0, nil
	case l.Last == nil:
		return report.MaxRows, nil
	case !table:
		return 0, hint.New("--csv or --json, and take the last lines of it",
			"--last is for the table: the forms for programs have every iteration")
	case *l.Last < 0:
		return 0, hint.New("--last 20, or --last 0 for all", "--last %d is below zero", *l.Last)
	}
	return *l.Last, nil
}

// Run prints the iterations of all runs, archived ones too, the oldest first.
func (h historyCmd) Run(c caller) error {
	if h.Texts && !h.OTLP {
		return hint.New("hooks history --otlp --texts", "--texts belongs to --otlp")
	}
	rows, err := h.rows(h.RunID, !h.JSON && !h.CSV && !h.OTLP)
	if err != nil {
		return err
	}
	out := report.HistoryTable(c.out, c.screen(), rows, h.All)
	switch {
	case h.JSON:
		out = report.HistoryJSON(c.out)
	case h.CSV:
		out = report.HistoryCSV(c.out, h.All)
	case h.OTLP:
		out = report.HistoryOTLP(c.out, report.OTLP{Version: version(), Texts: h.Texts})
	}
	c.Everywhere = h.All
	return c.History(h.skills(), h.RunID, out)
}

type costCmd struct {
	By    string `enum:"model,iteration,run,task,phase,day,agent,project" default:"run" help:"What to group by: model, iteration, run, task of a task loop, phase of an audit loop, day, agent or project."`
	RunID string `name:"run" placeholder:"ID" complete:"run" help:"One run only, by its id."`
	All   bool   `help:"What the loops of all projects of this machine spent."`
	lastRows
	Rates bool `help:"The price table in force, with the source of each row."`
	JSON  bool `help:"Print the same as JSON."`
}

// Run prints what loops spent, or the prices.
func (o costCmd) Run(c caller) error {
	if o.Rates {
		return show(c, o.JSON, c.Rates(), nil, report.RateTable)
	}
	rows, err := o.rows(o.RunID, !o.JSON)
	if err != nil {
		return err
	}
	c.Everywhere = o.All
	cost, err := c.Cost(o.By, o.RunID, cmp.Or(rows, math.MaxInt))
	switch {
	case err != nil && len(cost.Rows) == 0:
		return err
	case o.JSON:
		return errors.Join(report.CostJSON(c.out, cost), err)
	}
	return show(c, false, cost, err, report.Costs)
}
