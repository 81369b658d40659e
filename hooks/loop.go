package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"hooks/internal/app"
	"hooks/internal/desk"
	"hooks/internal/loop"
	"hooks/internal/printable"
	"hooks/internal/report"
)

type loopCmd struct {
	Status statusCmd    `cmd:"" help:"How the project's loops stand; the same as hooks status."`
	Stop   loopStopCmd  `cmd:"" help:"End the running loop: work already dispatched finishes, nothing new begins."`
	List   loopListCmd  `cmd:"" help:"The runs of this project, earlier ones too."`
	Accept acceptCmd    `cmd:"" help:"Show and take over what you changed in a loop's files."`
	Reset  loopResetCmd `cmd:"" help:"Archive a run that has ended, or whose files are damaged, so that the next one starts afresh."`
}

// which selects one skill's loop, or both.
type which struct {
	Skill string `arg:"" optional:"" enum:"work,review," default:"" help:"work or review; both if not given."`
}

func (w which) skills() []loop.Skill {
	if w.Skill != "" {
		return []loop.Skill{loop.Skill(w.Skill)}
	}
	return loop.Skills()
}

type loopStopCmd struct{ which }

// Run ends what runs and says how.
func (c loopStopCmd) Run(a *app.App, d *desk.Desk, s streams) error {
	said, err := a.StopLoops(c.skills())
	if said != "" {
		fmt.Fprintln(s.out, fitting(d, s.out, printable.Text(said)))
	}
	return err
}

type loopListCmd struct {
	which
	JSON bool `help:"Print the same as JSON."`
}

// Run prints one line a run.
func (c loopListCmd) Run(d *desk.Desk, s streams) error {
	runs, present, err := d.Runs(c.skills())
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.out, runs)
	}
	if len(runs) == 0 {
		fmt.Fprintln(s.out, "no loop has run in this project")
		return nil
	}
	_, err = fmt.Fprintln(s.out, report.RunList(whole(d, s.out), runs, present))
	return err
}

type loopResetCmd struct{ which }

// Run archives the runs.
func (c loopResetCmd) Run(a *app.App, s streams) error {
	said, err := a.Reset(c.skills())
	if err == nil {
		fmt.Fprintln(s.out, printable.Text(said))
	}
	return err
}

type acceptCmd struct{ which }

// Run shows what differs and takes it over.
func (c acceptCmd) Run(a *app.App, s streams) error {
	said, err := a.Accept(c.skills())
	if said != "" {
		fmt.Fprintln(s.out, printable.Text(said))
	}
	return err
}

func printJSON(w io.Writer, v any) error {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.JSON(out.String()))
	return err
}
