package main

import (
	"hooks/internal/hint"
	"hooks/internal/report"
)

type backlogCmd struct {
	Scope []string `arg:"" optional:"" help:"As a skill takes it: 12 #13 15-18, SPEC-0020, label:NAME, milestone:NAME. All open issues if not given."`
	JSON  bool     `help:"Print the same as JSON."`
}

// Run asks the tracker and prints the backlog, also a part of it.
func (b backlogCmd) Run(c caller) error {
	board, err := c.Backlog(b.Scope)
	if err != nil && board.Issues == nil && !b.JSON {
		return err
	}
	return show(c, b.JSON, board, err, report.Backlog)
}

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
