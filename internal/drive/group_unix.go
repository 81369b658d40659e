//go:build !windows

package drive

import (
	"os/exec"
	"syscall"
)

// send sends a signal to the process group.
func send(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
