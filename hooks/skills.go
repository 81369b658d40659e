package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/internal/app"
	"hooks/internal/hint"
	"hooks/internal/ledger"
	"hooks/schemas"
)

type reportCmd struct{}

func (reportCmd) Run(a *app.App, c caller) error {
	if typed(c.in) {
		return hint.New("run `hooks report < facts.json`; `hooks schema report` lists the fields",
			"stdin is a terminal, but `hooks report` reads JSON from it")
	}
	return c.said(a.Report(c.in))
}

type ledgerCmd struct {
	Lint     ledgerLintCmd     `cmd:"" help:"Check that ledgers follow the rules of their format."`
	Append   ledgerAppendCmd   `cmd:"" help:"Add a turn from stdin, with empty feedback."`
	Feedback ledgerFeedbackCmd `cmd:"" help:"Print the newest feedback, or nothing."`
	New      ledgerNewCmd      `cmd:"" help:"Create the ledger of a phase."`
}

type ledgerLintCmd struct {
	Files []string `arg:"" optional:"" name:"file" help:"Ledgers; default: all in changes/*/loops."`
	Since string   `placeholder:"REF" help:"Also check that turns are unchanged since REF."`
	JSON  bool     `help:"Print the result as JSON."`
}

// Run prints the findings. It returns an error if there are any.
func (l ledgerLintCmd) Run(c caller) error {
	found, err := c.LintLedgers(l.Files, l.Since)
	if err == nil && len(found.Findings) > 0 {
		err = hint.New("fix the lines above; `hooks ledger append` adds valid turns",
			"a ledger breaks a rule")
	}
	return c.show(l.JSON, found, err)
}

type ledgerAppendCmd struct {
	File string `arg:"" help:"The ledger, such as changes/add-login/loops/tasks.md."`
}

func (l ledgerAppendCmd) Run(c caller) error {
	if typed(c.in) {
		return hint.New("run `hooks ledger append "+l.File+" < turn.md`",
			"stdin is a terminal, but `hooks ledger append` reads a turn from it")
	}
	turn, err := io.ReadAll(c.in)
	if err == nil {
		err = ledger.Append(l.File, string(turn))
	}
	if err != nil {
		return err
	}
	return c.say("added a turn to " + l.File)
}

type ledgerFeedbackCmd struct {
	File string `arg:"" help:"The ledger."`
}

func (l ledgerFeedbackCmd) Run(c caller) error {
	return c.said(c.LedgerFeedback(l.File))
}

type ledgerNewCmd struct {
	Phase  string `arg:"" help:"The phase, from ideation to reconcile, for example implement."`
	Change string `arg:"" help:"The folder in changes/."`
	Number string `arg:"" optional:"" name:"nn" help:"The task's number, for plan and implement."`
}

func (l ledgerNewCmd) Run(c caller) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return c.said(ledger.New(ledger.Root(dir), l.Phase, l.Change, l.Number))
}

type schemaCmd struct {
	Name string `arg:"" enum:"${schemas}" help:"One of ${schemas}."`
}

func (s schemaCmd) Run(c caller) error {
	text, _ := schemas.Get(s.Name)
	_, err := c.out.Write(text)
	return err
}

type versionCmd struct{}

func (versionCmd) Run(c caller) error {
	return c.say(versionLine())
}

// versionLine returns the plugin version, the module version, which includes the commit and its
// date, the platform, and the Go version.
func versionLine() string {
	built := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		built = cmp.Or(info.Main.Version, built)
	}
	return fmt.Sprintf("hooks %s %s %s/%s %s", version(), built, runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}

// version returns the plugin version, which must match the release tag.
func version() string { return gjson.Get(plugin.Manifest, "version").String() }
