package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"hooks/internal/app"
	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/guard/shellword"
	"hooks/internal/install"
	"hooks/internal/proc"
	"hooks/internal/safefile"
	"hooks/internal/term"
)

// hook answers one client event. It bypasses the command parser, which would take longer than the
// answer itself. code is 1 if the session has a loop and a bug or a failed write loses the answer.
// hooks.json then blocks a call that was not judged. Otherwise code is 0.
func hook(a *app.App, word string, in io.Reader, out, errs io.Writer) (code int, isHook bool) {
	if _, typed := terminalOf(in); typed || event.NameOf(word) == "" {
		return 0, false
	}
	debug.SetGCPercent(-1) // the process ends in milliseconds, and its input is bounded
	debug.SetMemoryLimit(24 << 20)
	defer func() {
		if p := recover(); p != nil { // a panic would exit with 2, which blocks
			complain(errs, fmt.Errorf("internal error: %v", p))
			code, isHook = a.Unanswered(), true
		}
	}()
	growStack(false)
	began := time.Now()
	answer := a.Handle(word, proc.Within(event.MaxWait, in))
	reply := answer.Reply.Named(typedAs).Encode(event.NameOf(word))
	if len(reply) > 0 && (answer.Until.IsZero() || rested(a, answer.Until)) {
		if _, err := out.Write(append(reply, '\n')); err != nil {
			answer.Err, code = fmt.Errorf("write reply: %w", err), a.Unanswered()
		}
	}
	if answer.After != nil {
		if err := answer.After(); err != nil {
			answer.Err = cmp.Or(answer.Err, fmt.Errorf("release lock: %w", err))
		}
	}
	for _, notify := range answer.Notify {
		answer.Err = cmp.Or(answer.Err, notify())
	}
	if answer.Err != nil {
		complain(errs, answer.Err)
	}
	if path := a.Env("HOOKS_LOG"); path != "" {
		logLine(path, word, began, len(reply), answer.Err)
	}
	return code, true
}

// typedAs returns the word that runs this program in a shell. It is "hooks" if PATH finds this
// binary or the binary's path is unknown, and otherwise the path, quoted if necessary.
func typedAs() string {
	own, err := os.Executable()
	if err != nil {
		return "hooks"
	}
	if found, err := exec.LookPath("hooks"); err == nil && install.Same(found, own) {
		return "hooks"
	}
	if strings.ContainsAny(own, " '\"$`\\") {
		return shellword.Quote(own)
	}
	return own
}

// growStack grows the stack in one step to the size that a hook needs. Otherwise the runtime would
// double and copy the stack four times.
//
//go:noinline
func growStack(fill bool) (sum byte) {
	if fill {
		var room [40 << 10]byte
		for i := range room {
			room[i] = byte(i)
			sum += room[i/2]
		}
	}
	return sum
}

// logLine writes one line per event to path.
func logLine(path, word string, began time.Time, reply int, err error) {
	program, _ := os.Executable()
	line := fmt.Sprintf("%s %s %s reply=%d error=%s program=%s\n",
		began.UTC().Format(time.RFC3339Nano), word, time.Since(began).Round(10*time.Microsecond),
		reply, term.Line(fmt.Sprint(err)), term.Line(program))
	_ = safefile.Append(path, line) // a failed log must not change the answer
}

// rested waits until a reply is due, and reports whether the wait was uninterrupted. When a person
// presses Esc, the client sends SIGTERM. If the client dies, this process gets another parent.
func rested(a *app.App, until time.Time) bool {
	if left := until.Sub(a.Present()); a.Rest != nil {
		return a.Rest(left)
	}
	signals, stop := drive.Signals()
	defer stop()
	return paused(signals, a.Present, until)
}

// paused waits for a time, a signal or a new parent process, and reports whether the time was
// reached. It reads the wall clock every second, because one timer would be late after the machine
// slept.
func paused(signals <-chan os.Signal, now func() time.Time, until time.Time) bool {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for parent := os.Getppid(); now().Before(until); {
		select {
		case <-signals:
			return false
		case <-tick.C:
			if os.Getppid() != parent {
				return false
			}
		}
	}
	return true
}
