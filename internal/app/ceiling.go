package app

import (
	"fmt"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// How many bytes of transcript the next look may read again before the running count is saved. A
// tool's result saves it, because nothing waits for that as it does for the call itself. Where no
// result comes, or none for long, a call saves it.
const (
	keepAtResult = 256 << 10
	keepAtCall   = 2 << 20
)

// ceiling bounds one long iteration by the run's dollars. At the ceiling it asks each thread once
// to finish; past the overrun nothing else passes. What the iteration has spent is a lower bound,
// because what cannot be read is left out until it ends.
func (v *visit) ceiling(t *thread) event.Reply {
	if !v.open(t) || t.Budget.Ceilings.Dollars == 0 {
		return event.Nothing()
	}
	running, read, err := v.look(t)
	v.slip(err)
	if v.running == nil {
		v.running = map[loop.Skill]loop.Running{}
	}
	v.running[t.skill] = running
	spent := t.Budget.DollarsEstimate.Plus(running.Dollars)
	reached := t.Budget.DollarsReached(spent)
	tell := reached != "" && t.Tick.TellDollars(v.ev.AgentID)
	if tell || read >= keepAtCall {
		_, err := v.anew(t, func(now *thread) (event.Reply, error) {
			tell = tell && now.Tick.TellDollars(v.ev.AgentID)
			return event.Nothing(), v.files.SaveTick(now.Tick)
		})
		v.slip(err)
	}
	if reached == "" {
		return event.Nothing()
	}
	limit := t.Budget.DollarLimit(v.config().Overrun)
	if spent > limit && !v.finishes() {
		return event.Denyf("%s is refused: %s, past the overrun of %d percent ($%s)\nhint: %s",
			v.ev.Tool, reached, v.config().Overrun, limit, v.wayToFinish()).By(loop.DollarCeiling)
	}
	if !tell {
		return event.Nothing()
	}
	return event.Nothing().Context(fmt.Sprintf("hooks: %s. Now %s. "+
		"No worker is dispatched any more; past $%s only reading, `hooks report`, "+
		"git add, commit and push on your own branch, and the dialog pass.",
		reached, v.wayToFinish(), limit))
}

// wayToFinish is what a thread still has to do at the ceiling.
func (v *visit) wayToFinish() string {
	if v.ev.InSubagent() {
		return "commit and push your own branch, " +
			"and end with a short report to the thread that sent you"
	}
	return "commit and push your own branch, report with `hooks report`, and end the turn; " +
		"a person raises the ceiling with --max-dollars N --resume"
}

// keepRunning saves the running counts of the open iterations, once much of the transcripts is new.
func (v *visit) keepRunning(list []*thread) {
	for _, t := range list {
		if !v.open(t) || t.Budget.Ceilings.Dollars == 0 {
			continue
		}
		_, cursors := t.Tick.Spending(t.Budget)
		if usage.Grown(v.transcript(t, nil), cursors) < keepAtResult {
			continue
		}
		running, _, err := v.look(t)
		v.slip(err)
		_, err = v.anew(t, func(now *thread) (event.Reply, error) {
			now.Tick.Count(now.Budget, running)
			return event.Nothing(), v.files.SaveTick(now.Tick)
		})
		v.slip(err)
	}
}

// look counts what the iteration has spent until now, and how much of that was read in this call.
func (v *visit) look(t *thread) (r loop.Running, read int64, err error) {
	r, cursors := t.Tick.Spending(t.Budget)
	rates := func() usage.Table { return usage.NewTable(v.config().Rates) }
	look, err := usage.Running(v.transcript(t, nil), cursors, rates)
	r.Dollars = r.Dollars.Plus(look.Dollars)
	r.Cursors = loop.Overlay(r.Cursors, look.Cursors)
	return r, look.Read, err
}

// finishes reports whether a call still passes after the overrun, because it looks, commits,
// reports, asks or ends something.
func (v *visit) finishes() bool {
	switch v.ev.Tool {
	case "TaskStop", "KillShell", "KillBash":
		return true
	}
	return v.ev.Asks() || v.ev.EndsSchedule() ||
		guard.Finishing(v.call(), v.repo, v.below(v.project))
}
