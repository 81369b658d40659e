package app

import (
	"errors"
	"slices"
	"time"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// stop ends the open iteration of this session, or holds the turn open, at most twice a prompt, for what only the
// model can still do (R117, design §1).
func (v *visit) stop() (event.Reply, error) {
	list, err := v.mine()
	if err != nil || len(list) == 0 {
		return event.Nothing(), err
	}
	look := v.lookAround(list) // before the guard: it waits and asks git
	return v.decided(func(list []*thread) (event.Reply, error) {
		reply, err := v.inTurn(list, func(t *thread) (event.Reply, error) {
			if v.said.Blocks() { // the turn goes on; the other loop's iteration ends at the next Stop
				return event.Nothing(), nil
			}
			return v.stopThread(t, look)
		})
		if changed, ok := errors.AsType[*store.ChangedError](v.damage); ok {
			reply = reply.And(v.sayOnce(changed, hint.Text(store.Hinted(changed))))
		}
		if err == nil && !reply.Blocks() {
			v.slip(v.restEnded(list)) // else the next event does
		}
		return reply, err
	})
}

// stopThread says what the end of a turn means to one run.
func (v *visit) stopThread(t *thread, look surroundings) (event.Reply, error) {
	switch {
	case t.Budget == nil && t.forcing():
		return v.claimUnanswered(t)
	case t.Budget == nil && t.Claim != nil && t.Claim.Stopped:
		return v.claimStopped(t.Claim)
	case t.Budget == nil || v.toldTwice(t.Budget):
		return event.Nothing(), nil
	}
	crons := v.scheduledFor(t.Budget)
	if !v.open(t) {
		return event.Nothing(), v.keepSchedule(t, crons)
	}
	v.noteSchedule(t.Budget, crons)
	if v.unknownPrompt(t) && !t.Tick.Draining { // the end of a later turn: the tick's own never reached it
		return v.promptThread(t, false)
	}
	if v.ev.WorkersRunning() {
		t.Tick.Draining = true
		t.Tick.Prompts = loop.AppendNew(t.Tick.Prompts, v.ev.PromptID)
		return event.Nothing(), v.save(t)
	}
	return v.finish(t, look, crons)
}

// finish ends the iteration at the end of its own turn, unless the turn still owes something.
func (v *visit) finish(t *thread, look surroundings, crons []event.Cron) (event.Reply, error) {
	if t.Tick.Draining && v.interruptMark(t) { // Esc in a turn that a worker's end had started
		t.Tick.Interrupt(loop.ByEsc)
	}
	t.settle(look.prs[t.skill])
	v.missedAnswers(t)
	previous, err := v.previous(t.skill, t.Budget)
	if err != nil {
		return event.Nothing(), err
	}
	if ask, hold := v.unfinished(t, previous); hold {
		return ask, v.save(t)
	}
	return v.end(t, previous, look, crons)
}

// toldTwice: this call began before a Stop of this very turn was blocked. It is the same Stop, told again at the same time
// where the hooks are registered twice; the block stands. A block long ahead of us was told by a clock set back since.
func (v *visit) toldTwice(b *loop.Budget) bool {
	ahead := b.Blocks.At.Sub(v.began)
	return v.ev.StopFirst && v.ev.PromptID != "" && b.Blocks.PromptID == v.ev.PromptID && len(b.Blocks.Reasons) > 0 &&
		ahead > 0 && ahead < time.Minute
}

// claimUnanswered: the turn that would force another's lock ends without the person's answer. It is asked for once; then
// the claim is dropped, and the next tick asks anew.
func (v *visit) claimUnanswered(t *thread) (event.Reply, error) {
	gate := *t.Claim.Gate
	if t.Claim.Blocked && t.Claim.PromptID == v.ev.PromptID && v.ev.StopFirst { // told twice
		return event.Nothing(), nil
	}
	if t.Claim.Blocked || t.Claim.PromptID != v.ev.PromptID || !v.attended() {
		return event.Nothing(), v.dropClaim(t.Claim)
	}
	t.Claim.Blocked = true
	return event.Block(report.Ask([]loop.Gate{gate})), v.files.SaveClaim(t.Claim)
}

// claimStopped keeps what is scheduled for a loop that never began, and asks once that it be taken away (R20).
func (v *visit) claimStopped(c *loop.Claim) (event.Reply, error) {
	crons, prompts := v.scheduledFor(c), []string(nil)
	for _, cron := range crons {
		prompts = append(prompts, cron.Prompt)
	}
	ask := len(crons) > 0 && !c.Blocked
	if !ask && slices.Equal(prompts, c.Scheduled) {
		return event.Nothing(), nil
	}
	c.Scheduled, c.Blocked = prompts, c.Blocked || ask
	if err := v.files.SaveClaim(c); err != nil || !ask {
		return event.Nothing(), err
	}
	return event.Block(unschedule(crons)), nil
}

// unfinished says what the turn still owes: an answer, or the skill's facts. Each is asked for once; a question that
// then still waits pauses the run.
func (v *visit) unfinished(t *thread, previous *loop.Iteration) (event.Reply, bool) {
	tick := t.Tick
	if tick.Halting() || tick.Failed != "" {
		return event.Nothing(), false
	}
	if tick.Body && len(tick.Pending) == 0 && len(tick.Report.Failures) > 0 && !v.endsAnyway(t) {
		v.askAtExit(t, previous)
	}
	switch {
	case len(tick.Pending) > 0 && v.attended() && v.mayBlock(t, "gate:"+tick.Pending[0].Name):
		return event.Block(report.Ask(tick.Pending)), true
	case len(tick.Pending) == 0 && tick.Body && !tick.Reported && v.mayBlock(t, "facts"):
		return event.Block("Report this iteration's facts before it ends:\n" + report.ReportExample(t.Budget)), true
	}
	return event.Nothing(), false
}

// askAtExit puts the questions of the exit, which what failed may call for.
func (v *visit) askAtExit(t *thread, previous *loop.Iteration) {
	f := loop.Look(t.Budget, t.Tick, previous, v.now)
	f.Redact = v.config().Redact
	t.Tick.Pending = loop.Due(f, loop.Exit)
	t.Tick.UseGiven(t.Budget, v.now)
}

// endsAnyway: a condition of the exit holds already, so that nobody need be asked how to go on.
func (v *visit) endsAnyway(t *thread) bool {
	spent, _ := v.spent(t)
	b := v.asOfNow(t, spent)
	return len(loop.Evaluate(loop.Look(&b, t.Tick, nil, v.now), loop.Exit)) > 0
}

// mayBlock counts a block of this prompt: two at the most, one of each kind. It is saved before the block is printed.
func (v *visit) mayBlock(t *thread, kind string) bool {
	b := &t.Budget.Blocks
	if b.PromptID != v.ev.PromptID {
		*b = loop.Blocks{PromptID: v.ev.PromptID}
	}
	if len(b.Reasons) >= 2 || slices.Contains(b.Reasons, kind) {
		return false
	}
	b.Reasons, b.At = append(b.Reasons, kind), time.Now().UTC()
	return true
}

// end closes the iteration. A halted run that is still scheduled, or a running one that nothing would bring back,
// holds the turn once more for the call that settles it.
func (v *visit) end(t *thread, previous *loop.Iteration, look surroundings, crons []event.Cron) (event.Reply, error) {
	if !t.Budget.UnderLoop {
		t.Budget.UnderLoop = look.underLoop || len(crons) > 0
	}
	ending, _ := v.ending(t, look) // this session's next iteration counts what could not be counted now
	if ending.Pause = mustPause(t.Tick); ending.Pause {
		ending.Unanswered = v.unanswered(t.Tick)
	}
	// The block that follows is counted in the same save, so it is decided on a trial close.
	trial := loop.Close(*t.Budget, *t.Tick, previous, ending)
	ask := v.afterwards(t, &trial, crons)
	c, err := v.close(t, previous, ending)
	if err != nil {
		return event.Nothing(), err
	}
	v.release(t.skill)
	reply := event.Nothing()
	if ask != "" {
		reply = event.Block(ask)
	}
	return reply.Say(c.text()), nil
}

// afterwards is the one call the model is still asked to make, empty when there is none or both blocks are used up.
func (v *visit) afterwards(t *thread, c *loop.Closing, crons []event.Cron) string {
	switch {
	case c.Run.Status != loop.Active && len(crons) > 0 && v.mayBlock(t, "unschedule"):
		return unschedule(crons)
	case c.Run.Status == loop.Active && t.Budget.UnderLoop && len(crons) == 0 && v.mayBlock(t, "wake"):
		return "Nothing is scheduled that would bring the next iteration. Call now: " + report.WakeCall(t.Budget) +
			" (loaded with ToolSearch \"select:ScheduleWakeup\"). Do nothing else."
	}
	return ""
}
