package proc

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// Boot identifies the machine's current boot. It returns "" if the system does not report it. It is
// read once: no process outlives its boot.
var Boot = sync.OnceValue(func() string {
	return strings.TrimSpace(readProc("/proc/sys/kernel/random/boot_id"))
})

// readProc returns the text of a small file of /proc, empty when it cannot be read. os.ReadFile
// does three times as many system calls, because it asks whether the file can be polled.
func readProc(path string) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	text := make([]byte, 4096)
	n, err := unix.Read(fd, text)
	if err != nil {
		return ""
	}
	return string(text[:n])
}

// Clock reads the clocks that no one can set, without the wall clock.
func Clock() loop.Clock {
	boot := Boot()
	var up, awake unix.Timespec
	err := errors.Join(unix.ClockGettime(unix.CLOCK_BOOTTIME, &up),
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake))
	if boot == "" || err != nil {
		return loop.Clock{}
	}
	return loop.Clock{Boot: boot, Up: int64(up.Sec), Awake: int64(awake.Sec)}
}

// Caller returns the process that made this program's stdin, if that is one end of a nameless
// pair of Unix sockets. The client gives every hook such a pair, directly and through a hook's
// shell. Measured, it gives one to the Bash tool too, but writes nothing there. The kernel records
// who made a pair, so neither exec, setsid, a double fork nor any variable changes it, and only the
// maker's end puts anything into it: this is the one fact that a command inside of a tool call
// cannot copy from a hook. Parents are no such fact, since `exec hooks stop` is a child of the
// client as well.
func Caller() *loop.Process {
	if name, err := unix.Getsockname(0); err != nil || !nameless(name) {
		return nil // a socket with a name: who connected to it need not be who writes
	}
	cred, err := unix.GetsockoptUcred(0, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 || int(cred.Pid) == os.Getpid() {
		return nil
	}
	p := Describe(int(cred.Pid), "client")
	if p.Start == "" {
		return nil // gone, or hidden from us: its number may be another's
	}
	return &p
}

func nameless(a unix.Sockaddr) bool {
	u, ok := a.(*unix.SockaddrUnix)
	return ok && (u.Name == "" || u.Name == "@") // as x/sys spells the first byte of no name
}

// inspect reads /proc. It fails for a process that does not exist or is hidden from us.
func inspect(pid int) (entry, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	e, ok := parseStat(readProc(dir + "/stat"))
	if !ok {
		return entry{}, false
	}
	if exe, err := os.Readlink(dir + "/exe"); err == nil {
		e.names = append(e.names, exe)
	}
	e.start = sinceBoot(e.start)
	return e, true
}

// parseStat takes one line of /proc/<pid>/stat apart. The command's name is in parentheses and
// may itself hold blanks and parentheses, so fields are counted from the last one.
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
	return entry{
		parent: parent, names: []string{line[open+1 : end]}, start: rest[19],
		gone: ended(rest[0], rest[17]),
	}, true
}

// ended reports whether a state is that of an ended process. A leader that left while its other
// threads still run shows the same letter, but its process still works.
func ended(state, threads string) bool {
	return state == "X" || state == "x" || (state == "Z" && (threads == "0" || threads == "1"))
}

// sinceBoot makes a start time, in clock ticks since the boot, hold across boots. Empty when the
// boot is not known.
func sinceBoot(ticks string) string {
	if boot := Boot(); boot != "" && ticks != "" {
		return ticks + "@" + boot
	}
	return ""
}
