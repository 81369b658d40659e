package main

import "hooks/internal/report"

type reportCardCmd struct {
	which
	RunID    string `name:"run" complete:"run" help:"An earlier run, by its id."`
	Markdown bool   `xor:"form" help:"As Markdown, to be pasted somewhere."`
	JSON     bool   `xor:"form" help:"Print the same as JSON: a list of runs."`
}

// Run prints the morning page of the present runs, or of one.
func (r reportCardCmd) Run(c caller) error {
	list, err := c.Cards(r.skills(), r.RunID)
	return showEach(c, r.JSON, list, err, "no loop has run in this project",
		func(s report.Screen, card report.Card) string {
			s.Markdown = r.Markdown
			return report.CardText(s, card)
		})
}
