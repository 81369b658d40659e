package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"hooks/internal/app"
	"hooks/internal/doctor"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/term"
	"hooks/internal/tracker"
)

// settingsScope selects the settings file that registers the program.
type settingsScope struct {
	Scope  string `enum:"user,project,local" default:"user" help:"Whose settings: user (every project of yours), project (everybody's in this project) or local (yours in this project)."`
	DryRun bool   `help:"Print the changes without making them."`
	Diff   bool   `help:"Show the change line by line."`
}

type installCmd struct{ settingsScope }

// Run registers this binary and prints the changes and the line that begins a loop.
func (c installCmd) Run(a *app.App, p caller) error {
	err := c.register(a, p)
	if err != nil || c.DryRun {
		return err
	}
	dir, _ := os.Getwd()
	return p.say(doctor.Look(a.Env, dir).Begin)
}

type uninstallCmd struct {
	settingsScope
	Yes bool `help:"End open loops without asking."`
}

// Run ends open loops, removes the entries of this program and prints the changes.
func (c uninstallCmd) Run(a *app.App, p caller) error {
	path, project, err := c.place(a)
	if err != nil {
		return err
	}
	r, err := install.Uninstall(path, true)
	if err == nil && !c.DryRun && r.Diff != "" {
		if c.Scope == "user" {
			project = "" // all projects
		}
		if err = c.endLoops(a, p, project); err == nil {
			r, err = install.Uninstall(path, false)
		}
		if err == nil {
			a.RemoveLinks(project)
		}
	}
	if err == nil {
		fmt.Fprint(p.out, term.Text(r.Uninstalled(c.DryRun, c.Diff)))
	}
	return err
}

// endLoops ends the loops of a project, or of all projects, once a person agrees. Without the
// hooks, nothing would end them later.
func (c uninstallCmd) endLoops(a *app.App, p caller, project string) error {
	open, err := a.OpenLoops(project)
	if err != nil || len(open) == 0 {
		return err
	}
	where := term.Text(strings.Join(open, ", "))
	if !c.Yes {
		if !typed(p.in) {
			return hint.New("`hooks uninstall --yes` ends it first", "a loop is on in %s", where)
		}
		if !p.agrees("A loop is on in " + where + ". End it and uninstall") {
			return hint.New("`hooks status --all` shows the loops", "nothing was changed")
		}
	}
	for _, project := range open {
		text, err := a.EndLoops(project)
		if text != "" {
			fmt.Fprintln(p.out, report.Fit(p.screen(), term.Text(text)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// agrees asks a person at the terminal and reports whether the answer is yes.
func (c caller) agrees(question string) bool {
	fmt.Fprint(c.out, question, "? (y/n) ")
	keys := bufio.NewScanner(c.in)
	keys.Scan()
	word := strings.ToLower(strings.TrimSpace(keys.Text()))
	return word == "y" || word == "yes"
}

// personsFolder returns the folder in which a person typed the command. It returns an error with
// the text refused if an agent typed it.
func personsFolder(a *app.App, refused string) (string, error) {
	if a.InAgent() {
		return "", hint.New("a person does that in a terminal of their own",
			"%s from inside the agent", refused)
	}
	return os.Getwd()
}

// place returns the settings file and the project. It returns an error for an agent, which must
// not change its own registration.
func (c settingsScope) place(a *app.App) (path, project string, err error) {
	dir, err := personsFolder(a, "the registration is not changed")
	if err != nil {
		return "", "", err
	}
	project = tracker.Project(a.Env, dir)
	path, err = install.Path(c.Scope, project, a.Env)
	return path, project, err
}

type doctorCmd struct {
	JSON bool `help:"Print the same as JSON."`
	Fix  bool `help:"Repair what is safe to repair."`
	Live bool `help:"Start one real session too; its hooks must fire. Costs a few cents."`
	All  bool `short:"v" name:"verbose" help:"Print every check, not only problems."`
}

// Run checks the machine and the project. It returns an error if a check fails.
func (c doctorCmd) Run(a *app.App, p caller) error {
	dir, err := os.Getwd()
	if err == nil && c.Fix {
		_, err = personsFolder(a, "nothing is repaired")
	}
	if err == nil && c.Live {
		_, err = personsFolder(a, "no session is started")
	}
	if err != nil {
		return err
	}
	found := doctor.Doctor{
		Env: p.Env, Dir: dir, Now: time.Now(), Version: versionLine(), Live: c.Live,
		Archive: func(skill loop.Skill) error {
			_, err := a.Reset([]loop.Skill{skill})
			return err
		},
	}.Run(c.Fix)
	if !found.OK {
		err = hint.New("see each hint above; `hooks doctor --fix` repairs what is safe to repair",
			"a check fails")
	}
	return show(p, c.JSON, found, err, func(s report.Screen, found report.Checkup) string {
		return report.CheckupText(s, found, c.All)
	})
}
