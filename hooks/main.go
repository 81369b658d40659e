// Hooks governs unattended loops of Claude Code from outside the model: it is registered as the
// client's hooks, and people ask it about their loops.
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
	runtime.MemProfileRate = 0 // a process of milliseconds needs no profile

	if code, isLink := brake.Run(os.Args, os.Stderr, app.Pass); isLink { // started as gh, git, …
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:]))
}

// run is the whole program but for the exit code: 0 done, 1 failed or not allowed, never 2, which
// would block.
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

// newApp is the program on this machine; tests replace it.
var newApp = func() *app.App { return &app.App{Env: os.Getenv} }

// callerOf is this process, by the clock and environment of the program.
func callerOf(a *app.App) caller {
	return caller{&inspect.Inspector{Env: a.Env, Now: a.Present}, os.Stdin, os.Stdout, os.Stderr}
}

// complain writes an error as people read it: what and where, then a hint.
func complain(w io.Writer, err error) { fmt.Fprintln(w, term.Text(hint.Text(err))) }
