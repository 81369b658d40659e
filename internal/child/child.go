// Package child runs other programs: in a session of their own, for a bounded time, with bounded
// output, with no one to prompt. What they write to stderr is made fit for one line that people
// read and that is kept.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/term"
)

// Command is one call of a program.
type Command struct {
	Dir  string
	Env  []string
	Args []string      // the program and its arguments
	In   string        // what it reads from stdin
	Wait time.Duration // the most it may take
	Idle time.Duration // the most it may print nothing for; no bound when zero
	Most int           // limit of the output in bytes; exceeding it kills the program
	// Last keeps the last bytes of stdout and stderr together instead, and ends nothing.
	Last bool
	// Silent keeps nothing of the output; what the program leaves running then runs on.
	Silent bool
}

// Result holds the output of a program, also of one that was ended early.
type Result struct {
	Out  []byte
	Says string // stderr, its first 64 KiB
}

// ErrTooMuch reports that a program was ended because it printed more than was asked for.
var ErrTooMuch = errors.New("too much output")

const maxSays = 64 << 10

// Run starts a program and waits for it and for every process of its group. A program that is late
// is killed and the error is the context's; Result then holds what it had printed.
func Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Args) == 0 {
		return Result{}, errors.New("no program is named")
	}
	ctx, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	out, says := &bounded{most: c.Most, full: cancel}, &bounded{most: maxSays}
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
	ownGroup(cmd)
	err := cmd.Run()
	if err != nil && cmd.Process != nil {
		killGroup(cmd) // a grandchild may hold the pipes, also of a program that failed
	}
	switch {
	case out.over:
		err = fmt.Errorf("%w: over %d bytes", ErrTooMuch, c.Most)
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	}
	if c.Last {
		return Result{Out: last.kept}, err
	}
	return Result{out.kept.Bytes(), says.kept.String()}, err
}

// tail keeps the last bytes.
type tail struct {
	kept []byte
	most int
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.most):]...)
	t.kept = append(t.kept[:0], t.kept[max(0, len(t.kept)-t.most):]...)
	return len(p), nil
}

// Exit returns the exit code for an error of Run: 0 if err is nil, and -1 for a program that did
// not end by itself. A program that succeeded but left processes behind, which Run has killed, has
// 0.
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

// bounded keeps the first bytes up to most, notes that there were more and calls full then. Its
// buffer is no embedded one: io.Copy would find the buffer's ReadFrom and go round the bound.
type bounded struct {
	kept  bytes.Buffer
	most  int
	over  bool
	full  func()
	heard func() // called at every write
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.heard != nil {
		b.heard()
	}
	room := b.most - b.kept.Len()
	if len(p) <= room {
		return b.kept.Write(p)
	}
	b.kept.Write(p[:room])
	if !b.over && b.full != nil {
		b.full()
	}
	b.over = true
	return len(p), nil
}

// maxLine bounds a line, in characters.
const maxLine = 200

// Line returns the first line of a text that holds anything, without control characters and
// secrets, because errors end up in notes that are kept.
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
