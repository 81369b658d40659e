//go:build linux

package torture

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// failing lists the system calls that change what other processes see, and those that a change
// depends on.
var failing = []string{
	"openat", "write", "pwrite64", "fsync", "rename", "renameat", "renameat2", "link", "linkat",
	"unlink", "unlinkat", "mkdir", "mkdirat", "ftruncate", "flock", "fchmod", "fchmodat", "close",
	"pread64", "read",
}

// fault is a way in which a call fails: the program is killed before it, or the call returns an
// error, once or from then on.
type fault struct{ name, inject string }

var allFaults = []fault{
	{"KILL", "signal=KILL:when=%d"},
	{"EIO", "error=EIO:when=%d"},
	{"ENOSPC on", "error=ENOSPC:when=%d+"},
	{"ENOSPC", "error=ENOSPC:when=%d"},
	{"EROFS", "error=EROFS:when=%d"},
	{"EACCES", "error=EACCES:when=%d"},
	{"EINTR", "error=EINTR:when=%d"},
	{"EIO on", "error=EIO:when=%d+"},
	{"EROFS on", "error=EROFS:when=%d+"},
}

// strace returns the command line that writes the given calls to log. It does not trace the
// programs that the program starts.
func strace(log, calls string, inject ...string) []string {
	return append([]string{"strace", "-f", "-b", "execve", "-qq", "-y", "-s", "0", "-o", log,
		"-e", "trace=" + calls, "-e", "signal=none"}, inject...)
}

// injecting returns a strace command line that injects a fault into the k-th call of each thread.
func injecting(log, call string, f fault, k int) []string {
	return strace(log, call, "-e", "inject="+call+":"+fmt.Sprintf(f.inject, k))
}

const noStrace = "skipped, because strace is not installed or may not trace"

// canTrace reports whether this machine's strace can inject faults.
func canTrace() bool {
	line := append(injecting(os.DevNull, strings.Join(failing, ","), allFaults[1], 9999), "true")
	return exec.Command(line[0], line[1:]...).Run() == nil
}

// call is one system call in a trace.
type call struct {
	thread, name, args, result string
	hit                        bool // the fault struck here
}

var (
	complete   = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (.*)$`)
	unfinished = regexp.MustCompile(`^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$`)
	resumption = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (.*)$`)
)

// readTrace lists the calls in the order in which they ended. A call that did not end is the one at
// which the program was killed.
func readTrace(log string) (list []call, err error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	open := map[string]call{}
	for row := range strings.Lines(string(text)) {
		row = strings.TrimSuffix(row, "\n")
		if m := complete.FindStringSubmatch(row); m != nil {
			hit := strings.Contains(m[4], "INJECTED") || strings.HasPrefix(m[4], "?")
			list = append(list, call{m[1], m[2], m[3], m[4], hit})
		} else if m := unfinished.FindStringSubmatch(row); m != nil {
			open[m[1]] = call{thread: m[1], name: m[2], args: m[3]}
		} else if m := resumption.FindStringSubmatch(row); m != nil {
			args := open[m[1]].args + m[3]
			delete(open, m[1])
			list = append(list, call{m[1], m[2], args, m[4], strings.Contains(m[4], "INJECTED")})
		}
	}
	for _, c := range open {
		c.hit = true
		list = append(list, c)
	}
	return list, nil
}

var unfinishedName = regexp.MustCompile(`(/\.[\w.]+)-[0-9a-z]{8,}(\.tmp)?([">])`)

// place returns the call with its files. Random parts of file names are omitted.
func (c call) place() string {
	return c.name + unfinishedName.ReplaceAllString(c.args, "$1")
}

// shows reports whether the call changed anything that another process sees. A kill before any
// other call leaves the same disk as a kill before the next call that shows.
func (c call) shows() bool {
	switch c.name {
	case "rename", "renameat", "renameat2", "link", "linkat", "mkdir", "mkdirat", "ftruncate":
		return !strings.HasPrefix(c.result, "-1")
	case "unlink", "unlinkat", "write", "pwrite64":
		return !strings.HasPrefix(c.result, "-1") && !unfinishedName.MatchString(c.args)
	}
	return false
}
