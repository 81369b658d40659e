package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// cutOff is why an iteration did not reach its end where nothing tells.
const cutOff = "the turn never reached its end"

// endNow closes the open iteration at an event that is not its Stop, and tells both sides.
func (v *visit) endNow(t *thread) (event.Reply, error) {
	c, err := v.endAbandoned(t)
	if err != nil {
		return event.Nothing(), err
	}
	v.release(t.skill)
	if c.final == "" {
		return event.Nothing().Say(c.status), nil
	}
	return v.told(t, c.text()), nil
}

// endBetween ends a run while none of its iterations is open. A pause, and the hours after its client's death, are no
// time of the run (R32).
func (v *visit) endBetween(t *thread, how string) (event.Reply, error) {
	if b := t.Budget; b.Status == loop.Paused || gone(b) {
		b.Away(v.now)
	}
	t.Tick = &loop.Tick{
		Version: loop.Version, RunID: t.Budget.RunID, SessionID: t.Budget.SessionID, Skill: t.skill,
		Iteration: t.Budget.IterationsUsed + 1, StartedAt: v.now, Transcript: usage.Main(t.Budget.Cursors), Interrupted: how,
		Prompts: loop.AppendNew(nil, v.ev.PromptID),
	}
	c, err := v.endAbandoned(t)
	if err != nil {
		return event.Nothing(), err
	}
	v.release(t.skill)
	c.status = report.Notes(c.Line.Notes) // no iteration ran of which a block could tell
	return v.told(t, strings.TrimSpace(c.text())), nil
}

// told gives a text to the person and, in short, to the model.
func (v *visit) told(t *thread, text string) event.Reply {
	model := "The loop was interrupted. Dispatch nothing new, do not go on with its iteration."
	if len(t.Budget.Scheduled) > 0 {
		model += " Delete its schedule with CronDelete (or ScheduleWakeup {\"stop\":true})."
	}
	return event.Nothing().Say(text).Context(model)
}

// turnFailed: an API error ended the turn; no Stop follows. Its iteration is closed as errored, and with it one whose own
// turn was cut off before; the loop goes on. One that waits for its workers since an earlier turn is not this one's.
func (v *visit) turnFailed() (event.Reply, error) {
	ends := func(list []*thread) []*thread {
		return slices.DeleteFunc(slices.Clone(list), func(t *thread) bool { return v.unknownPrompt(t) && t.Tick.Draining })
	}
	return v.closeOpen(ends, func(t *thread) bool {
		if v.unknownPrompt(t) && v.interruptMark(t) {
			t.Tick.Interrupt(loop.ByEsc)
		} else {
			t.Tick.Failed = "API error: " + v.ev.Failure
		}
		t.Tick.Draining = len(t.Tick.Workers) > 0 // what was dispatched finishes; the last Stop closes the iteration
		return t.Tick.Draining
	})
}

// sessionEnded: the person closed the session. An open iteration is an interrupted one; between iterations the run
// stays, without its owner, for --resume. What was spent since the last iteration is counted either way.
func (v *visit) sessionEnded() (event.Reply, error) {
	every := func(list []*thread) []*thread { return list }
	reply, err := v.closeOpen(every, func(t *thread) bool {
		t.Tick.Interrupt("the session ended (" + v.ev.Reason + ")")
		return false
	})
	if err != nil {
		return reply, err
	}
	return reply, v.guarded(func(list []*thread) error {
		for _, t := range list {
			if t.Budget == nil || t.Budget.SessionID != v.ev.SessionID {
				continue
			}
			spent, _ := v.spent(t)
			t.Budget.Spend(spent)
			t.Budget.OwnerLeft = true
			if v.ev.Reason != "clear" { // there the client and its schedule live on
				t.Budget.Scheduled = nil
			}
			if err := v.files.SaveBudget(t.BudgetPath, t.Budget); err != nil {
				return err
			}
		}
		return nil
	})
}

// closeOpen ends the open iterations among those that are picked, marked by why, unless the mark says that one stays
// open for its workers.
func (v *visit) closeOpen(pick func([]*thread) []*thread, mark func(*thread) (stays bool)) (event.Reply, error) {
	list, err := v.mine()
	if err != nil {
		return event.Nothing(), err
	}
	if !slices.ContainsFunc(list, v.open) {
		return event.Nothing(), nil
	}
	return v.decided(func(list []*thread) (event.Reply, error) {
		return v.inTurn(pick(list), func(t *thread) (event.Reply, error) {
			switch {
			case !v.open(t):
				return event.Nothing(), nil
			case mark(t):
				return event.Nothing(), v.files.SaveTick(t.Tick)
			}
			return v.endNow(t)
		})
	})
}

// endAbandoned ends a tick that never reached its Stop: as interrupted where a person left a mark, else as errored.
func (v *visit) endAbandoned(t *thread) (closed, error) {
	previous, err := v.previous(t.skill, t.Budget)
	if err != nil {
		return closed{}, err
	}
	if t.Tick.Interrupted == "" && t.Tick.Failed == "" {
		if v.interruptMark(t) {
			t.Tick.Interrupt(loop.ByEsc)
		} else {
			t.Tick.Failed = cutOff
		}
	}
	t.Tick.Uncount(t.Budget)
	own := *v
	own.ev.Transcript = t.Tick.Transcript // read and counted from its own session's transcript
	own.missedAnswers(t)
	ending, err := own.ending(t, v.leftBehind(t, previous))
	if err != nil && t.Tick.SessionID != v.ev.SessionID { // nobody reads that session's transcript again
		return closed{}, &hint.Error{Err: fmt.Errorf("count what session %s spent: %w", t.Tick.SessionID, err),
			Way: "try again; `hooks loop reset` in a terminal archives the run as it is"}
	}
	ending.Now = v.lastAlive(t)
	t.Tick.Pending = nil
	return v.close(t, previous, ending)
}

// foreign: the tick's client is dead, or another session's.
func (v *visit) foreign(t *thread) bool {
	return t.Tick.SessionID != v.ev.SessionID || proc.Of(t.Budget.Owner) == loop.Dead
}

// lastAlive is when an abandoned tick ended: now, in its own session; in a dead one the last time its transcript
// tells, so that the hours until someone found it are no minutes of the run (R32).
func (v *visit) lastAlive(t *thread) time.Time {
	if !v.foreign(t) {
		return v.now
	}
	at := usage.LastSign(t.Tick.Transcript).UTC().Truncate(time.Second)
	switch {
	case at.Before(t.Tick.StartedAt):
		return t.Tick.StartedAt
	case at.After(v.now):
		return v.now
	}
	return at
}

// interruptMark looks for the client's own mark, after what was counted, in a turn of this tick: a person may end a turn
// of their own between two ticks.
func (v *visit) interruptMark(t *thread) bool {
	r, err := usage.Count(t.Tick.Transcript, t.Budget.Cursors, usage.NewTable(nil))
	return err == nil && slices.ContainsFunc(r.Interrupted, func(prompt string) bool {
		return prompt == "" || slices.Contains(t.Tick.Prompts, prompt)
	})
}
