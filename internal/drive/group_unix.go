//go:build !windows

package drive

import (
	"os/exec"
	"syscall"
)

// send signals the process and its group.
func send(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
