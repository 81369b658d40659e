//go:build !windows

package proc

import (
	"errors"
	"syscall"

	"hooks/internal/loop"
)

// signal asks the kernel whether a process exists, without affecting it.
func signal(pid int) loop.Liveness {
	err := syscall.Kill(pid, 0)
	switch {
	case err == nil, errors.Is(err, syscall.EPERM):
		return loop.Alive
	case errors.Is(err, syscall.ESRCH):
		return loop.Dead
	}
	return loop.Unclear
}
