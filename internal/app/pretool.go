package app

import (
	"errors"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// preToolUse judges each tool call while its session has an active loop. Most calls need only a few
// small files.
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
	call := h.call().Judged(h.turn())
	reply, err := h.stepEach(func(t *store.State) loop.Event {
		if !h.addressed(t) {
			return nil
		}
		return call
	})
	if changed := h.shutBy(); changed != nil && err == nil && !reply.Decides() {
		reply = h.heldBack(changed) // the file changed since, so its loop has not judged the call
	}
	return reply.And(found), err
}

// shutBy returns the change to one loop's files that keeps this call refused, even if the
// session's other loop is in order. It returns nil if there is no change.
func (h *handler) shutBy() *store.ChangedError {
	changed, ok := errors.AsType[*store.ChangedError](h.runs.damage)
	if !ok || !h.mustStayShut(changed) {
		return nil
	}
	return changed
}

// dialogBegins records the call that opens a dialog and the questions of the one loop that it
// shows.
func (h *handler) dialogBegins() error {
	begins := loop.DialogBegins{
		Turn: h.turn(), ID: h.ev.ToolUseID, Forged: h.ev.Answers().Forged,
	}
	_, err := h.stepEach(func(t *store.State) loop.Event {
		if !h.addressed(t) {
			return nil
		}
		e := begins
		if !h.ev.InSubagent() && h.asksFirst(t) {
			e.Shows = event.MaxQuestions
		}
		return e
	})
	return err
}

// asksFirst reports whether t is the session's first loop with questions to show.
func (h *handler) asksFirst(t *store.State) bool {
	for _, o := range only(h.runs.list, h.addressed) {
		if len(h.turn().Asks(o.Values())) > 0 {
			return o.Skill == t.Skill
		}
	}
	return false
}

// catchUp loads the runs and processes what no event has reported: answers and calls found only in
// the transcript, and the end of a turn that was cut off.
func (h *handler) catchUp() (list []*store.State, found event.Reply, err error) {
	if list, err = h.sessionRuns(); err != nil {
		return nil, found, err
	}
	// results that are only in the transcript
	if slices.ContainsFunc(list, func(t *store.State) bool {
		return h.open(t) && (t.Tick.Unheard() || h.countsUnheard(t))
	}) {
		if _, err = h.stepEach(func(t *store.State) loop.Event {
			return loop.CatchUp{Turn: h.turn(), Counts: h.countsUnheard(t)}
		}); err != nil {
			return nil, found, err
		}
		list = h.runs.list
	}
	cutOff := func(t *store.State) bool { return h.unknownPrompt(t) && !t.Tick.Draining }
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

// forces reports whether the person is asked in this turn whether to take another session's lock.
func (h *handler) forces(t *store.State) bool {
	return forcing(t) && t.Claim.PromptID == h.ev.PromptID
}

// record notes a refusal in the open iteration and returns the refusal even if recording fails.
func (h *handler) record(t *store.State, r event.Reply) event.Reply {
	if !r.Blocks() || !h.open(t) {
		return r
	}
	_, err := h.stepOne(t, loop.Refused{
		Turn: h.turn(), ID: h.ev.ToolUseID, Input: h.ev.Input.Raw,
		Denial: h.denialOf(t, h.ev.Tool, r.Rule(), h.call().Words()),
	})
	h.sideError(err)
	return r
}

// denialOf returns a refusal for the record, with secrets redacted.
func (h *handler) denialOf(t *store.State, tool, rule, what string) loop.Denial {
	return loop.Denial{Tool: tool, Rule: rule, What: h.config(t).Redact(loop.Secrets(what))}
}

// recordEntry records in the session's open iteration that a looping skill was refused.
func (h *handler) recordEntry(r event.Reply) event.Reply {
	if h.ev.Name != event.PreToolUse || !r.Blocks() || !store.Exists(h.project) {
		return r
	}
	if h.files == nil && h.openState() != nil {
		return r
	}
	list, err := h.sessionRuns()
	if err != nil {
		return r
	}
	return h.recordAny(list, r.By(loop.EntryRule))
}

// recordAny records a refusal that belongs to no single run: in the iteration of this prompt,
// otherwise in the session's open iteration.
func (h *handler) recordAny(list []*store.State, r event.Reply) event.Reply {
	i := slices.IndexFunc(list, h.ownsPrompt)
	if i < 0 {
		i = slices.IndexFunc(list, h.open)
	}
	if i < 0 {
		return r
	}
	return h.record(list[i], r)
}

// countsUnheard reports whether the call opens a PR in a session without PostToolUse events, where
// only the transcript shows how many PRs were opened (R30).
func (h *handler) countsUnheard(t *store.State) bool {
	return h.open(t) && !t.Budget.Heard(h.ev.SessionID, event.WordOf(event.PostToolUse)) &&
		h.call().OpensPR()
}
