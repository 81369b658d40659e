package main

import (
	"errors"
	"strings"

	"github.com/alecthomas/kong"

	"hooks/internal/app"
	"hooks/internal/kind"
	"hooks/internal/loop"
)

type loopCmd struct {
	Status statusCmd    `cmd:"" group:"Look" help:"The state of the project's loops; the same as hooks status."`
	Stop   loopStopCmd  `cmd:"" help:"End the running loop; dispatched work may finish, but nothing new begins."`
	List   loopListCmd  `cmd:"" group:"Look" help:"The runs of this project, including earlier ones."`
	Raise  loopRaiseCmd `cmd:"" help:"Change the limits of the running or waiting loop; not from inside the agent."`
	Reset  loopResetCmd `cmd:"" help:"Archive a run that has ended, or whose record is lost, so that the next one starts fresh."`
}

// which selects one kind of loop, or all kinds.
type which struct {
	Skill string `arg:"" optional:"" enum:"${kinds}," default:"" help:"${kindlist}; all by default."`
}

func (w which) skills() []loop.Skill {
	if w.Skill != "" {
		return []loop.Skill{loop.Skill(w.Skill)}
	}
	return kind.Skills()
}

type loopStopCmd struct{ which }

func (l loopStopCmd) Run(a *app.App, c caller) error {
	return c.said(a.StopLoops(l.skills()))
}

type loopListCmd struct {
	which
	All  bool `help:"The runs of all projects on this machine."`
	JSON bool `help:"Print the result as JSON."`
}

func (l loopListCmd) Run(c caller) error {
	c.Everywhere = l.All
	runs, err := c.Runs(l.skills())
	return c.show(l.JSON, runs, err)
}

type loopRaiseCmd struct {
	which
	MaxIterations string `placeholder:"N" help:"Total iterations."`
	MaxPRs        string `name:"max-prs" placeholder:"N" help:"Total PRs."`
	MaxMinutes    string `placeholder:"N" help:"Total minutes."`
	MaxDollars    string `placeholder:"N" help:"Total dollars; 0 for no ceiling."`
}

func (l loopRaiseCmd) Run(k *kong.Context, a *app.App, c caller) error {
	return c.said(a.Raise(l.skills(), strings.Join(loopFlags(k), " ")))
}

type loopResetCmd struct{ which }

func (l loopResetCmd) Run(a *app.App, c caller) error {
	return c.said(a.Reset(l.skills()))
}

type gateCmd struct {
	List   gateListCmd   `cmd:"" group:"Look" help:"The questions that wait for a person."`
	Answer gateAnswerCmd `cmd:"" help:"Answer a question of a paused loop; not from inside the agent."`
}

type gateListCmd struct {
	All  bool `help:"The questions of all projects on this machine."`
	JSON bool `help:"Print the result as JSON."`
}

func (g gateListCmd) Run(c caller) error {
	c.Everywhere = g.All
	gates, err := c.Waiting(kind.Skills())
	return showEach(c, g.JSON, gates, err, "no question is waiting")
}

type gateAnswerCmd struct {
	Name   string   `arg:"" help:"The gate's name, such as budget-escalation; if it asks several questions, NAME:TARGET or LOOP:NAME."`
	Answer []string `arg:"" help:"One of the question's options, or your own words."`
}

// Run records the answer. It takes effect at the next --resume.
func (g gateAnswerCmd) Run(a *app.App, c caller) error {
	return c.said(a.AnswerGate(g.Name, g.Answer))
}

type tasksCmd struct {
	List tasksListCmd `cmd:"" default:"withargs" help:"List the tasks, each with its verdict and cost."`
	Add  tasksAddCmd  `cmd:"" help:"Add a task; not from inside the agent."`
}

type tasksListCmd struct {
	JSON bool `help:"Print the result as JSON."`
}

func (t tasksListCmd) Run(c caller) error {
	list, err := c.Tasks()
	if t.JSON {
		return errors.Join(c.json(list), err)
	}
	return c.show(false, list, err)
}

type tasksAddCmd struct {
	Text string `arg:"" help:"The task, as written after the checkbox in a list."`
}

// Run adds the task. The loop picks it up when no attempt is open.
func (t tasksAddCmd) Run(a *app.App, c caller) error {
	return c.said(a.Steer("task", "add", t.Text))
}

type auditCmd struct {
	Findings findingsCmd      `cmd:"" default:"1" help:"List what the auditors found."`
	Section  sectionCmd       `cmd:"" help:"Print a section of the plan, or the current one."`
	Accept   findingSettleCmd `cmd:"" help:"Accept a finding without a fix; not from inside the agent."`
	Close    findingSettleCmd `cmd:"" help:"Mark a finding as resolved; not from inside the agent."`
	Add      findingAddCmd    `cmd:"" help:"Add a bug for the coder; not from inside the agent."`
}

type findingSettleCmd struct {
	ID string `arg:"" help:"The finding's id, such as F1."`
}

// Run accepts or closes the finding, depending on the command's name.
func (f findingSettleCmd) Run(k *kong.Context, a *app.App, c caller) error {
	return c.said(a.Steer("audit", k.Selected().Name, f.ID))
}

type findingAddCmd struct {
	Text string `arg:"" help:"What is wrong."`
}

func (f findingAddCmd) Run(a *app.App, c caller) error {
	return c.said(a.Steer("audit", "add", f.Text))
}

type findingsCmd struct {
	JSON bool `help:"Print the result as JSON."`
}

func (f findingsCmd) Run(c caller) error {
	found, err := c.Findings()
	return c.show(f.JSON, found, err)
}

type sectionCmd struct {
	Number int `arg:"" optional:"" help:"The section's number, from 1."`
}

func (s sectionCmd) Run(c caller) error {
	return c.said(c.Section(s.Number))
}
