package proc

import (
	"os"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// Caller is the process that made this program's stdin, where that is one end of a nameless pair
// of Unix sockets. The client gives every hook such a pair, directly and through a hook's shell.
// Measured, it gives one to the Bash tool too, but writes nothing there. The kernel records who
// made a pair, so neither exec, setsid, a double fork nor any variable changes it, and only the
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
