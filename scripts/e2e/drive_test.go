//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hooks/internal/drive"
)

// driven is the driver's client in a world of its own. Its processes carry a variable.
func driven(t *testing.T, script Script, flags ...string) (w *World, c drive.Client) {
	w = newWorld(t, script)
	cmd := w.command(context.Background())
	return w, drive.Client{Program: clientProgram, Dir: w.Project, Stall: time.Minute,
		Env: append(cmd.Env, "CLAUDE_CODE_MAX_RETRIES=1", w.variable()),
		Flags: append(append([]string{}, cmd.Args[1:]...),
			append([]string{"--allowedTools", tools}, flags...)...)}
}

func (w *World) variable() string { return "TEST_WORLD=" + w.Project }

// processes are those that the driver's client started, with itself.
func (w *World) processes() (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, _ := os.ReadFile(f)
		if bytes.Contains(env, []byte(w.variable()+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// running are those of them that run a program.
func (w *World) running(program string) (pids []int) {
	for _, pid := range w.processes() {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		name, _, _ := bytes.Cut(line, []byte{0})
		if filepath.Base(string(name)) == program {
			pids = append(pids, pid)
		}
	}
	return pids
}

// drives runs one process, and does something as soon as its progress is as given.
func (w *World) drives(c drive.Client, at string, do func(chan<- os.Signal)) drive.Verdict {
	w.t.Helper()
	signals, done := make(chan os.Signal, 2), false
	c.Tick = func(last string) {
		if !done && do != nil && last == at {
			done = true
			do(signals)
		}
	}
	end, err := c.Run("do the task", signals)
	if err != nil {
		w.t.Fatal(err)
	}
	if pids := w.processes(); len(pids) > 0 {
		w.t.Errorf("%v are left after %+v", pids, end)
	}
	return drive.Judge(end, time.Now())
}

func finished(Request) Turn { return Turn{Text: "It is done.\nTASK_COMPLETE 1.1-abc"} }

func working(Request) Turn { return Turn{Calls: []Call{busy(5 * time.Minute)}} }

// interrupt is a Ctrl-C.
func interrupt(signals chan<- os.Signal) { signals <- os.Interrupt }

// The driver reads the ends of the real client as they are meant, and leaves no process (T92, M5).
func TestDriverReadsEveryEnd(t *testing.T) {
	t.Run("completed", func(t *testing.T) {
		w, c := driven(t, finished)
		v := w.drives(c, "", nil)
		if v.Kind != drive.Ended || v.Text != "It is done." || len(v.Session) != 36 {
			t.Errorf("%+v", v)
		}
		if r := w.Model.Requests(); len(r) != 1 || r[0].Session != v.Session ||
			!strings.Contains(r[0].All(), "do the task") {
			t.Errorf("%d requests", len(r))
		}
	})
	t.Run("overloaded", func(t *testing.T) {
		w, c := driven(t, func(Request) Turn { return Turn{Overloaded: true} })
		if v := w.drives(c, "", nil); v.Kind != drive.Outage || v.Final {
			t.Errorf("%+v", v)
		}
	})
	t.Run("max turns", func(t *testing.T) {
		w, c := driven(t, func(Request) Turn { return Turn{Calls: []Call{bash("true")}} },
			"--max-turns", "2")
		if v := w.drives(c, "", nil); v.Kind != drive.MaxTurns {
			t.Errorf("%+v", v)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		w, c := driven(t, working)
		if v := w.drives(c, "uses Bash", interrupt); v.Kind != drive.Interrupted {
			t.Errorf("%+v", v)
		}
	})
	t.Run("killed", func(t *testing.T) {
		w, c := driven(t, working)
		v := w.drives(c, "uses Bash", func(chan<- os.Signal) {
			if !patiently(30*time.Second, func() bool { return len(w.running("python3")) > 0 }) {
				t.Error("the tool does not run")
			}
			for _, pid := range w.running("claude") {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		if v.Kind != drive.Killed {
			t.Errorf("%+v", v)
		}
	})
	t.Run("interrupted twice", func(t *testing.T) {
		w, c := driven(t, working)
		v := w.drives(c, "uses Bash", func(s chan<- os.Signal) { interrupt(s); interrupt(s) })
		if v.Kind != drive.Interrupted {
			t.Errorf("%+v", v)
		}
	})
	t.Run("silent", func(t *testing.T) {
		w, c := driven(t, func(Request) Turn { return Turn{Hold: make(chan struct{})} })
		c.Stall = 10 * time.Second
		if v := w.drives(c, "", nil); v.Kind != drive.Stalled || len(w.Model.Requests()) == 0 {
			t.Errorf("%+v", v)
		}
	})
}
