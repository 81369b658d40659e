package main

import (
	"fmt"

	"hooks/internal/app"
	"hooks/internal/report"
)

type explainCmd struct {
	Command string `required:"" help:"A shell command, as the agent would run it."`
	JSON    bool   `help:"Print the same as JSON."`
}

// Run shows how a command is read and what would happen to it in a loop.
func (c explainCmd) Run(a *app.App, s streams) error {
	e := a.Explain(c.Command)
	if c.JSON {
		return printJSON(s.out, e)
	}
	fmt.Fprintln(s.out, report.Explained(e))
	return nil
}
