package main

import (
	"runtime/debug"

	"hooks/internal/report"
)

type replayCmd struct {
	Session       string  `arg:"" complete:"session" help:"A session's id, the beginning of one, or the path of its transcript."`
	MaxDollars    *string `placeholder:"N" help:"Try this ceiling; 0 is none."`
	MaxIterations *string `placeholder:"N" help:"Try this ceiling."`
	MaxPRs        *string `name:"max-prs" placeholder:"N" help:"Try this ceiling."`
	MaxMinutes    *string `placeholder:"N" help:"Try this ceiling."`
	JSON          bool    `help:"Print the same as JSON."`
}

// Run shows what the rules would have made of a past session.
func (c replayCmd) Run(p caller) error {
	debug.SetMemoryLimit(48 << 20) // a long transcript makes much garbage
	var ceilings []string
	add := func(flag string, value *string) {
		if value != nil {
			ceilings = append(ceilings, flag+"="+*value)
		}
	}
	add("--max-dollars", c.MaxDollars)
	add("--max-iterations", c.MaxIterations)
	add("--max-prs", c.MaxPRs)
	add("--max-minutes", c.MaxMinutes)
	r, err := p.Replay(c.Session, ceilings)
	if err != nil {
		return err
	}
	return show(p, c.JSON, r, nil, report.Replays)
}
