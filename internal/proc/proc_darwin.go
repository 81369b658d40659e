package proc

import (
	"fmt"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// zombie is SZOMB from <sys/proc.h>.
const zombie = 5

// inspect reads the kernel's process table.
func inspect(pid int) (entry, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return entry{}, false
	}
	t := info.Proc.P_starttime
	return entry{
		parent: int(info.Eproc.Ppid),
		names:  []string{unix.ByteSliceToString(info.Proc.P_comm[:])},
		start:  fmt.Sprintf("%d.%06d", t.Sec, t.Usec),
		gone:   info.Proc.P_stat == zombie,
	}, true
}

// Boot returns an ID for the machine's current boot, or "" if the system does not report one.
func Boot() string {
	boot, _ := unix.Sysctl("kern.bootsessionuuid")
	return boot
}

// Caller returns nil because only Linux reports the caller.
func Caller() *loop.Process { return nil }
