//go:build !windows

package proc

import (
	"errors"
	"syscall"
)

// signal asks the kernel about a process without touching it.
func signal(pid int) Liveness {
	err := syscall.Kill(pid, 0)
	switch {
	case err == nil, errors.Is(err, syscall.EPERM):
		return Alive
	case errors.Is(err, syscall.ESRCH):
		return Dead
	}
	return Unclear
}
