package app

import (
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// prompt finds at the next prompt what no event tells: a turn that never reached its Stop. It also hears `/loop stop`.
func (v *visit) prompt() (event.Reply, error) {
	list, err := v.mine()
	if err != nil {
		return event.Nothing(), err
	}
	if r, err := v.wakesEnded(list); err != nil || !r.Empty() {
		return r, err
	}
	stop := v.stopTyped()
	var concerned bool
	for _, t := range list {
		concerned = concerned || stop && t.Budget != nil && t.Budget.Status == loop.Active || v.unknownPrompt(t)
	}
	if !concerned {
		return event.Nothing(), nil
	}
	reply := event.Nothing()
	err = v.guarded(func(list []*thread) error {
		for _, t := range list {
			r, err := v.promptThread(t, stop)
			if err != nil {
				return err
			}
			reply = reply.And(r)
		}
		return nil
	})
	return reply, err
}

// wakesEnded refuses a scheduled /loop whose run has ended, before its turn costs anything. A wake-up fires once: what
// comes after it in the same words was typed.
func (v *visit) wakesEnded(list []*thread) (event.Reply, error) {
	for _, t := range list {
		if v.ev.Name != event.UserPromptExpansion || v.ev.Command != "loop" || t.Budget == nil || t.Budget.Status != loop.Halted {
			continue
		}
		if start, _ := usage.PromptStart(v.ev.Transcript, v.ev.PromptID); start.Origin == "human" || !slices.Contains(t.Budget.Scheduled, v.ev.Prompt) {
			continue
		}
		t.Budget.Scheduled = slices.DeleteFunc(slices.Clone(t.Budget.Scheduled), func(p string) bool { return p == v.ev.Prompt })
		return event.Block(loop.PriorStop(t.Budget)), v.files.SaveBudget(t.BudgetPath, t.Budget)
	}
	return event.Nothing(), nil
}

// stopTyped: the person ends the loop by the client's own word for it (R43).
func (v *visit) stopTyped() bool {
	if v.ev.Name == event.UserPromptExpansion {
		return v.ev.Command == "loop" && strings.TrimSpace(v.ev.Args) == "stop"
	}
	return strings.TrimSpace(v.ev.Prompt) == "/loop stop"
}

// unknownPrompt: an iteration of this session is open, and this prompt is none of its own.
func (v *visit) unknownPrompt(t *thread) bool {
	return t.open(v.ev.SessionID) && v.ev.PromptID != "" && !slices.Contains(t.Tick.Prompts, v.ev.PromptID)
}

// expands: this prompt is the skill's own next tick, and its expansion follows, which can still refuse the turn and say
// why.
func (v *visit) expands(skill loop.Skill) bool {
	c, tick := loop.ParsePrompt(v.ev.Prompt)
	return tick && c.Skill == skill && v.ev.Name == event.UserPromptSubmit
}

func (v *visit) promptThread(t *thread, stop bool) (event.Reply, error) {
	switch {
	case t.Budget == nil || t.Budget.Status != loop.Active:
		return event.Nothing(), nil
	case stop && !t.open(v.ev.SessionID):
		return v.endBetween(t, "/loop stop")
	case stop:
		t.Tick.Interrupt("/loop stop")
	case !v.unknownPrompt(t) || v.expands(t.skill):
		return event.Nothing(), nil
	case t.Tick.Interrupted == "" && v.interruptMark(t):
		t.Tick.Interrupt(byEsc)
	case t.Tick.Draining || strings.HasPrefix(v.ev.Prompt, "<task-notification>"):
		t.Tick.Prompts = loop.AppendNew(t.Tick.Prompts, v.ev.PromptID)
		return event.Nothing(), v.files.SaveTick(t.Tick)
	default:
		t.Tick.Failed = cutOff
	}
	if t.Tick.Draining || len(t.Tick.Workers) > 0 { // what was dispatched drains; the last Stop closes the iteration
		t.Tick.Draining = true
		t.Tick.Prompts = loop.AppendNew(t.Tick.Prompts, v.ev.PromptID)
		return v.told(t, "Workers of the interrupted iteration still run; nothing new is dispatched, the report follows when they end."), v.files.SaveTick(t.Tick)
	}
	reply, err := v.endNow(t)
	if c, tick := loop.ParsePrompt(v.ev.Prompt); tick && c.Skill == t.skill && err == nil && t.Budget.Status == loop.Halted {
		return event.Block(reply.PersonText()), nil // a /loop that would bring back what has just ended
	}
	return reply, err
}

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
	return v.endNow(t)
}

// told gives a text to the person and, in short, to the model.
func (v *visit) told(t *thread, text string) event.Reply {
	model := "The loop was interrupted. Dispatch nothing new, do not go on with its iteration."
	if len(t.Budget.Scheduled) > 0 {
		model += " Delete its schedule with CronDelete (or ScheduleWakeup {\"stop\":true})."
	}
	return event.Nothing().Say(text).Context(model)
}

// workerEnded: one background worker less. The client's own compaction agents have no type and are none.
func (v *visit) workerEnded() (event.Reply, error) {
	list, err := v.mine()
	if err != nil || v.ev.AgentType == "" {
		return event.Nothing(), err
	}
	for _, t := range list {
		if !t.open(v.ev.SessionID) || !slices.Contains(t.Tick.Workers, v.ev.AgentID) {
			continue
		}
		return event.Nothing(), v.guarded(func(list []*thread) error {
			for _, t := range list {
				if t.open(v.ev.SessionID) {
					t.Tick.Workers = slices.DeleteFunc(t.Tick.Workers, func(id string) bool { return id == v.ev.AgentID })
					if err := v.files.SaveTick(t.Tick); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return event.Nothing(), nil
}

// turnFailed: an API error ended the turn; no Stop follows. Its iteration is closed as errored, and with it one whose own
// turn was cut off before; the loop goes on. One that waits for its workers since an earlier turn is not this one's.
func (v *visit) turnFailed() (event.Reply, error) {
	ends := func(list []*thread) []*thread {
		return slices.DeleteFunc(slices.Clone(list), func(t *thread) bool { return v.unknownPrompt(t) && t.Tick.Draining })
	}
	return v.closeOpen(ends, func(t *thread) bool {
		if v.unknownPrompt(t) && v.interruptMark(t) {
			t.Tick.Interrupt(byEsc)
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
	reply := event.Nothing()
	if !slices.ContainsFunc(list, func(t *thread) bool { return t.open(v.ev.SessionID) }) {
		return reply, nil
	}
	err = v.guarded(func(list []*thread) error {
		for _, t := range pick(list) {
			if !t.open(v.ev.SessionID) {
				continue
			}
			if mark(t) {
				if err := v.files.SaveTick(t.Tick); err != nil {
					return err
				}
				continue
			}
			r, err := v.endNow(t)
			if err != nil {
				return err
			}
			reply = reply.And(r)
		}
		return nil
	})
	return reply, err
}
