package main

import "hooks/internal/report"

type auditCmd struct {
	Findings findingsCmd `cmd:"" default:"1" help:"List what the auditors found."`
	Section  sectionCmd  `cmd:"" help:"Print a section of the plan, or the one under way."`
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
	text, err := c.Section(s.Number)
	if err != nil {
		return err
	}
	return c.say(text)
}
