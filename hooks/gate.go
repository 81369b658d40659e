package main

import (
	"fmt"

	"hooks/internal/app"
	"hooks/internal/desk"
	"hooks/internal/printable"
	"hooks/internal/report"
)

type gateCmd struct {
	List   gateListCmd   `cmd:"" help:"The questions that wait for a person."`
	Answer gateAnswerCmd `cmd:"" help:"Answer a question of a paused loop; not from inside the agent."`
}

type gateListCmd struct {
	JSON bool `help:"Print the same as JSON."`
}

// Run prints the waiting questions with their options.
func (c gateListCmd) Run(d *desk.Desk, s streams) error {
	gates, err := d.Waiting()
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.out, gates)
	}
	if len(gates) == 0 {
		fmt.Fprintln(s.out, "no question waits")
	}
	for _, g := range gates {
		fmt.Fprintln(s.out, report.WaitingQuestion(verbatim(d, s.out), g))
	}
	return nil
}

type gateAnswerCmd struct {
	Name   string   `arg:"" help:"The gate's name, as in budget-escalation; with several of a name, NAME:TARGET or LOOP:NAME."`
	Answer []string `arg:"" help:"One of its options, or your own words."`
}

// Run records the answer; it acts at the next --resume.
func (c gateAnswerCmd) Run(a *app.App, s streams) error {
	said, err := a.AnswerGate(c.Name, c.Answer)
	if err == nil {
		fmt.Fprintln(s.out, printable.Text(said))
	}
	return err
}
