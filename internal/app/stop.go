package app

import (
	"errors"
	"strings"
	"time"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// stop ends the open iterations of this session, or holds the turn (R117, design §1).
func (v *visit) stop() (event.Reply, error) {
	reply, err := v.step(v.turnEnd())
	if !v.settled || len(v.runs) == 0 {
		return reply, err
	}
	if changed, ok := errors.AsType[*store.ChangedError](v.damage); ok {
		reply = reply.And(v.sayOnce(changed, hint.Text(store.Hinted(changed))))
	}
	if err == nil && !reply.Blocks() { // else the next event releases them
		v.slip(v.restEnded(v.runs))
	}
	return reply, err
}

func (v *visit) turnEnd() loop.TurnEnd {
	e := loop.TurnEnd{
		Turn: v.turn(), First: v.ev.StopFirst, Began: v.began, Wall: time.Now().UTC(),
		Working: v.ev.WorkersRunning(), DontAsk: v.ev.PermissionMode == "dontAsk",
	}
	for _, c := range v.ev.Crons {
		e.Schedule = append(e.Schedule, loop.Scheduled{
			Prompt: c.Prompt, Next: c.Next(v.now.Local()).UTC(), End: c.Ending(),
		})
	}
	return e
}

// prompt brings what no event says: a turn that never reached its Stop, and `/loop stop`.
func (v *visit) prompt() (event.Reply, error) {
	if v.ev.Name == event.UserPromptExpansion && v.ev.Command == "loop" {
		reply, err := v.step(loop.Wake{Turn: v.turn(), Text: v.ev.Prompt})
		if err != nil || reply.Blocks() {
			return reply, err
		}
	}
	return v.step(v.prompted())
}

func (v *visit) prompted() loop.Prompt {
	e := loop.Prompt{
		Turn: v.turn(), Stops: v.ev.StopsLoop(),
		Notification: strings.HasPrefix(v.ev.Prompt, "<task-notification>"),
		Expands:      v.ev.Name == event.UserPromptSubmit,
	}
	if c, tick := loop.ParsePrompt(v.ev.Prompt); tick {
		e.Invokes = c.Skill
	}
	return e
}

// sessionEnded records that the session's person closed it.
func (v *visit) sessionEnded() (event.Reply, error) {
	return v.step(loop.SessionEnd{Turn: v.turn(), Reason: v.ev.Reason})
}

// turnFailed records that an API error ended the turn; no Stop follows.
func (v *visit) turnFailed() (event.Reply, error) {
	return v.step(loop.TurnFailure{Turn: v.turn(), Failure: v.ev.Failure})
}

// workerEnded counts one background worker less. The client's own compaction agents have no type
// and do not count.
func (v *visit) workerEnded() (event.Reply, error) {
	if v.ev.AgentType == "" {
		_, err := v.mine()
		return event.Nothing(), err
	}
	return v.step(loop.WorkerEnd{Turn: v.turn(), Agent: v.ev.AgentID})
}

// told gives a text to the person and, in short, to the model.
func (v *visit) told(t *thread, text string) event.Reply {
	model := "The loop was interrupted. Dispatch nothing new, do not go on with its iteration."
	if len(t.Budget.Scheduled) > 0 {
		model += " Delete its schedule with CronDelete (or ScheduleWakeup {\"stop\":true})."
	}
	return event.Nothing().Say(text).Context(model)
}
