//go:build !windows

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/creack/pty"
)

const (
	columns = 84
	rows    = 22
)

// piece is part of a line in a single style. style is the parameter of an ANSI colour sequence.
type piece struct{ style, text string }

type line []piece

func (l line) String() string {
	var b strings.Builder
	for _, p := range l {
		b.WriteString(p.text)
	}
	return b.String()
}

// record returns the lines that a program prints to a terminal, with their colours.
func record(program string, args ...string) ([]line, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=",
		"COLUMNS=")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	var all bytes.Buffer
	// On Linux, reading a pseudo-terminal fails with EIO once its program has exited.
	if _, err := io.Copy(&all, tty); err != nil && !errors.Is(err, syscall.EIO) {
		return nil, err
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", program, err, all.Bytes())
	}
	return parse(all.String())
}

// parse splits terminal output into lines and styles. It knows only colour sequences, because the
// demo does not move the cursor.
func parse(text string) ([]line, error) {
	var lines []line
	style := ""
	for _, raw := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		var l line
		for i, part := range strings.Split(raw, "\x1b[") {
			if i > 0 {
				sgr, rest, found := strings.Cut(part, "m")
				if !found || strings.Trim(sgr, "0123456789;") != "" {
					return nil, fmt.Errorf("%q is not a colour sequence", part)
				}
				if style, part = sgr, rest; style == "0" {
					style = ""
				}
			}
			if strings.ContainsFunc(part, func(r rune) bool { return r < ' ' }) {
				return nil, fmt.Errorf("%q has a control character", part)
			}
			if part != "" {
				l = append(l, piece{style, part})
			}
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// unseen lists the readers whose replies a person does not see in the client.
var unseen = []string{"→ the model reads:", "→ hooks report:", "→ PreToolUse:", "→ PostToolUse:"}

// shown splits a tape into the steps of the picture. A scene's first step consists of its title and
// first reply; each further reply or section of a reply is a step. A scene without a reply for a
// person is omitted.
func shown(tape []line) [][]line {
	var steps [][]line
	var title []line // title of a scene with no shown reply yet
	inTitle, seen := false, false
	for _, l := range tape {
		text := l.String()
		switch {
		case text == "":
			inTitle, seen = false, false
		case strings.HasPrefix(text, "── "):
			title, inTitle = []line{nil, l}, true
		case strings.HasPrefix(text, "→ "):
			if inTitle, seen = false, !slices.Contains(unseen, text); seen {
				steps = append(steps, append(title, l))
				title = nil
			}
		case inTitle:
			title = append(title, l)
		case seen && strings.TrimSpace(text) == "":
			steps = append(steps, []line{nil}) // the next section of a reply
		case seen:
			steps[len(steps)-1] = append(steps[len(steps)-1], l)
		}
	}
	return steps
}
