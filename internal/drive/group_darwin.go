package drive

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a process a session of its own. The terminal's Ctrl-C does not reach it, and it
// has no terminal at which it could wait for a password.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killLeft kills the rest of a killed client's group. Tools in sessions of their own are not found.
func killLeft(cmd *exec.Cmd, _ string) { send(cmd, syscall.SIGKILL) }
