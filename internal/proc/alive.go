package proc

import (
	"math"
	"os"

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
