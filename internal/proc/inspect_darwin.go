package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// inspect asks the kernel's process table.
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
