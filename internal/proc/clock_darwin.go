package proc

import (
	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// Clock reads the clocks that nobody can set, without the wall clock. Here the raw monotonic clock
// goes on while the machine sleeps.
func Clock() loop.Clock {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	var up, awake unix.Timespec
	if err != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &up) != nil || unix.ClockGettime(unix.CLOCK_UPTIME_RAW, &awake) != nil {
		return loop.Clock{}
	}
	return loop.Clock{Boot: boot, Up: int64(up.Sec), Awake: int64(awake.Sec)}
}
