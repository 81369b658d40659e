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
	if slices.ContainsFunc(list, v.wakesEnded) {
		return v.decided(func(list []*thread) (event.Reply, error) { return v.inTurn(list, v.refuseWake) })
	}
	stop := v.ev.StopsLoop()
	concerned := func(t *thread) bool {
		return stop && t.Budget != nil && t.Budget.Status == loop.Active || v.unknownPrompt(t)
	}
	if !slices.ContainsFunc(list, concerned) {
		return event.Nothing(), nil
	}
	return v.decided(func(list []*thread) (event.Reply, error) {
		return v.inTurn(list, func(t *thread) (event.Reply, error) { return v.promptThread(t, stop) })
	})
}

// wakesEnded: a scheduled /loop comes whose run has ended. It is refused before its turn costs anything.
func (v *visit) wakesEnded(t *thread) bool {
	if v.ev.Name != event.UserPromptExpansion || v.ev.Command != "loop" || t.Budget == nil || t.Budget.Status != loop.Halted ||
		!slices.Contains(t.Budget.Scheduled, v.ev.Prompt) {
		return false
	}
	start, _ := usage.PromptStart(v.ev.Transcript, v.ev.PromptID)
	return start.Origin != "human"
}

// refuseWake turns such a prompt away. A wake-up fires once: what comes after it in the same words was typed.
func (v *visit) refuseWake(t *thread) (event.Reply, error) {
	if !v.wakesEnded(t) {
		return event.Nothing(), nil
	}
	t.Budget.Scheduled = slices.DeleteFunc(slices.Clone(t.Budget.Scheduled), func(p string) bool { return p == v.ev.Prompt })
	return event.Block(loop.PriorStop(t.Budget)), v.files.SaveBudget(t.BudgetPath, t.Budget)
}

// unknownPrompt: an iteration of this session is open, and this prompt is none of its own.
func (v *visit) unknownPrompt(t *thread) bool {
	return v.open(t) && v.ev.PromptID != "" && !v.ours(t)
}

// invokes: this prompt is the skill's own next tick.
func (v *visit) invokes(skill loop.Skill) bool {
	c, tick := loop.ParsePrompt(v.ev.Prompt)
	return tick && c.Skill == skill
}

// expands: its expansion follows, too, which can still refuse the turn and say why.
func (v *visit) expands(skill loop.Skill) bool {
	return v.ev.Name == event.UserPromptSubmit && v.invokes(skill)
}

// promptThread says what a prompt means to one run: a person's stop, the end of a turn that was cut off, or nothing.
func (v *visit) promptThread(t *thread, stop bool) (event.Reply, error) {
	switch {
	case t.Budget == nil || t.Budget.Status != loop.Active:
		return event.Nothing(), nil
	case stop && !v.open(t):
		return v.endBetween(t, event.StopWord)
	case stop && t.Tick.Interrupted != "" && v.ours(t): // told at the first of its two events
		return event.Nothing(), nil
	case stop:
		t.Tick.Interrupt(event.StopWord)
	case !v.unknownPrompt(t) || v.expands(t.skill):
		return event.Nothing(), nil
	case t.Tick.Interrupted == "" && v.interruptMark(t):
		t.Tick.Interrupt(loop.ByEsc)
	case t.Tick.Draining || strings.HasPrefix(v.ev.Prompt, "<task-notification>"):
		t.Tick.Prompts = loop.AppendNew(t.Tick.Prompts, v.ev.PromptID)
		return event.Nothing(), v.files.SaveTick(t.Tick)
	default:
		t.Tick.Failed = cutOff
	}
	return v.breakOff(t)
}

// breakOff ends an iteration that was interrupted or cut off. What was dispatched drains first; the last Stop closes the
// iteration then.
func (v *visit) breakOff(t *thread) (event.Reply, error) {
	if t.Tick.Draining || len(t.Tick.Workers) > 0 {
		t.Tick.Draining = true
		t.Tick.Prompts = loop.AppendNew(t.Tick.Prompts, v.ev.PromptID)
		return v.told(t, "Workers of the interrupted iteration still run; nothing new is dispatched, the report follows when they end."), v.files.SaveTick(t.Tick)
	}
	reply, err := v.endNow(t)
	if err == nil && t.Budget.Status == loop.Halted && v.invokes(t.skill) {
		return event.Block(reply.PersonText()), nil // a /loop that would bring back what has just ended
	}
	return reply, err
}
