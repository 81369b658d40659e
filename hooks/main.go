// Hooks governs unattended loops of Claude Code from outside the model. Claude Code runs it as its
// hooks; its commands show people the state of their loops and change it.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"hooks/internal/app"
	"hooks/internal/brake"
	"hooks/internal/hint"
	"hooks/internal/inspect"
	"hooks/internal/notify"
	"hooks/internal/term"
)

func main() {
	runtime.MemProfileRate = 0 // the process ends in milliseconds

	// started as gh, git or another guarded program
	if code, isLink := brake.Run(os.Args, os.Stderr, app.Pass); isLink {
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:]))
}

// run runs the program and returns the exit code: 0 if it succeeded, 1 if it failed or was not
// allowed, or a command's own code from 3. It never returns 2, which would block the client.
func run(args []string) int {
	dropOddZone()
	a := newApp()
	if len(args) == 1 {
		if code, isHook := hook(a, args[0], os.Stdin, os.Stdout, os.Stderr); isHook {
			return code
		}
		switch args[0] {
		case "statusline":
			_ = statuslineCmd{}.Run(callerOf(a))
			return 0
		case notify.SyncWord:
			notify.Sync(a.Env)
			return 0
		case notify.DeliverWord:
			notify.Deliver(a.Env)
			return 0
		case notify.AskWord:
			a.AskPerson(os.Stdin)
			return 0
		}
	}
	return people(a, args)
}

// newApp returns the program on this machine. Tests replace it.
var newApp = func() *app.App { return &app.App{Env: os.Getenv} }

// callerOf returns a caller for this process, with the clock and environment of a.
func callerOf(a *app.App) caller {
	return caller{&inspect.Inspector{Env: a.Env, Now: a.Present}, os.Stdin, os.Stdout, os.Stderr}
}

// complain writes an error and its hint.
func complain(w io.Writer, err error) { fmt.Fprintln(w, term.Text(hint.Text(err))) }
