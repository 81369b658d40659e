//go:build e2e && linux

package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// The client's status line shows the state of the loop as soon as there is one, and how it ended.
// Before, it shows nothing (C; interface: hooks statusline).
func TestStatusLineShowsTheLoop(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents}.Say)
	settings := fmt.Sprintf(`{"statusLine":{"type":"command","command":"echo \"[$('%s' `+
		`statusline)]\""}}`, hooksProgram)
	w.write(filepath.Join(w.Home, ".claude", "settings.json"), settings, 0o600)
	term := w.Interactive()
	term.WaitScreen("[]", 20*time.Second)

	term.Enter(dollarLoop)
	w.WaitHistory("work", 1, 60*time.Second)
	term.WaitScreen("[work · 1/5 it · 0/20 PRs · ", 20*time.Second) // and the minutes it took
	term.WaitScreen("/60 min · $0.85/$1]", 20*time.Second)
	term.Enter(dollarLoop)
	term.Choose(3) // a dialog covers the line
	w.WaitHistory("work", 2, 30*time.Second)
	term.WaitScreen("[work halted, prior_gate_stop", 20*time.Second)
}
