package drive

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"hooks/internal/child"
)

// ownGroup makes the process start in its own group. If the driver dies, the process gets SIGTERM,
// and the client then ends its tools.
func ownGroup(cmd *exec.Cmd) {
	child.OwnGroup(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
}

// killLeft kills the processes left behind by a killed client. The client gives each tool its own
// session, so killLeft finds them by the mark in their environment.
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
				found = true // may have started another process meanwhile
			}
		}
	}
}

// killMarked kills process pid if its environment has the mark, and reports whether it did. It
// opens the process first so that it never kills a process that reuses the pid.
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
