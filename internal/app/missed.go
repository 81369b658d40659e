package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// counted reads the transcripts from where the run last stopped reading.
func (v *visit) counted(t *thread) (loop.Spent, []string, error) {
	return usage.Spent(v.transcript(t), t.Budget.Cursors, usage.NewTable(v.config().Rates))
}

// countedAll is counted at the end of an iteration, and takes in the calls that no event told.
func (v *visit) countedAll(t *thread) (loop.Spent, []string, error) {
	spent, calls, notes, err := usage.Done(v.transcript(t), t.Budget.Cursors, usage.NewTable(v.config().Rates))
	v.missedCalls(t, calls)
	return spent, notes, err
}

func (v *visit) transcript(t *thread) string {
	if v.ev.Transcript == "" && t.Tick != nil {
		return t.Tick.Transcript
	}
	return v.ev.Transcript
}

// countsUnheard: the call opens a PR in a session whose tool results no event tells, so that only the transcript knows how
// many there are (R30).
func (v *visit) countsUnheard(t *thread) bool {
	return v.open(t) && !t.Budget.Heard(v.ev.SessionID, event.WordOf(event.PostToolUse)) && opened(v.read().Acts) > 0
}

// callsSoFar takes in what the calls up to now did.
func (v *visit) callsSoFar(t *thread) (found bool) {
	_, calls, _, _ := usage.Done(v.transcript(t), t.Budget.Cursors, usage.NewTable(nil))
	return v.missedCalls(t, calls)
}

// missedCalls counts what a call of this iteration did on the forge where PostToolUse was killed or is not registered.
// While both loops of a session are open, nothing tells whose it was.
func (v *visit) missedCalls(t *thread, calls []usage.Call) (found bool) {
	missed := func(c usage.Call) bool {
		return !t.Tick.Told(c.ID) && (c.At.IsZero() || !c.At.Before(t.Tick.StartedAt))
	}
	if !slices.ContainsFunc(calls, missed) || v.openBeside(t) {
		return false
	}
	told := t.Tick.Comments // by a report too, which may have told of the missed ones
	for _, c := range calls {
		if !missed(c) {
			continue
		}
		after := *v
		after.ev = event.Event{
			Name: event.PostToolUse, SessionID: t.Tick.SessionID, Transcript: v.ev.Transcript, Cwd: c.Cwd,
			Tool: c.Tool, ToolUseID: c.ID, Input: c.Input, Response: c.Response, Error: c.Error,
		}
		if c.Error != "" {
			after.ev.Name = event.PostToolUseFailure
		}
		after.observe(t.Tick)
	}
	t.Tick.Comments = max(told, t.Tick.Observed.Comments)
	return true
}

// openBeside says that the other loop of the tick's session has an iteration open too.
func (v *visit) openBeside(t *thread) bool {
	return slices.ContainsFunc(loop.Skills(), func(skill loop.Skill) bool {
		s, err := v.files.LoadRun(skill)
		return skill != t.skill && err == nil && s.Tick != nil && s.Tick.SessionID == t.Tick.SessionID
	})
}
