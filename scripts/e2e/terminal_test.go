//go:build e2e && linux

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// Key is what a key press sends to a terminal program.
type Key string

// The keys the scenarios press.
const (
	Enter Key = "\r"
	Esc   Key = "\x1b"
	CtrlC Key = "\x03"
)

const columns, rows = 160, 60

// Terminal is a program on a pseudo-terminal, with its screen.
type Terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File
	screen vt10x.Terminal
	exited chan struct{}

	mu   sync.Mutex
	raw  bytes.Buffer    // every byte the program wrote
	seen strings.Builder // every screen that there was, made comparable
	last string          // the present one
}

// startTerminal starts the program on a new pseudo-terminal. It is killed, by its own pid, when the
// test ends.
func startTerminal(t *testing.T, cmd *exec.Cmd) *Terminal {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		t.Fatalf("start %s on a terminal: %v", cmd.Path, err)
	}
	term := &Terminal{t: t, cmd: cmd, tty: tty, exited: make(chan struct{})}
	term.screen = vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(tty))
	go term.read()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("last screen of pid %d:\n%s", cmd.Process.Pid, term.Screen())
		}
		term.Kill()
		_ = tty.Close()
	})
	return term
}

// read feeds the program's output to the screen until the program ends, then reaps it.
func (x *Terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := x.tty.Read(buf)
		_, _ = x.screen.Write(buf[:n])
		x.note(buf[:n])
		if err != nil {
			break
		}
	}
	_ = x.cmd.Wait()
	close(x.exited)
}

// note keeps the output and the present screen, because a text that a person has read may be gone
// when a test looks.
func (x *Terminal) note(came []byte) {
	now := flat(x.Screen())
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw.Write(came)
	if now != x.last {
		x.seen.WriteString(now + "\n")
		x.last = now
	}
}

