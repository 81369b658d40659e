package main

import (
	"errors"

	"hooks/internal/app"
	"hooks/internal/kind"
	"hooks/internal/report"
)

type gateCmd struct {
	List   gateListCmd   `cmd:"" group:"Look" help:"The questions that wait for a person."`
	Answer gateAnswerCmd `cmd:"" help:"Answer a question of a paused loop; not from inside the agent."`
}

type gateListCmd struct {
	All  bool `help:"Questions of all projects of this machine."`
	JSON bool `help:"Print the same as JSON."`
}

// Run prints the waiting questions with their options.
func (g gateListCmd) Run(c caller) error {
	c.Everywhere = g.All
	gates, err := c.Waiting(kind.Skills())
	return showEach(c, g.JSON, gates, err, "no question waits", report.WaitingQuestion)
}

type gateAnswerCmd struct {
	Name   string   `arg:"" help:"The gate's name, as in budget-escalation; with several of a name, NAME:TARGET or LOOP:NAME."`
	Answer []string `arg:"" help:"One of its options, or your own words."`
}

// Run records the answer. It takes effect at the next --resume.
func (g gateAnswerCmd) Run(a *app.App, c caller) error {
	text, err := a.AnswerGate(g.Name, g.Answer)
	return errors.Join(c.say(text), err)
}
