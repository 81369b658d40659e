//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// calls are the system calls that change what others see, and those on which such a change rests.
var calls = []string{
	"openat", "write", "pwrite64", "fsync", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat",
	"ftruncate", "flock", "fchmod", "fchmodat", "close", "pread64", "read",
}

// fault is how a call fails: with an error, once or from then on, or by the death of the program before the call.
type fault struct{ name, inject string }

var faults = []fault{
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

// tracing is the command line under which the program runs and every call of interest is written to log.
func tracing(log string) []string {
	return []string{"strace", "-f", "-qq", "-y", "-s", "0", "-o", log, "-e", "trace=" + strings.Join(calls, ","), "-e", "signal=none"}
}

// injecting is tracing in which the k-th such call of each thread fails.
func injecting(log, call string, f fault, k int) []string {
	return []string{
		"strace", "-f", "-qq", "-y", "-s", "0", "-o", log, "-e", "trace=" + call, "-e", "signal=none",
		"-e", "inject=" + call + ":" + fmt.Sprintf(f.inject, k),
	}
}

// possible are the calls that this machine's strace knows.
func possible() error {
	out, err := exec.Command("strace", "-f", "-qq", "-o", os.DevNull, "-e", "trace="+strings.Join(calls, ","), "-e", "inject=fsync:error=EIO:when=1", "true").CombinedOutput()
	if err != nil {
		return fmt.Errorf("strace cannot trace here: %w: %s", err, out)
	}
	return nil
}

// call is one system call as strace wrote it.
type call struct {
	thread, name, args, result string
	hit                        bool // made to fail
}

var (
	complete   = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (.*)$`)
	unfinished = regexp.MustCompile(`^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$`)
	resumption = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (.*)$`)
)

// read takes a trace apart, calls in the order in which they ended. A call that never ended is the one at which the
// program died.
func readTrace(log string) (list []call, err error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	open := map[string]call{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if m := complete.FindStringSubmatch(line); m != nil {
			list = append(list, call{m[1], m[2], m[3], m[4], strings.Contains(m[4], "INJECTED") || strings.HasPrefix(m[4], "?")})
		} else if m := unfinished.FindStringSubmatch(line); m != nil {
			open[m[1]] = call{thread: m[1], name: m[2], args: m[3]}
		} else if m := resumption.FindStringSubmatch(line); m != nil {
			c := open[m[1]]
			delete(open, m[1])
			list = append(list, call{m[1], m[2], c.args + m[3], m[4], strings.Contains(m[4], "INJECTED")})
		}
	}
	for _, c := range open {
		c.hit = true
		list = append(list, c)
	}
	return list, nil
}

var (
	random  = regexp.MustCompile(`-[0-9a-z]+\.tmp`)
	numbers = regexp.MustCompile(`\b\d+\b|pipe:\[\d+\]`)
)

// place is a call without what differs from run to run.
func (c call) place() string {
	return c.name + " " + numbers.ReplaceAllString(random.ReplaceAllString(c.args, "-N.tmp"), "N")
}
