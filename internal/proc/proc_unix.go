//go:build !windows

package proc

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// Within returns a reader for in that fails with os.ErrDeadlineExceeded after wait, or in itself if
// it is not a file. The reader polls before each read, because a goroutine would cost more.
func Within(wait time.Duration, in io.Reader) io.Reader {
	if f, ok := in.(*os.File); ok {
		return &bounded{f, time.Now().Add(wait)}
	}
	return in
}

type bounded struct {
	file  *os.File
	until time.Time
}

func (b *bounded) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(b.file.Fd()), Events: unix.POLLIN}}
	for left := time.Until(b.until); left > 0; left = time.Until(b.until) {
		switch n, err := unix.Poll(fds, int(left.Milliseconds())+1); {
		case n > 0:
			return b.file.Read(p)
		case err != nil && !errors.Is(err, unix.EINTR):
			return 0, os.NewSyscallError("poll", err)
		}
	}
	return 0, os.ErrDeadlineExceeded
}

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
