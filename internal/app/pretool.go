package app

import (
	"errors"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// preToolUse judges every tool call while a loop of its session is on. Most calls read two or
// three small files and are let through.
func (h *handler) preToolUse() (event.Reply, error) {
	list, found, err := h.catchUp()
	if err != nil || found.Blocks() {
		return h.recordAny(list, found), err
	}
	if changed := h.shutBy(); changed != nil {
		return h.heldBack(changed), nil
	}
	if h.ev.Asks() {
		if err := h.dialogBegins(); err != nil {
			return found, err
		}
	}
	h.runs = list // a call is read by the loops that it may touch
	call := h.toolCall()
	reply, err := h.stepEach(h.addressed, func(*loopState) loop.Event { return call })
	if changed := h.shutBy(); changed != nil && err == nil && !reply.Decides() {
		reply = h.heldBack(changed) // changed since the look, so its loop has not judged the call
	}
	return reply.And(found), err
}

// shutBy is the change of one loop's files that keeps the call shut, though the session's other
// loop is in order; nil without one.
func (h *handler) shutBy() *store.ChangedError {
	changed, ok := errors.AsType[*store.ChangedError](h.damage)
	if !ok || !h.mustStayShut(changed) {
		return nil
	}
	return changed
}

// dialogBegins records which call asks, and the questions that it shows: those of one loop.
func (h *handler) dialogBegins() error {
	begins := loop.DialogBegins{
		Turn: h.turn(), ID: h.ev.ToolUseID, Forged: h.ev.Answers().Forged,
	}
	_, err := h.stepEach(h.addressed, func(t *loopState) loop.Event {
		e := begins
		if !h.ev.InSubagent() && h.asksFirst(t) {
			e.Shows = event.MaxQuestions
		}
		return e
	})
	return err
}

// asksFirst reports whether a loop is the first one of the session that has questions to show.
func (h *handler) asksFirst(t *loopState) bool {
	for _, o := range h.addressed(h.runs) {
		if len(h.turn().Asks(o.values())) > 0 {
			return o.Skill == t.Skill
		}
	}
	return false
}

// catchUp loads the runs and takes in what no event brought: answers and calls that only the
// transcript has, and the end of a turn that was cut off.
func (h *handler) catchUp() (list []*loopState, found event.Reply, err error) {
	if list, err = h.sessionRuns(); err != nil {
		return nil, found, err
	}
	if slices.ContainsFunc(list, h.behind) {
		catchUp := func(t *loopState) loop.Event {
			return loop.CatchUp{Turn: h.turn(), Counts: h.countsUnheard(t)}
		}
		if _, err = h.stepEach(every, catchUp); err != nil {
			return nil, found, err
		}
		list = h.runs
	}
	cutOff := func(t *loopState) bool { return h.unknownPrompt(t) && !t.Tick.Draining }
	switch {
	case !h.ev.InSubagent() && slices.ContainsFunc(list, cutOff):
		found, err = h.step(h.prompted())
	case slices.ContainsFunc(list, h.forces) && !h.ev.EndsSchedule():
		found, err = h.missedForce(list)
	default:
		return list, found, nil
	}
	if err == nil {
		list, err = h.sessionRuns()
	}
	return list, found, err
}

// behind reports whether the transcript may have what no event brought and this call depends on.
func (h *handler) behind(t *loopState) bool {
	return h.open(t) && (t.Tick.Unheard() || h.countsUnheard(t))
}

// unknownPrompt reports whether an iteration of this session is open and this prompt does not
// belong to it.
func (h *handler) unknownPrompt(t *loopState) bool {
	return h.open(t) && h.ev.PromptID != "" && !h.ownsPrompt(t)
}

// addressed drops the loops that are open or have ended and that this prompt does not belong to,
// where it belongs to another one, so that a turn is counted and judged once.
func (h *handler) addressed(list []*loopState) []*loopState {
	if !slices.ContainsFunc(list, h.ownsPrompt) {
		return list
	}
	return only(list, func(t *loopState) bool {
		return !h.open(t) && t.Quiet == nil || h.ownsPrompt(t)
	})
}
