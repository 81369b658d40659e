package proc

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// Clock reads the clocks that nobody can set, without the wall clock.
func Clock() loop.Clock {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	var up, awake unix.Timespec
	if err != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return loop.Clock{}
	}
	return loop.Clock{Boot: strings.TrimSpace(string(boot)), Up: int64(up.Sec), Awake: int64(awake.Sec)}
}
