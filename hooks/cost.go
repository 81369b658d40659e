package main

import (
	"fmt"
	"math"

	"hooks/internal/desk"
	"hooks/internal/report"
)

type costCmd struct {
	By    string `enum:"model,iteration,run,agent" default:"run" help:"How to tell it apart: model, iteration, run or agent."`
	RunID string `name:"run" help:"One run only, by its id."`
	All   bool   `help:"Every iteration with --by iteration, not the last ones alone; --json has them all."`
	Rates bool   `help:"The price table in force, with the source of each row."`
	JSON  bool   `help:"Print the same as JSON."`
}

// Run prints what the project's loops spent, or the prices.
func (c costCmd) Run(d *desk.Desk, s streams) error {
	if c.Rates {
		return show(d, s, c.JSON, d.Rates(), report.RateTable)
	}
	most := report.MostRows
	if c.JSON || c.All || c.RunID != "" {
		most = math.MaxInt
	}
	cost, err := d.Cost(c.By, c.RunID, most)
	if err != nil {
		return err
	}
	if c.JSON {
		return report.CostJSON(s.out, cost)
	}
	return show(d, s, false, cost, func(c report.Cost) string { return report.Costs(whole(d, s.out), c) })
}

// show prints a value as JSON or as people read it, wrapped on a terminal.
func show[T any](d *desk.Desk, s streams, asJSON bool, v T, text func(T) string) error {
	if asJSON {
		return printJSON(s.out, v)
	}
	_, err := fmt.Fprintln(s.out, fitting(d, s.out, text(v)))
	return err
}
