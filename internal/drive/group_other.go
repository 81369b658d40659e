//go:build !linux

package drive

import (
	"os/exec"
	"syscall"

	"hooks/internal/child"
)

func ownGroup(cmd *exec.Cmd) { child.OwnGroup(cmd) }

// killLeft kills the rest of a killed client's process group. It misses tools that have their own
// session.
func killLeft(cmd *exec.Cmd, _ string) { _ = child.Signal(cmd, syscall.SIGKILL) }
