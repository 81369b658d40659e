package main

import (
	"math"

	"hooks/internal/report"
)

type costCmd struct {
	By    string `enum:"model,iteration,run,task,phase,day,agent" default:"run" help:"What to group by: model, iteration, run, task of a task loop, phase of an audit loop, day or agent."`
	RunID string `name:"run" complete:"run" help:"One run only, by its id."`
	All   bool   `help:"Every iteration with --by iteration, not only the last ones; --json has them all."`
	Rates bool   `help:"The price table in force, with the source of each row."`
	JSON  bool   `help:"Print the same as JSON."`
}

// Run prints what the project's loops spent, or the prices.
func (o costCmd) Run(c caller) error {
	if o.Rates {
		return show(c, o.JSON, c.Rates(), nil, report.RateTable)
	}
	most := report.MostRows
	if o.JSON || o.All || o.RunID != "" {
		most = math.MaxInt
	}
	cost, err := c.Cost(o.By, o.RunID, most)
	if err != nil {
		return err
	}
	if o.JSON {
		return report.CostJSON(c.out, cost)
	}
	return show(c, false, cost, nil, report.Costs)
}
