package app

import (
	"fmt"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
)

// settles: the calls that end a schedule always pass.
func settles(ev event.Event) bool {
	return ev.Tool == "CronDelete" || ev.Tool == "CronList" || ev.Tool == "ScheduleWakeup" && ev.Flag("stop")
}

func schedules(ev event.Event) (prompt string, ok bool) {
	if ev.Tool != "CronCreate" && ev.Tool != "ScheduleWakeup" {
		return "", false
	}
	return ev.Text("prompt"), true
}

// scheduling: a loop that has ended, or is about to, is not scheduled again (design §1), and an iteration leaves no other
// work behind that would run past the loop's end.
func (v *visit) scheduling(t *thread) (event.Reply, error) {
	prompt, ok := schedules(v.ev)
	if _, tick := loop.ParsePrompt(prompt); ok && !tick && v.ours(t) {
		return event.Deny("Not scheduled: what an iteration leaves for later would run when no loop governs it any more\n" +
			"hint: do it in this iteration or leave it to the next one; a person may schedule it"), nil
	}
	if !ok || !t.Budget.Schedules(prompt) {
		return event.Nothing(), nil
	}
	switch {
	case t.Budget.Status != loop.Active:
		return event.Deny(loop.PriorStop(t.Budget) + "\nhint: end the turn; nothing is to be scheduled"), nil
	case v.open(t) && t.Tick.Halting():
		return event.Deny(fmt.Sprintf("The loop ends with this iteration (%s): no next tick\nhint: end the turn; the final report follows", t.Tick.HaltedBy())), nil
	}
	return event.Nothing(), nil
}

// afterHalt: what remains of a halted run is that nothing may schedule it again.
func (v *visit) afterHalt(t *thread) event.Reply {
	if prompt, ok := schedules(v.ev); ok && t.Budget.Schedules(prompt) && slices.Contains(t.Budget.Scheduled, prompt) {
		return event.Deny(loop.PriorStop(t.Budget) + "\nhint: it is not scheduled again; a person starts it anew by typing the command, or goes on with --resume")
	}
	return event.Nothing()
}
