package main

import (
	"errors"

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
	text, err := a.AddTask(t.Text)
	return errors.Join(c.say(text), err)
}
