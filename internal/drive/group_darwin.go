package drive

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the process in its own session. The terminal's Ctrl-C does not reach it, and it
// cannot wait for a password at the terminal.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killLeft kills the rest of a killed client's process group. It misses tools that have their own
// session.
func killLeft(cmd *exec.Cmd, _ string) { send(cmd, syscall.SIGKILL) }
