package main

import "hooks/internal/report"

type tasksCmd struct {
	JSON bool `help:"Print the same as JSON."`
}

// Run prints the tasks of the project's task loop.
func (t tasksCmd) Run(c caller) error {
	list, err := c.Tasks()
	if len(list.Tasks) == 0 && err != nil && !t.JSON {
		return err
	}
	return show(c, t.JSON, list, err, report.Tasks)
}
