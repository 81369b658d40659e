//go:build !windows

package child

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a child start in its own session and process group. The child then has no terminal
// to prompt on, the terminal's Ctrl-C does not reach it, and its children can be killed with it.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// outlive lets a child keep running after this process ends.
func outlive(cmd *exec.Cmd) { OwnGroup(cmd) }

// Signal sends a signal to a child's process group.
func Signal(cmd *exec.Cmd, s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }
