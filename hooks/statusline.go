package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"hooks/internal/desk"
)

type statuslineCmd struct{}

// Run is what `hooks statusline` does with more words than one; alone it goes round the parser.
func (statuslineCmd) Run(d *desk.Desk, s streams) error {
	statusline(d, s.in, s.out)
	return nil
}

// statusline prints the client's status line. The client asks for it many times a minute, so it goes the short way, like
// the hook words.
func statusline(d *desk.Desk, in io.Reader, out io.Writer) int {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(24 << 20)
	if typed(in) {
		in = eof{}
	}
	if line := d.StatusLine(in, screen(d, out)); line != "" {
		fmt.Fprintln(out, line)
	}
	return 0
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
