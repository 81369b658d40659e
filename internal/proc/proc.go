// Package proc names the process that owns a loop and reports whether a recorded one still runs.
//
// A process id alone is not an identity: the kernel gives it out again. So a recorded process
// carries its start time and its host as well, and what is not certain is loop.Unclear,
// which callers treat as alive (R70).
package proc

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// Of reports whether the recorded process still runs. kill -0 decides (R70), but if the record has
// a start time and the living process has another one, the recorded one is gone. A record of
// another host, a number that is no process id and every unexpected answer of the system are
// loop.Unclear.
func Of(p loop.Process) loop.Liveness {
	// A number over 31 bits would be cut by the system call, and the answer would be about another
	// process.
	if p.PID <= 0 || p.PID > math.MaxInt32 || (p.Host != "" && p.Host != host()) {
		return loop.Unclear
	}
	if l := signal(p.PID); l != loop.Alive {
		return l
	}
	now, ok := inspect(p.PID)
	if ok && (now.gone || (p.Start != "" && now.start != "" && now.start != p.Start)) {
		return loop.Dead
	}
	return loop.Alive
}

// host returns this machine's name, or "" if it has no name.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// entry is the system's report about a process that exists.
type entry struct {
	parent int
	// names holds the process's own name and the name of the file it runs: a script's own name
	// hides the shell behind it.
	names []string
	start string
	// gone reports that it has ended and only waits to be reaped. kill -0 succeeds on such a
	// zombie, but nothing of it will ever run again, and a parent that never reaps would hold a
	// lock for ever.
	gone bool
}

// maxAncestors bounds the walk to the client, so that a circle in the process table cannot hold a
// hook.
const maxAncestors = 32

// Owner returns the client process that runs the loop: CLAUDE_PID when such a process lives (source
// "client"), else the nearest ancestor that is not a shell ("ancestor"), else the parent
// ("parent").
func Owner() loop.Process {
	pid, source := choose(os.Getenv("CLAUDE_PID"), os.Getppid(), inspect)
	return Describe(pid, source)
}

// Describe records a process with its start time, empty when the system does not report it, and
// this host.
func Describe(pid int, source string) loop.Process {
	p := loop.Process{PID: pid, Source: source, Host: host()}
	if now, ok := inspect(pid); ok {
		p.Start = now.start
	}
	return p
}

// Inside reports whether this process was started, however deeply, by a recorded client. A
// daemon, or a process whose ancestors the system does not report, counts as outside.
func Inside(p loop.Process) bool {
	return p.Source == "client" && Of(p) == loop.Alive && below(p.PID, os.Getppid(), inspect)
}

// below reports whether a process is pid or has it among its ancestors.
func below(pid, from int, look func(int) (entry, bool)) bool {
	for range maxAncestors {
		if from == pid {
			return true
		}
		now, ok := look(from)
		if !ok || now.parent <= 0 {
			return false
		}
		from = now.parent
	}
	return false
}

func choose(client string, parent int, look func(int) (entry, bool)) (int, string) {
	if pid, err := strconv.Atoi(client); err == nil && Of(loop.Process{PID: pid}) == loop.Alive {
		return pid, "client"
	}
	if pid := ancestor(parent, look); pid > 0 {
		return pid, "ancestor"
	}
	return parent, "parent"
}

// ancestor returns the first process from pid upwards that is not a shell. It returns 0 if the
// system does not report one of them.
func ancestor(pid int, look func(int) (entry, bool)) int {
	for range maxAncestors {
		now, ok := look(pid)
		if !ok {
			return 0
		}
		if !slices.ContainsFunc(now.names, shell) {
			return pid
		}
		pid = now.parent
	}
	return 0
}

// shell reports whether a program's name, with or without its folder, is that of a command
// interpreter.
func shell(name string) bool {
	name = filepath.Base(name)
	name = strings.TrimPrefix(name, "-") // a login shell
	switch strings.TrimSuffix(strings.ToLower(name), ".exe") {
	case "sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "cmd", "powershell", "pwsh":
		return true
	}
	return false
}
