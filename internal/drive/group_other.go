//go:build !linux

package drive

import (
	"os/exec"
	"syscall"

	"hooks/internal/child"
)

func ownGroup(cmd *exec.Cmd) { child.OwnGroup(cmd) }

// killLeft kills the other processes in a killed client's group. It misses tools with their own
// session.
func killLeft(cmd *exec.Cmd, _ string) { _ = child.Signal(cmd, syscall.SIGKILL) }
