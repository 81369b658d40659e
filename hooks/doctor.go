package main

import (
	"os"
	"time"

	"hooks/internal/app"
	"hooks/internal/doctor"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
)

type doctorCmd struct {
	JSON bool `help:"Print the same as JSON."`
	Fix  bool `help:"Repair what is safe to repair."`
	Live bool `help:"Start one real session too; its hooks must fire. Costs a few cents."`
	All  bool `short:"v" name:"verbose" help:"Print every check, not only problems."`
}

// Run looks at the machine and the project; a check that fails is exit code 1.
func (c doctorCmd) Run(a *app.App, p caller) error {
	if c.Fix && a.InAgent() {
		return hint.New("type hooks doctor --fix in a terminal of your own",
			"nothing is repaired from inside the agent")
	}
	if c.Live && a.InAgent() {
		return hint.New("type hooks doctor --live in a terminal of your own",
			"no session is started from inside the agent")
	}
	dir, err := os.Getwd()
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
