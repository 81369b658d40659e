// Package child runs other programs in their own session, without a terminal, with limits on time
// and output. It reduces their stderr to one line for messages and notes.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"hooks/internal/loop"
	"hooks/internal/term"
)

// Command describes one run of a program.
type Command struct {
	Dir  string
	Env  []string
	Args []string      // program and arguments
	In   string        // stdin
	Wait time.Duration // maximum run time
	Idle time.Duration // maximum time without output on stdout; 0 means no limit
	Most int           // maximum output in bytes; a program that exceeds it is killed
	// If Last is set, Result.Out holds the last Most bytes of stdout and stderr combined, and a
	// program with more output is not killed.
	Last bool
	// Silent discards the output and lets processes that the program leaves behind keep running.
	Silent bool
}

// Result holds a program's output, even if the program was killed.
type Result struct {
	Out  []byte
	Says string // the first 64 KiB of stderr; empty with Command.Last
}

// ErrTooMuch reports that a program was killed because its output exceeded Command.Most.
var ErrTooMuch = errors.New("too much output")

const maxSays = 64 << 10

// Run starts a program, waits for it to exit, and then waits up to half a second for all processes
// to close its output. If the program fails or exceeds a limit, or a process keeps the output open,
// Run kills the process group. After a timeout it returns the context's error. If the program
// fails, the error includes the first line of stderr. Result holds the output so far.
func Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Args) == 0 {
		return Result{}, errors.New("the command is empty")
	}
	ctx, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	out, says := &Head{Most: c.Most, full: cancel}, &Head{Most: maxSays}
	if c.Idle > 0 {
		silence := time.AfterFunc(c.Idle, cancel)
		defer silence.Stop()
		out.heard = func() { silence.Reset(c.Idle) }
	}
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = out, says
	last := &tail{most: c.Most}
	if c.Last {
		cmd.Stdout, cmd.Stderr = last, last
	}
	if c.Silent {
		cmd.Stdout, cmd.Stderr = nil, nil
	}
	if c.In != "" {
		cmd.Stdin = strings.NewReader(c.In)
	}
	cmd.WaitDelay = 500 * time.Millisecond
	OwnGroup(cmd)
	kill := func() error { return Signal(cmd, syscall.SIGKILL) }
	cmd.Cancel = kill
	err := cmd.Run()
	if err != nil && cmd.Process != nil {
		_ = kill() // a grandchild may still hold the pipes
	}
	switch {
	case out.over:
		err = fmt.Errorf("%w: over %d bytes", ErrTooMuch, c.Most)
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		if line := Line(says.Kept.String()); line != "" {
			err = fmt.Errorf("%w: %s", err, line)
		}
	}
	if c.Last {
		return Result{Out: last.kept}, err
	}
	return Result{out.Kept.Bytes(), says.Kept.String()}, err
}

// tail is a writer that keeps the last most bytes.
type tail struct {
	kept []byte
	most int
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.most):]...)
	t.kept = append(t.kept[:0], t.kept[max(0, len(t.kept)-t.most):]...)
	return len(p), nil
}

// Exit returns the exit code for an error from Run. It returns 0 if the program succeeded, even if
// Run killed its children, and -1 if the program did not start or did not exit by itself.
func Exit(err error) int {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return 0
	case ok:
		return exit.ExitCode()
	}
	return -1
}

// Head is a writer that keeps the first Most bytes. It does not embed its buffer, because io.Copy
// would use the buffer's ReadFrom and bypass the limit.
type Head struct {
	Kept  bytes.Buffer
	Most  int
	over  bool   // more than Most bytes arrived
	full  func() // called when over becomes true; may be nil
	heard func() // called on every write; may be nil
}

func (h *Head) Write(p []byte) (int, error) {
	if h.heard != nil {
		h.heard()
	}
	room := min(len(p), h.Most-h.Kept.Len())
	h.Kept.Write(p[:room])
	if room < len(p) && !h.over {
		h.over = true
		if h.full != nil {
			h.full()
		}
	}
	return len(p), nil
}

// maxLine bounds the result of Line, in characters.
const maxLine = 200

// Line returns the first non-blank line of text, cut to maxLine. It removes control characters and
// secrets, because errors are stored in notes.
func Line(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(term.Line(line))
		if runes := []rune(loop.Secrets(line)); len(runes) > maxLine {
			return string(runes[:maxLine-1]) + "…"
		} else if line != "" {
			return string(runes)
		}
	}
	return ""
}
