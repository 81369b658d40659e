package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

type statuslineCmd struct{}

// Run prints the client's status line. The client asks for it many times a minute, so that a lone
// `hooks statusline` bypasses the command parser, like the hook words.
func (statuslineCmd) Run(c caller) error {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(24 << 20)
	if typed(c.in) {
		c.in = strings.NewReader("")
	}
	if line := c.StatusLine(c.in, c.screen()); line != "" {
		fmt.Fprintln(c.out, line)
	}
	return nil
}
