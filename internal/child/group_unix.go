//go:build !windows

package child

import (
	"os/exec"
	"syscall"
)

// detach puts a child into a session of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// ownGroup puts a child into a session, and so a process group, of its own: its own children end
// with it, and it has no terminal that it could open to ask somebody.
func ownGroup(cmd *exec.Cmd) {
	detach(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
