package main

import (
	"runtime/debug"

	"github.com/alecthomas/kong"

	"hooks/internal/report"
)

type replayCmd struct {
	Session       string `arg:"" complete:"session" help:"A session's id, the beginning of one, or the path of its transcript."`
	MaxDollars    string `placeholder:"N" help:"Try this ceiling; 0 is none."`
	MaxIterations string `placeholder:"N" help:"Try this ceiling."`
	MaxPRs        string `name:"max-prs" placeholder:"N" help:"Try this ceiling."`
	MaxMinutes    string `placeholder:"N" help:"Try this ceiling."`
	JSON          bool   `help:"Print the same as JSON."`
}

// Run shows what the rules would have made of a past session.
func (c replayCmd) Run(k *kong.Context, p caller) error {
	debug.SetMemoryLimit(48 << 20) // a long transcript makes much garbage
	r, err := p.Replay(c.Session, loopFlags(k))
	if err != nil {
		return err
	}
	return show(p, c.JSON, r, nil, report.Replays)
}
