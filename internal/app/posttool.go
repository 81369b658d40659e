package app

import (
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
)

// postToolUse takes what a tool call brought: a person's answers, workers that were sent off, PRs
// opened, comments pushed, a failing qmd.
func (h *handler) postToolUse() (event.Reply, error) {
	list, err := h.sessionRuns()
	h.keepRunning(h.addressed(list))
	if err == nil && h.ev.Name == event.PostToolUse && !h.answersDialog() {
		_, err = h.stepEach(every, func(*loopState) loop.Event {
			return loop.Heard{Turn: h.turn()}
		})
	}
	_, _, job := h.ev.StartsJob()
	anything := func(t *loopState) bool { return h.open(t) || t.Claim != nil || job }
	if err != nil || !slices.ContainsFunc(list, anything) {
		return event.Nothing(), err
	}
	result := h.result()
	reply, err := h.stepEach(h.addressed, func(t *loopState) loop.Event {
		r := result
		r.Looked = h.shown(t)
		if h.answersDialog() && t.Tick != nil {
			a := answersOf(t.Tick.Pending, h.ev.ToolUseID, h.ev.Input.Raw, h.ev.Answers())
			r.Answers = &a
		}
		return r
	})
	if err != nil || !h.answersDialog() {
		return reply, err
	}
	list, err = h.sessionRuns()
	if err != nil {
		return reply, err
	}
	forced, err := h.forEachRun(only(list, (*loopState).forcing),
		func(t *loopState) (event.Reply, error) {
			return h.forceAnswered(t, h.ev.ToolUseID, h.ev.Answers())
		})
	return reply.And(forced), err
}

// result is what the call brought, as loops count it.
func (h *handler) result() loop.Result {
	e := loop.Result{
		Turn: h.turn(), Event: h.ev.Name, ID: h.ev.ToolUseID, Input: h.ev.Input.Raw,
		Failed: h.ev.Name == event.PostToolUseFailure,
	}
	if h.answersDialog() {
		return e
	}
	if e.Sent = h.ev.Dispatches(); e.Sent && !e.Failed &&
		h.ev.Result("status").Str == "async_launched" {
		e.Worker = h.ev.Result("agentId").Str
	}
	if id, about, ok := h.ev.StartsJob(); ok && !e.Failed {
		e.Job = &loop.Job{ID: id, About: about}
	}
	if e.Failed && qmdDown(h.ev) {
		e.Qmd = qmdLine(h.ev.Error)
	}
	printed := printedPRs(h.ev)
	e.Effects = h.effects(printed)
	if h.ev.Tool != "Bash" || len(printed) > 0 && !guard.ReadOnly(h.call()) {
		e.Printed = printed
	}
	return e
}

func (h *handler) answersDialog() bool { return h.ev.Asks() && h.ev.Name == event.PostToolUse }

// qmdDown reports whether a failing shell call has a line with the token in its output, or ended
// with the reserved exit code (R53). What a search or a document shows is no signal.
func qmdDown(ev event.Event) bool {
	if _, shell := ev.ShellCommand(); !shell || ev.Error == "" {
		return false
	}
	return strings.HasPrefix(ev.Error, "Exit code 78\n") || ev.Error == "Exit code 78" ||
		strings.Contains(ev.Error, "qmd-unreachable")
}

func qmdLine(text string) string {
	for l := range strings.Lines(text) {
		if strings.Contains(l, "qmd-unreachable") {
			return strings.TrimSpace(l)
		}
	}
	return strings.TrimSpace(text)
}
