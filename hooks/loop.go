package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"hooks/internal/app"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/term"
)

type loopCmd struct {
	Status statusCmd    `cmd:"" group:"Look" help:"The state of the project's loops; the same as hooks status."`
	Stop   loopStopCmd  `cmd:"" help:"End the running loop: work already dispatched finishes, nothing new begins."`
	List   loopListCmd  `cmd:"" group:"Look" help:"The runs of this project, earlier ones too."`
	Raise  loopRaiseCmd `cmd:"" help:"Set other limits for the loop that runs or waits; not from inside the agent."`
	Reset  loopResetCmd `cmd:"" help:"Archive a run that has ended, or whose record is lost, so that the next one starts fresh."`
}

// which selects one kind of loop, or all kinds.
type which struct {
	Skill string `arg:"" optional:"" enum:"${kinds}," default:"" help:"${kindlist}; all if not given."`
}

func (w which) skills() []loop.Skill {
	if w.Skill != "" {
		return []loop.Skill{loop.Skill(w.Skill)}
	}
	return kind.Skills()
}

type loopStopCmd struct{ which }

// Run ends the running loops and prints the result.
func (l loopStopCmd) Run(a *app.App, c caller) error {
	text, err := a.StopLoops(l.skills())
	if text != "" {
		fmt.Fprintln(c.out, report.Fit(c.screen(), term.Text(text)))
	}
	return err
}

type loopListCmd struct {
	which
	All  bool `help:"Runs of all projects of this machine."`
	JSON bool `help:"Print the same as JSON."`
}

// Run prints a line for each run.
func (l loopListCmd) Run(c caller) error {
	c.Everywhere = l.All
	runs, err := c.Runs(l.skills())
	if len(runs) == 0 && err != nil {
		return err
	}
	if !l.JSON {
		return show(c, false, runs, err, report.RunList)
	}
	budgets := []loop.Budget{}
	for _, r := range runs {
		budgets = append(budgets, r.Budget)
	}
	return errors.Join(c.json(budgets), err)
}

type loopRaiseCmd struct {
	which
	MaxIterations string `placeholder:"N" help:"Iterations in all."`
	MaxPRs        string `name:"max-prs" placeholder:"N" help:"PRs in all."`
	MaxMinutes    string `placeholder:"N" help:"Minutes in all."`
	MaxDollars    string `placeholder:"N" help:"Dollars in all; 0 is no ceiling."`
}

// Run sets the limits.
func (l loopRaiseCmd) Run(k *kong.Context, a *app.App, c caller) error {
	return c.said(a.Raise(l.skills(), strings.Join(loopFlags(k), " ")))
}

type loopResetCmd struct{ which }

// Run archives the runs.
func (l loopResetCmd) Run(a *app.App, c caller) error {
	return c.said(a.Reset(l.skills()))
}

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
	return c.said(a.AnswerGate(g.Name, g.Answer))
}
