// Package proc identifies the process that owns a loop and reports whether a recorded process is
// still running.
//
// The kernel reuses process IDs, so a record also has the start time and the host. If the answer is
// uncertain, it is loop.Unclear, which callers treat as alive (R70).
package proc

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hooks/internal/loop"
)

// Of reports whether the recorded process is still running. It uses kill -0 (R70), but a zombie, or
// a process whose start time differs from the record, also counts as dead. Of returns loop.Unclear
// for an invalid process ID, a record from another host, or an unexpected system error.
func Of(p loop.Process) loop.Liveness {
	// The system call would truncate a number over 31 bits and test another process.
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
var host = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

// entry describes an existing process as the system reports it.
type entry struct {
	parent int
	// names holds the process name and the name of its executable. For a script, the executable is
	// the shell that runs it.
	names []string
	start string
	// gone reports that the process has ended but has not been reaped. kill -0 succeeds on a
	// zombie, so a lock would be held forever if the zombie's parent never reaped it.
	gone bool
}

// maxAncestors bounds a walk up the process tree, so that a cycle cannot hang a hook.
const maxAncestors = 32

// Owner returns the client process that runs the loop: CLAUDE_PID if that process is alive (source
// "client"), else the nearest ancestor that is not a shell ("ancestor"), else the parent
// ("parent").
func Owner() loop.Process {
	pid, err := strconv.Atoi(os.Getenv("CLAUDE_PID"))
	if err == nil && Of(loop.Process{PID: pid}) == loop.Alive {
		return Describe(pid, "client")
	}
	parent := os.Getppid()
	if pid = ancestor(parent, inspect); pid > 0 {
		return Describe(pid, "ancestor")
	}
	return Describe(parent, "parent")
}

// Describe returns a record of a process on this host. Start is empty if the system does not report
// the start time.
func Describe(pid int, source string) loop.Process {
	p := loop.Process{PID: pid, Source: source, Host: host()}
	if now, ok := inspect(pid); ok {
		p.Start = now.start
	}
	return p
}

// Inside reports whether p is a client that is still alive and this process is a descendant of it.
// A daemon, or a process whose ancestors the system does not report, counts as outside.
func Inside(p loop.Process) bool {
	return p.Source == "client" && Of(p) == loop.Alive && below(p.PID, os.Getppid(), inspect)
}

// below reports whether from is pid or a descendant of it.
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

// ancestor walks up the process tree from pid and returns the first process that is not a shell. It
// returns 0 if there is none or if the system does not report a process on the way.
func ancestor(pid int, look func(int) (entry, bool)) int {
	for range maxAncestors {
		now, ok := look(pid)
		if !ok {
			return 0
		}
		if !slices.ContainsFunc(now.names, isShell) {
			return pid
		}
		pid = now.parent
	}
	return 0
}

// isShell reports whether name, with or without its directory, is the name of a shell.
func isShell(name string) bool {
	name = filepath.Base(name)
	name = strings.TrimPrefix(name, "-") // "-" marks a login shell
	switch strings.TrimSuffix(strings.ToLower(name), ".exe") {
	case "sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "cmd", "powershell", "pwsh":
		return true
	}
	return false
}
