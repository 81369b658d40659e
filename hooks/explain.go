package main

import (
	"errors"
	"fmt"

	"hooks/internal/app"
	"hooks/internal/desk"
	"hooks/internal/report"
)

type explainCmd struct {
	which
	Command *string `help:"Explain a shell command instead: how the guard reads it, and what would happen to it in a loop."`
	JSON    bool    `help:"Print the same as JSON."`
}

// Run says why a loop stopped, or what would stop it; or how a command is read.
func (c explainCmd) Run(a *app.App, d *desk.Desk, s streams) error {
	if c.Command != nil {
		return show(d, s, c.JSON, a.Explain(*c.Command), report.Explained)
	}
	list, err := d.Why(c.skills())
	if c.JSON {
		return errors.Join(printJSON(s.out, list), err)
	}
	if len(list) == 0 && err == nil {
		fmt.Fprintln(s.out, "no loop in this project")
	}
	for i, w := range list {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, report.Explain(screen(d, s.out), w))
	}
	return err
}
