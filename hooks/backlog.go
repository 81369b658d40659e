package main

import "hooks/internal/report"

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
