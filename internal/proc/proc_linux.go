package proc

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// Boot returns an ID for the machine's current boot, or "" if the system does not report one. The
// ID is read once, because it cannot change while a process runs.
var Boot = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
})

// Caller returns the process that created this program's stdin, if stdin is one end of an unnamed
// Unix socket pair and that process can still be inspected. Otherwise it returns nil. The client
// gives every hook such a pair, directly or through a shell. In measurements, it also gave one to
// the Bash tool, but wrote nothing to it. The kernel records the creator of a pair. Exec, setsid,
// double forks and environment variables do not change that record, and only the creator's end can
// write to the pair. So the caller is the one fact about a hook that a command in a tool call
// cannot fake. The parent process proves nothing, because `exec hooks stop` is also a child of the
// client.
func Caller() *loop.Process {
	name, _ := unix.Getsockname(0)
	socket, ok := name.(*unix.SockaddrUnix)
	if !ok || socket.Name != "" && socket.Name != "@" { // x/sys shows a leading NUL as @
		return nil // for a named socket, the peer need not be the writer
	}
	cred, err := unix.GetsockoptUcred(0, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 || int(cred.Pid) == os.Getpid() {
		return nil
	}
	p := Describe(int(cred.Pid), "client")
	if p.Start == "" {
		return nil // the process has ended or is hidden; its PID may have been reused
	}
	return &p
}

// inspect reads /proc. It returns false if the process does not exist or is hidden.
func inspect(pid int) (entry, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	stat, _ := os.ReadFile(dir + "/stat")
	e, ok := parseStat(string(stat))
	if !ok {
		return entry{}, false
	}
	if exe, err := os.Readlink(dir + "/exe"); err == nil {
		e.names = append(e.names, exe)
	}
	if boot := Boot(); boot != "" {
		e.start += "@" + boot // the start time counts clock ticks since the boot
	} else {
		e.start = ""
	}
	return e, true
}

// parseStat parses the contents of /proc/<pid>/stat. The command name is in parentheses and may
// itself contain spaces and parentheses, so fields are counted from the last parenthesis.
func parseStat(line string) (entry, bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return entry{}, false
	}
	rest := strings.Fields(line[end+1:]) // rest[0] is field 3, the state
	if len(rest) < 20 {
		return entry{}, false
	}
	parent, err := strconv.Atoi(rest[1])
	if err != nil {
		return entry{}, false
	}
	e := entry{parent: parent, names: []string{line[open+1 : end]}, start: rest[19]}
	switch state, threads := rest[0], rest[17]; state {
	case "X", "x":
		e.gone = true
	case "Z": // also the state of a thread-group leader that exited while other threads run
		e.gone = threads == "0" || threads == "1"
	}
	return e, true
}
