package main

import (
	"errors"
	"fmt"

	"hooks/internal/desk"
	"hooks/internal/report"
)

type reportCardCmd struct {
	which
	RunID    string `name:"run" help:"An earlier run, by its id."`
	Markdown bool   `xor:"form" help:"As Markdown, to be pasted somewhere."`
	JSON     bool   `xor:"form" help:"Print the same as JSON: a list of runs."`
}

// Run prints the morning page of the present runs, or of one.
func (c reportCardCmd) Run(d *desk.Desk, s streams) error {
	list, err := d.Cards(c.skills(), c.RunID)
	if c.JSON {
		return errors.Join(printJSON(s.out, list), err)
	}
	text := report.CardText
	if c.Markdown {
		text = report.CardMarkdown
	}
	if len(list) == 0 && err == nil {
		fmt.Fprintln(s.out, "no loop has run in this project")
	}
	for i, card := range list {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, text(screen(d, s.out), card))
	}
	return err
}
