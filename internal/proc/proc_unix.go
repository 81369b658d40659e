//go:build !windows

package proc

import (
	"errors"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// signal asks the kernel whether a process exists, without affecting it.
func signal(pid int) loop.Liveness {
	err := unix.Kill(pid, 0)
	switch {
	case err == nil, errors.Is(err, unix.EPERM):
		return loop.Alive
	case errors.Is(err, unix.ESRCH):
		return loop.Dead
	}
	return loop.Unclear
}
