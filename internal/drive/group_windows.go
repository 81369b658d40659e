package drive

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the console's Ctrl-C from the process.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// send kills: Windows has no signal for a group without a console.
func send(cmd *exec.Cmd, _ syscall.Signal) { _ = cmd.Process.Kill() }

func killLeft(*exec.Cmd, string) {}
