package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// postToolUse processes the result of a tool call: a person's answers, started workers, opened
// PRs, posted comments, a failing qmd.
func (h *handler) postToolUse() (event.Reply, error) {
	list, err := h.sessionRuns()
	h.keepRunning(only(list, h.addressed))
	if err == nil && h.ev.Name == event.PostToolUse && !h.answersDialog() {
		_, err = h.step(loop.Heard{Turn: h.turn()})
	}
	_, _, job := h.ev.StartsJob()
	anything := func(t *store.State) bool { return h.open(t) || t.Claim != nil || job }
	if err != nil || !slices.ContainsFunc(list, anything) {
		return event.Nothing(), err
	}
	result := h.call().Result(h.turn(), h.firstRules())
	reply, err := h.stepEach(func(t *store.State) loop.Event {
		if !h.addressed(t) {
			return nil
		}
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
	forced, err := h.forEachRun(only(list, forcing),
		func(t *store.State) (event.Reply, error) {
			return h.forceAnswered(t, h.ev.ToolUseID, h.ev.Answers())
		})
	return reply.And(forced), err
}

func (h *handler) answersDialog() bool { return h.ev.Asks() && h.ev.Name == event.PostToolUse }

// keepAtResult is the growth of the transcripts, in bytes, after which a tool's result saves the
// running count. It bounds the bytes that the next count reads again.
const keepAtResult = 256 << 10

// keepRunning saves the running counts of open iterations whose transcripts have grown by
// keepAtResult.
func (h *handler) keepRunning(list []*store.State) {
	for _, t := range list {
		if !h.open(t) || t.Budget.Ceilings.Dollars == 0 {
			continue
		}
		now, err := h.runningCount(t)
		h.sideError(err)
		if now.Read >= keepAtResult {
			_, err = h.stepOne(t, loop.Grown{Turn: h.turn(), Running: now.Running})
			h.sideError(err)
		}
	}
}
