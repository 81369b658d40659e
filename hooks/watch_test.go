//go:build !windows

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is a command on a terminal of its own, with everything that it has drawn.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	text bytes.Buffer
	done chan struct{}
}

func onTerminal(t *testing.T, project string, columns uint16, env []string,
	args ...string) *terminal {
	t.Helper()
	cmd := exec.Command("hooks", args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"CLAUDE_PROJECT_DIR=" + project, "LANG=C.UTF-8", "TERM=xterm"}, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t: t, cmd: cmd, tty: tty, done: make(chan struct{})}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = tty.Close() })
	go func() {
		defer close(s.done)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			s.text.Write(buf[:n])
			s.mu.Unlock()
			if err != nil { // the other side of the terminal is closed
				return
			}
		}
	}()
	return s
}

func (s *terminal) drawn() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// shows waits until a text is there.
func (s *terminal) shows(want string) {
	s.t.Helper()
	for range 300 {
		if strings.Contains(s.drawn(), want) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("no %q in\n%q", want, s.drawn())
}

func (s *terminal) ends() {
	s.t.Helper()
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("%v\n%q", err, s.drawn())
	}
	<-s.done
}

const idleBudget = `{"run_id":"r1","skill":"work","started_at":"2026-11-20T12:00:00Z","max_iterations":5,"max_prs":20,"max_minutes":60,"max_dollars":25,
"iterations_used":1,"prs_touched":[],"comments_pushed":0,"merges_attempted":0,"minutes_elapsed":6,"tokens_in":0,"tokens_out":0,"agents_dispatched":0,
"dollars_estimate":4,"rate_table_source":"x","qmd_failures_consecutive":0,"status":"halted","stop_cause":"user_interrupt","stop_text":"Loop interrupted"}`

func writeBudget(t *testing.T, project, text string) {
	t.Helper()
	path := filepath.Join(project, ".sdd", "loop", "work.budget.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// --watch draws what changes, takes the terminal's width, and leaves the terminal as it was on
// Ctrl-C.
func TestWatch(t *testing.T) {
	project := t.TempDir()
	writeBudget(t, project, idleBudget)
	s := onTerminal(t, project, 40, nil, "status", "--watch")
	s.shows("1/5")
	s.shows("\x1b[33m/sdd:work --loop: halted,\x1b[0m\x1b[K\r\n") // wrapped at 40 columns, coloured
	writeBudget(t, project,
		strings.Replace(idleBudget, `"iterations_used":1`, `"iterations_used":3`, 1))
	s.shows("3/5")
	if _, err := s.tty.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	s.ends()
	if text := s.drawn(); !strings.HasPrefix(text, "\x1b[?1049h\x1b[?25l") ||
		!strings.HasSuffix(text, "\x1b[?25h\x1b[?1049l") {
		t.Errorf("the terminal is not as it was:\n%q", text)
	}
}

// What does not fit a low terminal is left out at the end, so that drawing again begins at the top.
func TestWatchOnALowTerminal(t *testing.T) {
	project := t.TempDir()
	writeBudget(t, project, idleBudget)
	s := onTerminal(t, project, 40, nil, "status", "--watch")
	s.shows("--resume")
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 5, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	before := len(s.drawn())
	writeBudget(t, project,
		strings.Replace(idleBudget, `"iterations_used":1`, `"iterations_used":3`, 1))
	s.shows("3/5")
	s.shows("3/5\x1b[K\r\n\x1b[J")
	if again := s.drawn()[before:]; strings.Contains(again, "--resume") ||
		strings.Count(again, "\n") != 4 {
		t.Errorf("on five rows:\n%q", again)
	}
	if _, err := s.tty.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	s.ends()
}

// On a terminal there is colour, unless the person wants none.
func TestColour(t *testing.T) {
	project := t.TempDir()
	writeBudget(t, project, idleBudget)
	for _, c := range []struct {
		env  []string
		want bool
	}{{nil, true}, {[]string{"NO_COLOR=1"}, false}, {[]string{"TERM=dumb"}, false}} {
		for _, args := range [][]string{{"status"}, {"explain"}, {"report-card"}} {
			s := onTerminal(t, project, 80, c.env, args...)
			s.ends()
			if got := strings.Contains(s.drawn(), "\x1b["); got != c.want {
				t.Errorf("%v %v: colour is %v\n%q", args, c.env, got, s.drawn())
			}
		}
	}
}
