package proc

import (
	"errors"
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

// Boot identifies the machine's current boot. It returns "" if the system does not report it.
func Boot() string {
	bootID.once.Do(func() {
		bootID.text = strings.TrimSpace(readProc("/proc/sys/kernel/random/boot_id"))
	})
	return bootID.text
}

// readProc is the text of a small file of /proc, empty when it cannot be read. os.ReadFile does
// three times as many system calls, because it asks whether the file can be polled.
func readProc(path string) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	text := make([]byte, 4096)
	n, err := unix.Read(fd, text)
	if err != nil {
		return ""
	}
	return string(text[:n])
}

// Clock reads the clocks that no one can set, without the wall clock.
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
