//go:build !windows

package app

import (
	"os/exec"
	"syscall"
)

// detach gives a child a session of its own, so that it outlives the hook and the client's clean-up
// after it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// ownGroup lets a command's own children end with it when its time is up.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
