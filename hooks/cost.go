package main

import (
	"cmp"
	"errors"
	"math"

	"hooks/internal/report"
)

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
