package proc

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// maxAncestors bounds the walk to the client, so that a circle in the process table cannot hold a
// hook.
const maxAncestors = 32

// Owner is the client process that runs the loop: CLAUDE_PID when such a process lives (source
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

// ancestor is the first process from pid upwards that is known and no shell, or 0.
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
