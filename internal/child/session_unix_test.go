//go:build !windows

package child

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A child leads a session of its own, so there is no terminal that it could wait at.
func TestNoTerminal(t *testing.T) {
	script := "(exec 3</dev/tty) 2>/dev/null && echo terminal; set -- $(cat /proc/$$/stat " +
		"2>/dev/null); echo ${6:-$$} $$"
	r, err := Run(context.Background(),
		Command{Args: []string{"sh", "-c", script}, Env: os.Environ(), Wait: time.Minute,
			Most: 1000})
	fields := strings.Fields(string(r.Out))
	if err != nil || len(fields) != 2 || fields[0] != fields[1] {
		t.Errorf("%q, %q, %v", r.Out, r.Says, err)
	}
}

// A program that ended well is not late for what it left behind, which ends with it.
func TestWhatIsLeftBehindEnds(t *testing.T) {
	for script, want := range map[string]int{
		"sleep 1000 & echo $!; exit 0": 0, "sleep 1000 & echo $!; exit 3": 3,
	} {
		r, err := Run(context.Background(), Command{Args: []string{"sh", "-c", script},
			Env: os.Environ(), Wait: time.Minute, Most: 1000})
		if got := Exit(err); got != want {
			t.Errorf("%s: exit %d, %v", script, got, err)
		}
		left, _ := strconv.Atoi(strings.TrimSpace(string(r.Out)))
		for until := time.Now().Add(10 * time.Second); left > 0 && runs(left); {
			if time.Now().After(until) {
				t.Errorf("%s: process %d runs on", script, left)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// runs reports whether a process exists and is no zombie that waits to be reaped.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}
