package drive

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the console's Ctrl-C from the process.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Windows has no signal for a group without a console: every stop is a kill.
func interrupt(cmd *exec.Cmd) { kill(cmd) }

func terminate(cmd *exec.Cmd) { kill(cmd) }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killLeft(*exec.Cmd, string) {}
