package main

import (
	"fmt"

	"hooks/internal/app"
	"hooks/internal/printable"
)

type reportCmd struct{}

// Run takes the facts and says what they changed.
func (reportCmd) Run(a *app.App, s streams) error {
	said, err := a.Report(s.in)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, printable.Text(said))
	return nil
}
