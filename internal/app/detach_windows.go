package app

import (
	"os/exec"
	"syscall"
)

const detachedProcess = 0x00000008

// detach gives a child no console, so that it outlives the hook.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP,
	}
}

// ownGroup leaves the command as it is: Windows ends it alone when its time is up.
func ownGroup(*exec.Cmd) {}
