package main

import (
	"cmp"

	"hooks/internal/app"
	"hooks/internal/loop"
	"hooks/internal/report"
)

type explainCmd struct {
	which
	Command *string `help:"Explain a shell command instead: how the guard reads it, and what would happen to it in a loop."`
	JSON    bool    `help:"Print the same as JSON."`
}

// Run explains why a loop stopped, or what would stop it; or how the guard reads a command.
func (e explainCmd) Run(a *app.App, c caller) error {
	if e.Command != nil {
		return show(c, e.JSON, a.Explain(*e.Command), nil, report.Explained)
	}
	list, err := c.Why(e.skills())
	none := cmp.Or(loop.KindOf(loop.Skill(e.Skill)).None, c.noLoop(e.which))
	return showEach(c, e.JSON, list, err, none, report.Explain)
}
