package proc

import (
	"errors"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"hooks/internal/loop"
)

// bootID is read once: no process outlives its boot.
var bootID struct {
	once sync.Once
	text string
}

// Boot names the boot of the machine that is running, and is empty where the system does not report
// it.
func Boot() string {
	bootID.once.Do(func() {
		text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
		bootID.text = strings.TrimSpace(string(text))
	})
	return bootID.text
}

// Clock reads the clocks that nobody can set, without the wall clock.
func Clock() loop.Clock {
	boot := Boot()
	var up, awake unix.Timespec
	err := errors.Join(unix.ClockGettime(unix.CLOCK_BOOTTIME, &up),
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake))
	if boot == "" || err != nil {
		return loop.Clock{}
	}
	return loop.Clock{Boot: boot, Up: int64(up.Sec), Awake: int64(awake.Sec)}
}
