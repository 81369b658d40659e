package child

import (
	"os/exec"
	"syscall"
)

const detachedProcess = 0x00000008

// detach gives a child no console, so that it outlives this process.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP,
	}
}

// ownGroup leaves the child as it is: Windows ends it alone, and the wait delay frees the pipes of
// its children.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