// Screen is what the terminal shows now.
func (x *Terminal) Screen() string {
	lines := strings.Split(x.screen.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Showed reports whether the text was ever on the screen. Line breaks and frames count as one
// space.
func (x *Terminal) Showed(text string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.Contains(x.seen.String(), flat(text))
}

// titles are what programs tell a terminal of its window, the clipboard and the like; a bell may
// end them.
var titles = regexp.MustCompile("\x1b\\][^\a\x1b]*(\a|\x1b\\\\)")

// Bells counts how often the program rang so far.
func (x *Terminal) Bells() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return bytes.Count(titles.ReplaceAll(x.raw.Bytes(), nil), []byte("\a"))
}

// WaitScreen waits until the screen shows the text; line breaks and frames count as one space.
func (x *Terminal) WaitScreen(text string, limit time.Duration) {
	x.t.Helper()
	x.wait(limit, "screen to show "+text, func() bool { return x.shows(text) })
}

// shows reports whether the text is on the screen now.
func (x *Terminal) shows(text string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.Contains(x.last, flat(text))
}

// WaitShowed waits until the text is, or has been, on the screen.
func (x *Terminal) WaitShowed(text string, limit time.Duration) {
	x.t.Helper()
	x.wait(limit, "screen to have shown "+text, func() bool { return x.Showed(text) })
}

func (x *Terminal) wait(limit time.Duration, what string, done func() bool) {
	x.t.Helper()
	if !patiently(limit, func() bool { return done() || x.ended() }) || !done() {
		x.t.Fatalf("waited up to %v for %s; the screen:\n%s", limit, what, x.Screen())
	}
}

// Enter types a line and sends it once the line is behind the client's prompt: a client that reads
// both at once takes the key for a part of a paste.
func (x *Terminal) Enter(line string) {
	x.t.Helper()
	x.Type(line)
	eventually(10*time.Second, func() bool {
		screen := x.Screen()
		return strings.Contains(flat(screen[max(0, strings.LastIndex(screen, "❯")):]), flat(line))
	})
	x.Press(Enter)
}

// Type types the text as a person would: not so fast that the client takes it for a paste.
func (x *Terminal) Type(text string) {
	x.t.Helper()
	for _, r := range text {
		x.send(string(r))
		time.Sleep(4 * time.Millisecond)
	}
	time.Sleep(150 * time.Millisecond)
}

// Press presses keys, one after another.
func (x *Terminal) Press(keys ...Key) {
	x.t.Helper()
	for _, k := range keys {
		x.send(string(k))
		time.Sleep(150 * time.Millisecond)
	}
}

// dialogFoot is below every question to the person.
const dialogFoot = "Enter to select"

// drawn is how long a dialog may take to go after a key. One that is pressed again too early
// answers what comes next.
func drawn(try int) time.Duration { return time.Duration(3+3*try) * time.Second }

// Choose answers the open dialog with its n-th option. A key that comes while the dialog is still
// being drawn is lost, so it is pressed until the dialog is gone.
func (x *Terminal) Choose(n int) {
	x.t.Helper()
	x.WaitScreen(dialogFoot, 10*time.Second)
	for try := range 5 {
		time.Sleep(700 * time.Millisecond)
		x.send(strconv.Itoa(n))
		if eventually(drawn(try), func() bool { return !x.shows(dialogFoot) }) {
			return
		}
	}
	x.t.Fatalf("the dialog does not take %d; the screen:\n%s", n, x.Screen())
}

// Interrupt stops the turn at work. A key that comes while the client draws is lost, so Esc is
// pressed until the client says that it took it.
func (x *Terminal) Interrupt() {
	x.t.Helper()
	for try := range 5 {
		x.Press(Esc)
		if eventually(drawn(try), func() bool { return x.Showed("Interrupted") }) {
			return
		}
	}
	x.t.Fatalf("the client does not take Esc; the screen:\n%s", x.Screen())
}

// reviewHead is above the answers of a dialog of several questions, before they are sent.
const reviewHead = "Review your answers"

// ChooseEach answers the questions of one open dialog, each on its own page, with their n-th
// options.
func (x *Terminal) ChooseEach(questions []string, n ...int) {
	x.t.Helper()
	for i, q := range append(questions, reviewHead) {
		x.WaitScreen(q, 10*time.Second)
		key := append(n, 1)[i]
		answered := func() bool {
			return !x.shows(q) || q != reviewHead && x.shows(reviewHead)
		}
		for tries := 0; tries < 5 && !answered(); tries++ {
			time.Sleep(700 * time.Millisecond)
			x.send(strconv.Itoa(key))
			eventually(drawn(tries), answered)
		}
	}
}

func (x *Terminal) send(s string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(s); err != nil {
		x.t.Fatalf("type %q: %v", s, err)
	}
}

// PID is the program's process.
func (x *Terminal) PID() int { return x.cmd.Process.Pid }

// Kill ends the program at once, as a crash would, and waits until it is gone.
func (x *Terminal) Kill() {
	_ = x.cmd.Process.Kill()
	<-x.exited
}

// HangUp sends the program the signal of a closed terminal.
func (x *Terminal) HangUp() { _ = x.cmd.Process.Signal(syscall.SIGHUP) }

// WaitExit waits until the program has ended by itself.
func (x *Terminal) WaitExit(limit time.Duration) {
	x.t.Helper()
	select {
	case <-x.exited:
	case <-time.After(max(2*limit, 90*time.Second)):
		x.t.Fatalf("pid %d still runs after %v; the screen:\n%s", x.cmd.Process.Pid, limit,
			x.Screen())
	}
}

func (x *Terminal) ended() bool {
	select {
	case <-x.exited:
		return true
	default:
		return false
	}
}

var frames = strings.NewReplacer("│", " ", "┃", " ", "╭", " ", "╮", " ", "╰", " ", "╯", " ",
	"─", " ", "⎿", " ", "●", " ", "\u00a0", " ")

// flat makes screen text comparable: frames gone, every run of blanks and line breaks one space.
func flat(s string) string { return strings.Join(strings.Fields(frames.Replace(s)), " ") }

// patiently is eventually where only a failure costs the time: a busy machine gets more of it than
// the client ever took.
func patiently(limit time.Duration, done func() bool) bool {
	return eventually(max(2*limit, 90*time.Second), done)
}

// eventually polls until done holds or the limit is over.
func eventually(limit time.Duration, done func() bool) bool {
	for end := time.Now().Add(limit); ; time.Sleep(25 * time.Millisecond) {
		if done() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
