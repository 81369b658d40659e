package app

import (
	"os"

	"hooks/internal/brake"
	"hooks/internal/guard"
)

// meetsBrake reports whether all that a shell command starts by a forge's name meets a link of the
// brake. Links that were removed since the iteration began are put back first.
func (h *handler) meetsBrake(t *loopState) bool {
	command, shell := h.ev.ShellCommand()
	if !shell || h.ev.Tool != "Bash" || t.Tick == nil || !t.Tick.Braked ||
		guard.LeavesLinks(command) {
		return false
	}
	return h.replayRepo != nil || h.dress()
}

// dress makes or repairs the session's links of the brake, which lead to a kept copy of this
// program, and reports whether they are in place.
func (h *handler) dress() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	if kept, err := brake.Keep(h.seals.Path(), exe); err == nil {
		exe = kept
	}
	return brake.Dress(h.seals.Path(), h.ev.SessionID, exe) == nil
}
