package app

import (
	"errors"

	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// stop handles a Stop: it ends the session's open iterations or keeps the turn open (R117, design
// §1).
func (h *handler) stop() (event.Reply, error) {
	e := loop.TurnEnd{
		Turn: h.turn(), First: h.ev.StopFirst(), Began: h.began,
		Working: h.ev.Workers(), DontAsk: h.ev.PermissionMode == "dontAsk",
	}
	for _, c := range h.ev.Crons {
		e.Schedule = append(e.Schedule, loop.Scheduled{
			Prompt: c.Prompt, Next: c.Next(h.now.Local()).UTC(), End: c.Ending(),
		})
	}
	reply, err := h.step(e)
	if err != nil || len(h.runs.list) == 0 {
		return reply, err
	}
	if changed, ok := errors.AsType[*store.ChangedError](h.runs.damage); ok {
		h.sideError(h.withStateLock(func() error { // events of workers save the record too
			reply = reply.And(h.sayOnce(changed, hint.Text(store.Hinted(changed))))
			return nil
		}))
	}
	return reply, err
}

// prompted builds the Prompt event, which also reveals a turn without a Stop, and `/loop stop`.
func (h *handler) prompted() loop.Prompt {
	e := loop.Prompt{
		Turn: h.turn(), Text: h.ev.Prompt, Stops: h.ev.StopsLoop(),
		Expands: h.ev.Name == event.UserPromptSubmit, Wakes: h.ev.Wakeup(),
	}
	var names []loop.Names
	runs, _ := h.sessionRuns() // the step returns the same error
	for _, t := range runs {
		if t.Budget != nil {
			names = append(names, t.Budget.Names())
		}
	}
	if c, tick := loop.ParsePrompt(h.ev.Prompt, names...); tick {
		e.Invokes = c.Skill
	}
	return e
}

// turnFailed records that an API error ended the turn. No Stop follows. A worker's error does not
// end the turn.
func (h *handler) turnFailed() (event.Reply, error) {
	if h.ev.InSubagent() {
		return h.step(loop.WorkerEnd{Turn: h.turn(), Agent: h.ev.AgentID,
			Failure: h.ev.Failure, Reset: drive.ResetIn(h.ev.LastMessage, h.now.Local())})
	}
	return h.step(loop.TurnFailure{Turn: h.turn(), Failure: h.ev.Failure})
}

// workerEnded records the end of a background worker. The client's own compaction agents have no
// type and do not count.
func (h *handler) workerEnded() (event.Reply, error) {
	if h.ev.AgentType == "" {
		_, err := h.sessionRuns()
		return event.Nothing(), err
	}
	return h.step(loop.WorkerEnd{Turn: h.turn(), Agent: h.ev.AgentID})
}
