package main

import (
	"hooks/internal/app"
	"hooks/internal/hint"
)

type reportCmd struct{}

// Run records a skill's facts and prints the changes.
func (reportCmd) Run(a *app.App, c caller) error {
	if typed(c.in) {
		return hint.New("a skill says them: hooks report <<'JSON' {…} JSON; "+
			"`hooks schema report` has the fields", "the facts are read from stdin")
	}
	text, err := a.Report(c.in)
	if err != nil {
		return err
	}
	return c.say(text)
}
