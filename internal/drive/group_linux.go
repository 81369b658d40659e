package drive

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup gives a process a session of its own. The terminal's Ctrl-C does not reach it, and it
// has no terminal at which it could wait for a password. If the driver dies, the process gets
// SIGTERM, upon which the client ends its tools itself.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

// killLeft kills the processes that a killed client has left. The client gives each tool a session
// of its own, so they are found by the mark in their environment.
func killLeft(_ *exec.Cmd, session string) {
	mark := []byte("\x00" + Mark + "=" + session + "\x00")
	for found := true; found; {
		found = false
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return
		}
		for _, e := range entries {
			if pid, err := strconv.Atoi(e.Name()); err == nil && killMarked(pid, mark) {
				found = true // it may have started another one meanwhile
			}
		}
	}
}

// killMarked opens the process before it reads its environment, so that a pid that was given out
// again is not killed.
func killMarked(pid int, mark []byte) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || !bytes.Contains(append([]byte{0}, env...), mark) {
		return false
	}
	return p.Kill() == nil
}
