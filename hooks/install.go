package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"hooks/internal/app"
	"hooks/internal/child"
	"hooks/internal/doctor"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/term"
	"hooks/internal/tracker"
)

type initCmd struct {
	Settings bool `xor:"way" help:"Register hooks in your settings, so that your own skills can loop."`
	Plugin   bool `xor:"way" help:"Install hooks as a plugin, which brings its own looping skills."`
	Yes      bool `help:"Do not ask for confirmation."`
	Live     bool `help:"Test the registration in one real session, which costs a few cents."`
}

// Run inspects the machine, registers the program if necessary, and prints the line that starts a
// loop.
func (i initCmd) Run(a *app.App, p caller) error {
	dir, err := personsFolder(a, "the registration cannot be changed")
	if err != nil {
		return err
	}
	found := doctor.Look(a.Env, dir)
	for _, skill := range found.Governed {
		if err := p.say(fmt.Sprintf("can loop: /%s (%s)", skill.Name, skill.Path)); err != nil {
			return err
		}
	}
	plugin := i.Plugin || !i.Settings && !found.Registered && len(found.Governed) == 0
	switch {
	case found.Plugged && !i.Settings:
		err = p.say("the plugin is already enabled")
	case plugin && found.Registered:
		err = hint.New("run `hooks uninstall && hooks init --plugin`",
			"the program is already registered in your settings, so every event would count twice")
	case plugin:
		err = i.addPlugin(p, found.Source)
	default:
		if err = i.agreed(p, "Register hooks in your settings"); err == nil {
			err = installCmd{settingsScope{Scope: "user"}}.register(a, p)
		}
	}
	if err == nil && i.Live {
		err = doctorCmd{Live: true}.Run(a, p)
	}
	if err != nil {
		return err
	}
	return p.say(doctor.Look(a.Env, dir).Begin)
}

// agreed asks the person to agree if no flag did so already. It returns an error if they decline.
func (i initCmd) agreed(p caller, what string) error {
	const unasked = "run `hooks init --yes`"
	switch {
	case i.Yes || i.Settings || i.Plugin:
		return nil
	case !typed(p.in):
		return hint.New(unasked, "stdin is not a terminal, so no one can answer: %s?", what)
	}
	fmt.Fprint(p.out, what, "? (y/n) ")
	if word := strings.ToLower(typedLine(p.in)); word != "y" && word != "yes" {
		return hint.New(unasked+" to skip the question", "nothing was changed")
	}
	return nil
}

// clientWait limits the time for one of the client's plugin commands.
const clientWait = time.Minute

// addPlugin installs the plugin with the client's own commands.
func (i initCmd) addPlugin(p caller, source string) error {
	if source == "" {
		return hint.New("run `sh scripts/install.sh` in a checkout of hooks, then `hooks init`",
			"the plugin's folder was not found beside this program")
	}
	if err := i.agreed(p, "Install hooks as a plugin from "+term.Text(source)); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"claude", "plugin", "marketplace", "add", source},
		{"claude", "plugin", "install", "hooks@hooks"},
	} {
		_, err := child.Run(context.Background(), child.Command{
			Args: args, Wait: clientWait, Most: 1 << 20,
		})
		if err != nil {
			return hint.New("check that `claude` is on PATH and runs, or use "+
				"`hooks init --settings`, which needs no client", "`%s`: %w",
				strings.Join(args, " "), err)
		}
	}
	return p.say("installed as the plugin hooks@hooks from " + source)
}

// register does the work of `hooks install`, but does not print the line that starts a loop.
func (c installCmd) register(a *app.App, p caller) error {
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

// settingsScope selects the settings file that registers the program.
type settingsScope struct {
	Scope  string `enum:"user,project,local" default:"user" help:"Which settings: user (yours, in all projects), project (everyone's, in this project) or local (yours, in this project)."`
	DryRun bool   `help:"Print the changes without making them."`
	Diff   bool   `help:"Show the change line by line."`
}

type installCmd struct{ settingsScope }

// Run registers this binary and prints the changes and the line that starts a loop.
func (c installCmd) Run(a *app.App, p caller) error {
	err := c.register(a, p)
	if err != nil || c.DryRun {
		return err
	}
	dir, _ := os.Getwd()
	return p.say(doctor.Look(a.Env, dir).Begin)
}

type uninstallCmd struct{ settingsScope }

// Run removes this program's entries and prints the changes. It fails if a loop is running.
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
		if err = a.NoneRuns(project); err == nil {
			r, err = install.Uninstall(path, false)
		}
		if err == nil && c.Scope == "user" {
			a.RemoveLinks()
		}
	}
	if err == nil {
		fmt.Fprint(p.out, term.Text(r.Uninstalled(c.DryRun, c.Diff)))
	}
	return err
}

// personsFolder returns the working directory of a person's command. If an agent runs the command,
// it returns an error that begins with refused.
func personsFolder(a *app.App, refused string) (string, error) {
	if a.InAgent() {
		return "", hint.New("ask a person to do that in their own terminal",
			"%s from inside the agent", refused)
	}
	return os.Getwd()
}

// place returns the settings file and the project. It returns an error if an agent runs the
// command, because an agent must not change the registration.
func (c settingsScope) place(a *app.App) (path, project string, err error) {
	dir, err := personsFolder(a, "the registration cannot be changed")
	if err != nil {
		return "", "", err
	}
	project = tracker.Project(a.Env, dir)
	path, err = install.Path(c.Scope, project, a.Env)
	return path, project, err
}

type doctorCmd struct {
	JSON bool `help:"Print the result as JSON."`
	Fix  bool `help:"Repair what is safe to repair."`
	Live bool `help:"Also test the hooks in one real session, which costs a few cents."`
	All  bool `short:"v" name:"verbose" help:"Print every check, not only problems."`
}

// Run checks the machine and the project. It returns an error if a check fails.
func (c doctorCmd) Run(a *app.App, p caller) error {
	dir, err := os.Getwd()
	if err == nil && (c.Fix || c.Live) {
		_, err = personsFolder(a, "nothing can be repaired or started")
	}
	if err != nil {
		return err
	}
	found := doctor.Doctor{
		Env: p.Env, Dir: dir, Version: versionLine(), Live: c.Live, Fix: c.Fix,
	}.Run()
	if !found.OK {
		err = hint.New("see each hint above; `hooks doctor --fix` repairs what is safe to repair",
			"a check fails")
	}
	found.All = c.All
	return p.show(c.JSON, found, err)
}
