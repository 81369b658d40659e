package main

import (
	"hooks/internal/hint"
	"hooks/internal/report"
)

type prCmd struct {
	Number int  `arg:"" help:"The PR's number."`
	JSON   bool `help:"Print the same as JSON."`
}

// Run asks the tracker and prints the PR.
func (p prCmd) Run(c caller) error {
	if p.Number < 1 {
		return hint.New("as in `hooks pr 142`", "a PR's number starts at 1")
	}
	pr, err := c.PR(p.Number)
	if pr.Number == 0 {
		return err
	}
	return show(c, p.JSON, pr, err, report.PullRequest)
}
