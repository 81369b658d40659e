package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"hooks/internal/app"
	"hooks/internal/doctor"
	"hooks/internal/hint"
	"hooks/internal/report"
)

type doctorCmd struct {
	JSON bool `help:"Print the same as JSON."`
	Fix  bool `help:"Mend what can be mended safely."`
}

// Run looks at the machine and the project; a check that fails is exit code 1.
func (c doctorCmd) Run(a *app.App, s streams) error {
	if c.Fix && a.Env("CLAUDECODE") != "" {
		return hint.New("type hooks doctor --fix in a terminal of your own", "nothing is mended from inside the agent")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	found := doctor.Doctor{Env: a.Env, Dir: dir, Now: time.Now(), Version: versionLine()}.Run(c.Fix)
	if c.JSON {
		err = printJSON(s.out, found)
	} else {
		_, err = fmt.Fprintln(s.out, report.CheckupText(found, paint(s.out, a.Env)))
	}
	if err == nil && !found.OK {
		return hint.New("each says its way out; --fix mends what can be mended safely", "a check fails")
	}
	return err
}

// paint colours what a check came to, on a terminal and unless NO_COLOR is set.
func paint(w io.Writer, env func(string) string) func(report.Health, string) string {
	f, ok := w.(*os.File)
	info, err := os.Stdout.Stat()
	if !ok || f != os.Stdout || err != nil || info.Mode()&os.ModeCharDevice == 0 || env("NO_COLOR") != "" || env("TERM") == "dumb" {
		return func(_ report.Health, s string) string { return s }
	}
	return func(h report.Health, s string) string {
		colour := map[report.Health]string{report.Fine: "32", report.Doubt: "33", report.Broken: "31", report.Skipped: "2"}[h]
		return "\x1b[" + colour + "m" + s + "\x1b[0m"
	}
}
