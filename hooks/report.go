package main

import (
	"fmt"

	"hooks/internal/app"
	"hooks/internal/hint"
	"hooks/internal/printable"
)

type reportCmd struct{}

// Run takes the facts and says what they changed.
func (reportCmd) Run(a *app.App, s streams) error {
	if typed(s.in) {
		return hint.New("a skill says them: hooks report <<'JSON' {…} JSON; `hooks schema report` has the fields", "the facts are read from stdin")
	}
	said, err := a.Report(s.in)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, printable.Text(said))
	return nil
}
