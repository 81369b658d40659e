package main

import (
	"fmt"
	"os"

	"hooks/internal/app"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/term"
	"hooks/internal/tracker"
)

// settingsScope is where the program is, or is to be, registered.
type settingsScope struct {
	Scope  string `enum:"user,project,local" default:"user" help:"Whose settings: user (every project of yours), project (everybody's in this project) or local (yours in this project)."`
	DryRun bool   `help:"Print what would change, and change nothing."`
	Diff   bool   `help:"Show the change line by line."`
}

type installCmd struct{ settingsScope }

// Run registers this binary and prints the changes.
func (c installCmd) Run(a *app.App, p caller) error {
	path, project, err := c.place(a)
	if err != nil {
		return err
	}
	program, err := install.Program()
	if err == nil {
		err = install.Clash(c.Scope, program, project, a.Env)
	}
	if err != nil {
		return err
	}
	r, err := install.Install(path, program, c.DryRun)
	if err == nil {
		fmt.Fprint(p.out, term.Text(r.Installed(c.DryRun, c.Diff)))
	}
	return err
}

type uninstallCmd struct{ settingsScope }

// Run removes the entries of this program and prints the changes.
func (c uninstallCmd) Run(a *app.App, p caller) error {
	path, _, err := c.place(a)
	if err != nil {
		return err
	}
	r, err := install.Uninstall(path, c.DryRun)
	if err == nil {
		fmt.Fprint(p.out, term.Text(r.Uninstalled(c.DryRun, c.Diff)))
	}
	return err
}

// place is the settings file, for a person only: an agent does not decide what governs it.
func (c settingsScope) place(a *app.App) (path, project string, err error) {
	if a.InAgent() {
		return "", "", hint.New("a person does that in a terminal of their own",
			"the registration is not changed from inside the agent")
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", "", fmt.Errorf("find folder: %w", err)
	}
	project = tracker.Project(a.Env, dir)
	path, err = install.Path(c.Scope, project, a.Env)
	return path, project, err
}
