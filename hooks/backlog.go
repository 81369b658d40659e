package main

import (
	"errors"

	"hooks/internal/desk"
	"hooks/internal/report"
)

type backlogCmd struct {
	Scope []string `arg:"" optional:"" help:"As a skill takes it: 12 #13 15-18, SPEC-0020, label:NAME, milestone:NAME. All open issues if not given."`
	JSON  bool     `help:"Print the same as JSON."`
}

// Run asks the tracker and prints the backlog. What was told is printed also when not all was.
func (c backlogCmd) Run(d *desk.Desk, s streams) error {
	b, err := d.Backlog(c.Scope)
	if err != nil && b.Issues == nil && !c.JSON {
		return err
	}
	return errors.Join(show(d, s, c.JSON, b, report.Backlog), err)
}
