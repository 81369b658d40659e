package drive

import (
	"os/exec"
	"syscall"
)

// ownGroup shields the process from the console's Ctrl-C.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// send kills the process, because Windows cannot signal a group without a console.
func send(cmd *exec.Cmd, _ syscall.Signal) { _ = cmd.Process.Kill() }

func killLeft(*exec.Cmd, string) {}
