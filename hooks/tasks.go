package main

import (
	"hooks/internal/app"
	"hooks/internal/report"
)

type tasksCmd struct {
	List tasksListCmd `cmd:"" default:"withargs" help:"The tasks with verdict and cost."`
	Add  tasksAddCmd  `cmd:"" help:"Add a task; not from inside the agent."`
}

type tasksListCmd struct {
	JSON bool `help:"Print the same as JSON."`
}

// Run prints the tasks of the project's task loop.
func (t tasksListCmd) Run(c caller) error {
	list, err := c.Tasks()
	if len(list.Tasks) == 0 && err != nil && !t.JSON {
		return err
	}
	return show(c, t.JSON, list, err, report.Tasks)
}

type tasksAddCmd struct {
	Text string `arg:"" help:"The task, as after the box of a list's line."`
}

// Run adds the task. The loop includes it when no attempt is open.
func (t tasksAddCmd) Run(a *app.App, c caller) error {
	return c.said(a.AddTask(t.Text))
}

type auditCmd struct {
	Findings findingsCmd      `cmd:"" default:"1" help:"List what the auditors found."`
	Section  sectionCmd       `cmd:"" help:"Print a section of the plan, or the current one."`
	Accept   findingAcceptCmd `cmd:"" help:"Leave a finding as it is; not from inside the agent."`
	Close    findingCloseCmd  `cmd:"" help:"Call a finding resolved; not from inside the agent."`
	Add      findingAddCmd    `cmd:"" help:"Add a bug for the coder; not from inside the agent."`
}

type findingArg struct {
	ID string `arg:"" help:"As in F1."`
}

type (
	findingAcceptCmd struct{ findingArg }
	findingCloseCmd  struct{ findingArg }
	findingAddCmd    struct {
		Text string `arg:"" help:"What is wrong."`
	}
)

func (f findingAcceptCmd) Run(a *app.App, c caller) error {
	return c.said(a.SteerAudit("accept", f.ID))
}

func (f findingCloseCmd) Run(a *app.App, c caller) error {
	return c.said(a.SteerAudit("close", f.ID))
}

func (f findingAddCmd) Run(a *app.App, c caller) error {
	return c.said(a.SteerAudit("add", f.Text))
}

type findingsCmd struct {
	JSON bool `help:"Print the same as JSON."`
}

// Run prints the findings of the project's audit loop.
func (f findingsCmd) Run(c caller) error {
	found, err := c.Audit()
	if found.Run == nil && err != nil {
		return err
	}
	return show(c, f.JSON, found, err, report.Findings)
}

type sectionCmd struct {
	Number int `arg:"" optional:"" help:"From 1."`
}

// Run prints the text of a section.
func (s sectionCmd) Run(c caller) error {
	return c.said(c.Section(s.Number))
}
