package app

import (
	"os"
	"slices"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/toolcall"
)

// call is the event's tool call.
func (h *handler) call() *toolcall.Call {
	if h.tool == nil {
		h.tool = &toolcall.Call{Event: h.ev, Env: h.Env, Project: h.project}
	}
	return h.tool
}

// rules are those of a run by which calls are judged; nil stands for none.
func (h *handler) rules(t *loopState) toolcall.Run {
	run := toolcall.Run{Redact: func(s string) string { return h.config(t).Redact(s) }}
	if t != nil {
		run.Budget, run.File = t.Budget, t.Elsewhere()
	}
	return run
}

// reading is what a call would do, as loops judge it.
func (h *handler) reading(t *loopState) loop.Reading {
	reading := h.call().Reading(h.rules(t))
	reading.Beside = h.openInOther(t)
	if reading.Opaque != "" && h.call().Read().Unparsable == "" {
		reading.Braked = h.meetsBrake(t) // which also repairs missing links
	}
	if t.Budget.Audit != nil && t.Tick != nil && !t.Tick.Braked {
		reading.Shown = guard.Shown(h.call().Guard())
	}
	return reading
}

// lines joins the texts that are not empty.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// meetsBrake reports whether all that a shell command starts by a forge's name meets a link of the
// brake. Links that were removed since the iteration began are put back first.
func (h *handler) meetsBrake(t *loopState) bool {
	command, shell := h.ev.ShellCommand()
	if !shell || h.ev.Tool != "Bash" || t.Tick == nil || !t.Tick.Braked ||
		guard.LeavesLinks(command) {
		return false
	}
	return h.dress()
}

// dress makes or repairs the session's links of the brake, which lead to a kept copy of this
// program, and reports whether they are in place.
func (h *handler) dress() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	if kept, err := brake.Keep(h.seal.Path(), exe); err == nil {
		exe = kept
	}
	return brake.Dress(h.seal.Path(), h.ev.SessionID, exe) == nil
}
