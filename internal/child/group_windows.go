package child

import (
	"os/exec"
	"syscall"
)

// OwnGroup shields a child from the console's Ctrl-C.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

const detachedProcess = 0x00000008

// outlive lets a child keep running after this process and its console are gone.
func outlive(cmd *exec.Cmd) {
	OwnGroup(cmd)
	cmd.SysProcAttr.CreationFlags |= detachedProcess
}

// Signal kills a child, because Windows cannot signal a group without a console. Run's WaitDelay
// closes the pipes that the child's own children hold.
func Signal(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }
