package proc

import (
	"errors"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// Clock reads the clocks that no one can set, without the wall clock. Here the raw monotonic clock
// runs on while the machine sleeps.
func Clock() loop.Clock {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	var up, awake unix.Timespec
	err = errors.Join(err, unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &up),
		unix.ClockGettime(unix.CLOCK_UPTIME_RAW, &awake))
	if err != nil {
		return loop.Clock{}
	}
	return loop.Clock{Boot: boot, Up: int64(up.Sec), Awake: int64(awake.Sec)}
}
