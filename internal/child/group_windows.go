package child

import (
	"os/exec"
	"syscall"
)

const detachedProcess = 0x00000008

// detach runs a child without a console, so that it outlives this process.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP,
	}
}

// ownGroup does nothing: Windows kills only the child, and WaitDelay closes the pipes that its
// children hold.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
