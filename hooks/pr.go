package main

import (
	"errors"

	"hooks/internal/desk"
	"hooks/internal/hint"
	"hooks/internal/report"
)

type prCmd struct {
	Number int  `arg:"" help:"The PR's number."`
	JSON   bool `help:"Print the same as JSON."`
}

// Run asks the tracker and prints the PR.
func (c prCmd) Run(d *desk.Desk, s streams) error {
	if c.Number < 1 {
		return hint.New("as in `hooks pr 142`", "a PR's number starts at 1")
	}
	p, err := d.PR(c.Number)
	if p.Number == 0 {
		return err
	}
	return errors.Join(show(d, s, c.JSON, p, report.PullRequest), err)
}
