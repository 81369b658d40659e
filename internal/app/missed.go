package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// countsUnheard reports whether the call opens a PR in a session in which no event brings results,
// so that only the transcript has how many there are (R30).
func (h *handler) countsUnheard(t *loopState) bool {
	return h.open(t) && !t.Budget.Heard(h.ev.SessionID, event.WordOf(event.PostToolUse)) &&
		number(h.read().Acts, guard.OpenPR) > 0
}

// missedCalls are the results of the iteration's calls on the forge that no event brought, because
// PostToolUse was killed or is not registered. While both loops of a session are open, no one can
// tell whose they are.
func (h *handler) missedCalls(t *loopState, calls []usage.Call) (list []loop.Result) {
	missed := func(c usage.Call) bool { return t.Tick != nil && t.Tick.Missed(c.ID, c.At) }
	if !slices.ContainsFunc(calls, missed) || h.openBeside(t) {
		return nil
	}
	for _, c := range calls {
		if !missed(c) {
			continue
		}
		after := *h
		after.ev = event.Event{
			Name: event.PostToolUse, SessionID: t.Tick.SessionID, Transcript: h.ev.Transcript,
			Cwd: c.Cwd, Tool: c.Tool, ToolUseID: c.ID, Input: c.Input,
			Response: c.Response, Error: c.Error,
		}
		if c.Error != "" {
			after.ev.Name = event.PostToolUseFailure
		}
		r := after.result()
		r.Now = c.At
		list = append(list, r)
	}
	return list
}

// openBeside reports whether the other loop of the tick's session has an iteration open too.
func (h *handler) openBeside(t *loopState) bool {
	return slices.ContainsFunc(loop.Skills(), func(skill loop.Skill) bool {
		other, err := h.files.OpenTick(skill)
		return skill != t.Skill && err == nil && other != nil &&
			other.SessionID == t.Tick.SessionID
	})
}
