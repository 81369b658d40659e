package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/toolcall"
	"hooks/internal/usage"
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
	result := h.call().Result(h.turn(), h.firstRules())
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

func (h *handler) answersDialog() bool { return h.ev.Asks() && h.ev.Name == event.PostToolUse }

// firstRules are those of the session's first run: by them it is told whether a call was about the
// project.
func (h *handler) firstRules() toolcall.Run {
	if len(h.runs) == 0 {
		return h.rules(nil)
	}
	return h.rules(h.runs[0])
}

// countsUnheard reports whether the call opens a PR in a session in which no event brings results,
// so that only the transcript has how many there are (R30).
func (h *handler) countsUnheard(t *loopState) bool {
	return h.open(t) && !t.Budget.Heard(h.ev.SessionID, event.WordOf(event.PostToolUse)) &&
		h.call().OpensPR()
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
		call := toolcall.Call{Env: h.Env, Project: h.project, View: h.call().View}
		call.Event = event.Event{
			Name: event.PostToolUse, SessionID: t.Tick.SessionID, Transcript: h.ev.Transcript,
			Cwd: c.Cwd, Tool: c.Tool, ToolUseID: c.ID, Input: c.Input,
			Response: c.Response, Error: c.Error,
		}
		if c.Error != "" {
			call.Event.Name = event.PostToolUseFailure
		}
		turn := h.turn()
		turn.Now, turn.Session, turn.Prompt = c.At, t.Tick.SessionID, ""
		list = append(list, call.Result(turn, h.firstRules()))
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

// keepAtResult is how many bytes of transcript the next look may read again before a tool's result
// saves the running count.
const keepAtResult = 256 << 10

// keepRunning saves the running counts of the open iterations, once much of the transcripts is new.
func (h *handler) keepRunning(list []*loopState) {
	for _, t := range list {
		if !h.open(t) || t.Budget.Ceilings.Dollars == 0 ||
			usage.Grown(h.growing(t)) < keepAtResult {
			continue
		}
		now, err := h.runningCount(t)
		h.slip(err)
		_, err = h.stepOne(t, loop.Grown{Turn: h.turn(), Running: now.Running})
		h.slip(err)
	}
}
