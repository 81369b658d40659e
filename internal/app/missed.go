package app

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

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

// missedCalls counts what a call of this iteration did on the forge where its PostToolUse was killed. While
// both loops of a session are open, nothing tells whose it was.
func (v *visit) missedCalls(t *thread, calls []usage.Call) {
	missed := func(c usage.Call) bool { return !t.Tick.Told(c.ID) && !c.At.Before(t.Tick.StartedAt) }
	if !slices.ContainsFunc(calls, missed) || v.openBeside(t) {
		return
	}
	for _, c := range calls {
		if !missed(c) {
			continue
		}
		after := *v
		after.ev = event.Event{
			Name: event.PostToolUse, SessionID: t.Tick.SessionID, Transcript: v.ev.Transcript, Cwd: c.Cwd,
			Tool: c.Tool, ToolUseID: c.ID, Input: c.Input, Response: c.Response,
		}
		after.observe(t.Tick)
	}
}

// openBeside says that the other loop of the tick's session has an iteration open too.
func (v *visit) openBeside(t *thread) bool {
	return slices.ContainsFunc(loop.Skills(), func(skill loop.Skill) bool {
		s, err := v.files.LoadRun(skill)
		return skill != t.skill && err == nil && s.Tick != nil && s.Tick.SessionID == t.Tick.SessionID
	})
}

// coreOnly says that no result of a tool call was told in a session, as where PostToolUse is not registered.
func coreOnly(b *loop.Budget, session string) bool {
	return !b.Heard(session, event.WordOf(event.PostToolUse)) && !b.Heard(session, event.WordOf(event.PostToolUseFailure))
}

// missedFacts takes from the transcript what calls of this iteration brought, where no event tells it: PRs opened,
// comments pushed, merges, a failing qmd (R27, R53, R115; interface: the core events).
func (v *visit) missedFacts(t *thread) (found bool) {
	if !coreOnly(t.Budget, t.Tick.SessionID) || v.openBeside(t) {
		return false
	}
	calls := map[string]event.Event{}
	for m, err := range usage.MomentsSince(v.ev.Transcript, t.Budget.Cursors) {
		switch {
		case err != nil:
		case m.Kind == usage.Called && !m.At.Before(t.Tick.StartedAt) && !slices.Contains(dispatchTools, m.Tool):
			calls[strings.Clone(m.ID)] = v.toldBy(m)
		case m.Kind == usage.Returned:
			if ev, ok := calls[m.ID]; ok {
				delete(calls, ev.ToolUseID)
				found = v.returned(t, ev, m) || found
			}
		}
	}
	return found
}

// ceilingUnheard: the call opens a PR, and how many there are is told by the transcript alone (R30).
func (v *visit) ceilingUnheard(t *thread) bool {
	return coreOnly(t.Budget, t.Tick.SessionID) && opened(v.read().Acts) > 0
}

// toldBy is a call of the transcript, kept beyond its line.
func (v *visit) toldBy(m usage.Moment) event.Event {
	ev := called(m, v.ev.SessionID)
	ev.Transcript, ev.Cwd, ev.AgentID = v.ev.Transcript, strings.Clone(m.Cwd), strings.Clone(m.Agent)
	ev.Tool, ev.ToolUseID, ev.Input = strings.Clone(m.Tool), strings.Clone(m.ID), gjson.Parse(strings.Clone(m.Input.Raw))
	if ev.Cwd == "" {
		ev.Cwd = v.ev.Cwd
	}
	return ev
}

// returned observes what a call brought. Of one that failed only a command's own end counts: what a hook or a person
// held back has not run.
func (v *visit) returned(t *thread, ev event.Event, m usage.Moment) bool {
	ev.Name, ev.Response, ev.Error = event.PostToolUse, m.Response, m.Error
	if ev.Error != "" {
		ev.Name = event.PostToolUseFailure
		if !strings.HasPrefix(ev.Error, "Exit code ") {
			return false
		}
	}
	after := *v
	after.ev = ev
	if len(after.brought()) == 0 && !qmdDown(ev) {
		return false
	}
	t.Tick.Ended(ev.ToolUseID)
	after.observe(t.Tick)
	return true
}
