package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"hooks/internal/app"
	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/safefile"
	"hooks/internal/term"
)

// hook answers one event of the client. It bypasses the command parser, which would cost more than
// the answer, and exits with 0, but for a bug or an answer that no one gets while a loop is on:
// with 1 the client holds back what no one has judged.
func hook(a *app.App, word string, in io.Reader, out, errs io.Writer) (code int, isHook bool) {
	if event.NameOf(word) == "" || typed(in) {
		return 0, false
	}
	debug.SetGCPercent(-1) // the process ends in milliseconds and is bounded by what it reads
	debug.SetMemoryLimit(24 << 20)
	defer func() {
		if p := recover(); p != nil { // a panic would end with 2, which blocks
			complain(errs, fmt.Errorf("internal error: %v", p))
			code, isHook = unanswered(a), true
		}
	}()
	growStack(false)
	began := time.Now()
	answer := a.Handle(word, in)
	reply := answer.Reply.Named(typedAs).Encode(answer.Name)
	if len(reply) > 0 && rested(a, answer.Until) {
		if _, err := out.Write(append(reply, '\n')); err != nil {
			answer.Err, code = fmt.Errorf("write reply: %w", err), unanswered(a)
		}
	}
	if answer.After != nil {
		if err := answer.After(); err != nil && answer.Err == nil {
			answer.Err = fmt.Errorf("release lock: %w", err)
		}
	}
	if answer.Notify != nil {
		if err := answer.Notify(); err != nil && answer.Err == nil {
			answer.Err = err
		}
	}
	if answer.Err != nil {
		complain(errs, answer.Err)
	}
	logLine(a.Env("HOOKS_LOG"), word, began, len(reply), answer.Err)
	return code, true
}

// unanswered is the exit code of a call that gets no answer.
func unanswered(a *app.App) int {
	if a.LoopOn() {
		return 1
	}
	return 0
}

// typedAs returns the word that starts this program when it is typed: its name if that finds it
// on PATH, else its path.
func typedAs() string {
	own, err := os.Executable()
	if err != nil {
		return "hooks"
	}
	if found, err := exec.LookPath("hooks"); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(own)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return "hooks"
		}
	}
	if strings.ContainsAny(own, " '\"$`\\") {
		return "'" + strings.ReplaceAll(own, "'", `'\''`) + "'"
	}
	return own
}

// growStack makes the stack as large as a call needs in one step. Otherwise it doubles four times
// and is copied each time.
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

// logLine writes one line per event to path. It writes nothing unless a person asked for the log.
func logLine(path, word string, began time.Time, reply int, err error) {
	if path == "" {
		return
	}
	program, _ := os.Executable()
	line := fmt.Sprintf("%s %s %s reply=%d error=%s program=%s\n",
		began.UTC().Format(time.RFC3339Nano), word, time.Since(began).Round(10*time.Microsecond),
		reply, term.Line(fmt.Sprint(err)), term.Line(program))
	_ = safefile.Append(path, line) // a log that cannot be written decides nothing
}

// rested waits until a reply is due, and reports whether nothing ended the wait: a person's Esc
// sends SIGTERM, and a client that dies leaves this process to another parent. The wall clock is
// looked at every second, so that a suspended machine does not wait longer.
func rested(a *app.App, until time.Time) bool {
	if until.IsZero() {
		return true
	}
	if left := until.Sub(a.Present()); a.Rest != nil {
		return a.Rest(left)
	}
	signals, stop := drive.Signals()
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for parent := os.Getppid(); a.Present().Before(until); {
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

// dropOddZone unsets a TZ that leads to something other than a file: the library would open it, and
// a pipe there would hold a hook until the client ends it and lets the call pass.
func dropOddZone() {
	zone := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if !strings.HasPrefix(zone, "/") && !strings.Contains(zone, "..") {
		return
	}
	path := zone
	if zone[0] != '/' {
		path = filepath.Join("/usr/share/zoneinfo", zone)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		_ = os.Unsetenv("TZ") // it fails for an empty name only
	}
}
