package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
)

// scheduling: a loop that has ended, or is about to, is not scheduled again (design §1), and an iteration leaves no other
// work behind that would run past the loop's end.
func (v *visit) scheduling(t *thread) (event.Reply, error) {
	prompt, ok := v.ev.Schedules()
	if _, tick := loop.ParsePrompt(prompt); ok && !tick && v.ours(t) {
		return event.Deny("Not scheduled: what an iteration leaves for later would run when no loop governs it any more\n" +
			"hint: do it in this iteration or leave it to the next one; a person may schedule it"), nil
	}
	if ok && t.Budget.Status == loop.Active {
		if reason := v.otherFlags(t, prompt); reason != "" {
			return event.Deny(reason), nil
		}
	}
	if !ok || !t.Budget.Schedules(prompt) {
		return event.Nothing(), nil
	}
	switch {
	case t.Budget.Status != loop.Active:
		return event.Deny(loop.PriorStop(t.Budget) + "\nhint: end the turn; nothing is to be scheduled"), nil
	case v.open(t) && t.Tick.Halting():
		return event.Denyf("The loop ends with this iteration (%s): no next tick\n"+
			"hint: end the turn; the final report follows", t.Tick.HaltedBy()), nil
	case v.open(t) && t.Tick.Iteration >= t.Budget.Ceilings.Iterations:
		return event.Denyf("Not scheduled: "+
			"iteration %d of %d is the last one, so nothing is left to bring\n"+
			"hint: report and end the turn; the final report follows",
			t.Tick.Iteration, t.Budget.Ceilings.Iterations), nil
	case v.open(t): // a ceiling that is reached ends the loop at this iteration's exit (R30)
		spent := v.spent(t)
		if text := v.exhausted(t, spent); text != "" {
			return event.Deny("Not scheduled: " + text), nil
		}
	}
	return event.Nothing(), nil
}

// afterHalt: what remains of a halted run is that nothing may schedule it again.
func (v *visit) afterHalt(t *thread) event.Reply {
	if prompt, ok := v.ev.Schedules(); ok && t.Budget.Schedules(prompt) && slices.Contains(t.Budget.Scheduled, prompt) {
		return event.Deny(loop.PriorStop(t.Budget) + "\nhint: it is not scheduled again; a person starts it anew by typing the command, or goes on with --resume")
	}
	return event.Nothing()
}

// neverAgain: a loop that ended while it waited for another's lock is not scheduled again in its turn.
func (v *visit) neverAgain(c *loop.Claim) event.Reply {
	prompt, ok := v.ev.Schedules()
	if ok && c != nil && c.Stopped && c.PromptID == v.ev.PromptID && c.Schedules(prompt) {
		return event.Deny(c.PriorStop() + "\nhint: end the turn; nothing is to be scheduled")
	}
	return event.Nothing()
}
