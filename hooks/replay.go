package main

import (
	"runtime/debug"

	"hooks/internal/app"
	"hooks/internal/desk"
	"hooks/internal/report"
)

type replayCmd struct {
	Session       string  `arg:"" help:"A session's id, the beginning of one, or the path of its transcript."`
	MaxDollars    *string `placeholder:"N" help:"Try this ceiling; 0 is none."`
	MaxIterations *string `placeholder:"N" help:"Try this ceiling."`
	MaxPRs        *string `name:"max-prs" placeholder:"N" help:"Try this ceiling."`
	MaxMinutes    *string `placeholder:"N" help:"Try this ceiling."`
	JSON          bool    `help:"Print the same as JSON."`
}

// Run shows what the rules would have made of a past session.
func (c replayCmd) Run(a *app.App, d *desk.Desk, s streams) error {
	debug.SetMemoryLimit(48 << 20) // what is held is bounded; the garbage of a long transcript need not pile up
	var ceilings []string
	for _, f := range []struct {
		name  string
		value *string
	}{{"--max-dollars", c.MaxDollars}, {"--max-iterations", c.MaxIterations}, {"--max-prs", c.MaxPRs}, {"--max-minutes", c.MaxMinutes}} {
		if f.value != nil {
			ceilings = append(ceilings, f.name+"="+*f.value)
		}
	}
	r, err := a.Replay(c.Session, ceilings)
	if err != nil {
		return err
	}
	return show(d, s, c.JSON, r, func(r report.Replay) string { return report.Replays(whole(d, s.out), r) })
}
