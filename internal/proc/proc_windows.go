package proc

import (
	"errors"
	"io"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"hooks/internal/loop"
)

// stillActive is the exit code that GetExitCodeProcess returns for a running process.
const stillActive = 259

// signal opens the process to test whether it is running. If access is denied, the process exists.
func signal(pid int) loop.Liveness {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	switch {
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return loop.Dead
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return loop.Alive
	case err != nil:
		return loop.Unclear
	}
	defer windows.CloseHandle(h)
	var code uint32
	if windows.GetExitCodeProcess(h, &code) != nil {
		return loop.Unclear
	}
	if code != stillActive {
		return loop.Dead
	}
	return loop.Alive
}

// inspect returns the parent and name from the process table, and the start time of the process.
func inspect(pid int) (entry, bool) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return entry{}, false
	}
	defer windows.CloseHandle(snapshot)
	row := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	err = windows.Process32First(snapshot, &row)
	for ; err == nil; err = windows.Process32Next(snapshot, &row) {
		if int(row.ProcessID) == pid {
			name := windows.UTF16ToString(row.ExeFile[:])
			parent := int(row.ParentProcessID)
			return entry{parent: parent, names: []string{name}, start: started(pid)}, true
		}
	}
	return entry{}, false
}

// started returns the process's creation time in 100 ns units since 1601, or "" if unknown.
func started(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(int64(created.HighDateTime)<<32|int64(created.LowDateTime), 10)
}

// Boot returns "", so reboots are not detected on Windows.
func Boot() string { return "" }

// Caller returns nil because only Linux reports the caller.
func Caller() *loop.Process { return nil }

// Within returns in unchanged. The client stops a hook at its registered timeout.
func Within(_ time.Duration, in io.Reader) io.Reader { return in }
