package app

import (
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
)

// postToolUse takes what a tool call brought: a person's answers, workers that were sent off, PRs
// opened, comments pushed, a failing qmd.
func (v *visit) postToolUse() (event.Reply, error) {
	list, err := v.mine()
	v.keepRunning(v.addressed(list))
	if err == nil && v.ev.Name == event.PostToolUse && !v.answersDialog() {
		_, err = v.stepEach(every, func(*thread) loop.Event { return loop.Heard{Turn: v.turn()} })
	}
	anything := func(t *thread) bool { return v.open(t) || t.Claim != nil }
	if err != nil || !slices.ContainsFunc(list, anything) {
		return event.Nothing(), err
	}
	result := v.result()
	reply, err := v.stepEach(v.addressed, func(t *thread) loop.Event {
		r := result
		if v.answersDialog() && t.Tick != nil {
			a := answersOf(t, v.ev.ToolUseID, v.ev.Input.Raw, v.ev.Answers())
			r.Answers = &a
		}
		return r
	})
	if err != nil || !v.answersDialog() {
		return reply, err
	}
	list, err = v.mine()
	if err != nil {
		return reply, err
	}
	forced, err := v.inTurn(only(list, (*thread).forcing), func(t *thread) (event.Reply, error) {
		return v.forceAnswered(t, v.ev.ToolUseID, v.ev.Answers())
	})
	return reply.And(forced), err
}

// result is what the call brought, as loops count it.
func (v *visit) result() loop.Result {
	e := loop.Result{
		Turn: v.turn(), Event: v.ev.Name, ID: v.ev.ToolUseID, Input: v.ev.Input.Raw,
		Failed: v.ev.Name == event.PostToolUseFailure,
	}
	if v.answersDialog() {
		return e
	}
	if e.Sent = v.ev.Dispatches(); e.Sent && !e.Failed &&
		v.ev.Result("status").Str == "async_launched" {
		e.Worker = v.ev.Result("agentId").Str
	}
	if e.Failed && qmdDown(v.ev) {
		e.Qmd = qmdLine(v.ev.Error)
	}
	e.Effects = v.effects()
	return e
}

func (v *visit) answersDialog() bool { return v.ev.Asks() && v.ev.Name == event.PostToolUse }

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
