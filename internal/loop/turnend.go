package loop

import (
	"fmt"
	"slices"
	"time"
)

// TurnEnd is a Stop: the end of a turn.
type TurnEnd struct {
	Turn
	First    bool      // the client reports that no Stop of this turn was blocked before
	Began    time.Time // machine's time when the hook started
	Wall     time.Time // machine's time now
	Working  []string  // ids of the background workers that are still running
	Schedule []Scheduled
	DontAsk  bool // the session's permission mode allows no dialog
}

// step ends the session's open iteration, or blocks the Stop if the model still has to ask a
// question, report or make a call (R117, design §1).
func (e TurnEnd) step(s State, k *Known) Outcome {
	switch {
	case s.Run == nil && s.Claim != nil && s.Claim.Gate != nil:
		return e.claimUnanswered(s.Claim)
	case s.Run == nil && s.Claim != nil && s.Claim.Stopped:
		return e.claimStopped(s.Claim)
	case s.Run == nil || e.duplicate(s.Run):
		return Outcome{}
	}
	crons := scheduledFor(s.Run, e.Schedule)
	news := s.Run.noteSchedule(crons)
	switch {
	case !e.open(s) && s.Run.SessionID == e.Session && s.Run.Feeds(e.Prompt):
		return e.orderAgain(s, k)
	case s.Quiet != nil && s.Quiet.Typed && !s.Quiet.awaits(s.Run):
		return Outcome{Save: Save{Release: true}}
	case !e.open(s) && news:
		return Outcome{Save: Save{Run: s.Run}}
	case !e.open(s):
		return Outcome{}
	case e.Foreign(s) && !s.Tick.Draining: // a later turn ends; the tick's own turn was cut off
		return PromptSubmit{Turn: e.Turn}.step(s, k)
	case len(e.Working) > 0:
		s.Tick.Draining, s.Tick.Workers = true, e.Working
		s.Tick.Prompts = AppendNew(s.Tick.Prompts, e.Prompt)
		return Outcome{Save: Save{Run: s.Run, Tick: s.Tick}}
	}
	s.Tick.Workers = nil // no event reports workers that were ended
	if s.Tick.Attempt != nil && s.Run.Own != nil {
		if out, decided := e.attempt(s, k); decided {
			return out
		}
	}
	return e.closeOwn(s, k, crons)
}

// orderAgain repeats the request for the Agent call, because the conductor ended its turn without
// it. If the turn may not be blocked again, or if the check cannot run at all, the run pauses. A
// run over its dollar ceiling ends.
func (e TurnEnd) orderAgain(s State, k *Known) Outcome {
	cause, why := CauseNoCheck, s.Run.Own.NoCheck(k.Before.or())
	k.Require(&k.Count, &k.Overrun)
	spent := s.spent(e.Now, k).Run
	switch over := spent.overspent(spent.DollarsEstimate, *k.Overrun.Value); {
	case over && s.Tick != nil:
		return e.closeOwn(s, k, nil)
	case over:
		out := e.haltSpent(s, k)
		out.Reply.AtStop = true
		return out
	case why == "" && e.hold(s.Run, orderHold):
		ask := &Continue{Name: orderHold, Text: s.Run.Order()}
		return Outcome{Save: Save{Run: s.Run, Tick: s.Tick}, Reply: Reply{Continue: ask}}
	}
	if why == "" {
		cause, why = CauseIgnored, fmt.Sprintf("The session ended its turn without the Agent "+
			"call for %s, although it was asked again", s.Run.Own.UnderWay())
	}
	out := e.pause(s, k, cause, why)
	out.Reply.AtStop = true
	return out
}

// duplicate reports whether another registration of the hooks has already answered this Stop,
// because a Stop of this turn was blocked after this hook began. A block far in the future comes
// from a clock that has since been set back.
func (e TurnEnd) duplicate(b *Budget) bool {
	ahead := b.Blocks.At.Sub(e.Began)
	return e.First && e.Prompt != "" && b.Blocks.PromptID == e.Prompt &&
		len(b.Blocks.Reasons) > 0 && ahead > 0 && ahead < time.Minute
}

// closeOwn ends the iteration when its own turn ends and no fact, answer or report is missing.
func (e TurnEnd) closeOwn(s State, k *Known, crons []Scheduled) Outcome {
	k.wantClose(s)
	k.wantIf(s.Tick.Draining, &k.Marked)
	if judged := s.Tick.Attempt != nil && s.Tick.Attempt.Judged != nil; judged &&
		!s.Tick.Halting() && s.Tick.Failed == "" {
		s.measure(k)
	}
	k.Require()
	if s.Tick.Draining && *k.Marked.Value { // Esc in a turn started by a worker's end
		s.Tick.Interrupt(ByEsc)
	}
	for _, pr := range k.Around.Value.PRs {
		s.Tick.settle(pr.PR, pr.InFork)
	}
	if s.Tick.Starts.Opened > 0 {
		s.Tick.opened(k.Around.Value.Opened)
	}
	s.catchUp(e.Now, k)
	if ask := e.owed(s, k); ask != nil {
		return Outcome{Save: Save{Run: s.Run, Tick: s.Tick}, Reply: Reply{Continue: ask}}
	}
	return e.closeNow(s, k, crons)
}

// owed returns the reason to block the Stop, or nil. The reason is a missing answer from a person
// or a missing report from the skill.
func (e TurnEnd) owed(s State, k *Known) *Continue {
	tick := s.Tick
	f := s.spent(e.Now, k)
	if tick.Halting() || tick.Failed != "" ||
		f.Run.overspent(f.Run.DollarsEstimate, *k.Overrun.Value) {
		return nil
	}
	judged := tick.Attempt != nil && tick.Attempt.Judged != nil
	asks := tick.Started && len(tick.Pending) == 0 && (len(tick.Report.Failures) > 0 || judged)
	// if an exit condition already holds, there is no need to ask a person what comes next
	if asks && len(evaluate(f, Exit)) == 0 {
		f = Look(s.Run, tick, *k.Previous.Value, e.Now)
		f.Redact = k.Redact
		tick.Pending = Due(f, Exit)
		tick.applyOfflineAnswers(s.Run, e.Now)
	}
	var ask *Continue
	if len(tick.Pending) > 0 && e.Attended && !tick.Kept() {
		ask = &Continue{Name: "gate:" + tick.Pending[0].Name, Gates: tick.Pending}
	} else if owes := s.Run.Kind().Owes; owes != nil && len(tick.Pending) == 0 && tick.Started {
		ask = owes(s)
	}
	if ask != nil && e.hold(s.Run, ask.Name) {
		return ask
	}
	return nil
}

// orderHold is the only reason that hold may use more than once for the same prompt.
const orderHold = "order"

// hold counts a block of this prompt. It returns false if the prompt was already blocked for this
// reason, or too often.
func (e TurnEnd) hold(run *Budget, reason string) bool {
	b := &run.Blocks
	if b.PromptID != e.Prompt {
		*b = Blocks{PromptID: e.Prompt}
	}
	most := max(2, run.Kind().MaxHolds)
	again := reason != orderHold && slices.Contains(b.Reasons, reason)
	if len(b.Reasons) >= most || again {
		return false
	}
	b.Reasons, b.At = append(slices.Clone(b.Reasons), reason), e.Wall
	return true
}

// closeNow closes the iteration. It blocks the Stop once more if the run ended but is still
// scheduled, if a conductor has to start the next attempt, or if nothing else starts the next tick.
func (e TurnEnd) closeNow(s State, k *Known, crons []Scheduled) Outcome {
	looped := len(crons) > 0 && (s.Run.Own == nil || s.Run.Drive() == "")
	s.Run.UnderLoop = s.Run.UnderLoop || k.Around.Value.UnderLoop || looped
	// a pending question has been asked once but not answered
	pause := !s.Tick.Halting() && s.Tick.Failed == "" && len(s.Tick.Pending) > 0
	k.wantIf(s.Tick.Interrupted != "" && s.Tick.Started, &k.Begun)
	k.Require()
	ending := s.ending(e.Now, k)
	if ending.Pause = pause; pause {
		ending.Unanswered = s.Tick.unanswered(e.Attended, e.DontAsk)
	}
	out := s.close(ending, k)
	out.Reply.AtStop = true
	after := &out.Save.Close.Budget
	active := after.Status == Active
	switch {
	case after.overspent(after.DollarsEstimate, *k.Overrun.Value): // any call would be refused
	case !active && len(crons) > 0 && e.hold(after, "unschedule"):
		out.Reply.Continue = &Continue{Name: "unschedule", Schedule: crons}
	case active && after.Own != nil && after.Conducted():
		// Each close asks for the next attempt once, however long the turn is.
		after.Blocks = Blocks{PromptID: e.Prompt, Reasons: []string{"next"}, At: e.Wall}
		out.Reply.Continue = &Continue{Name: "next", Text: after.Order(), Until: after.RetryAt}
	case active && after.UnderLoop && len(crons) == 0 && e.hold(after, "wake"):
		out.Reply.Continue = &Continue{Name: "wake"}
	}
	return out
}

// claimUnanswered ends a turn that asked to force another session's lock but got no answer from the
// person. It requests the answer once. After that it drops the claim, and the next tick asks again.
func (e TurnEnd) claimUnanswered(c *Claim) Outcome {
	own := c.PromptID == e.Prompt
	switch {
	case c.Blocked && own && e.First: // another registration of the hooks answered this Stop
		return Outcome{}
	case c.Blocked || !own || !e.Attended:
		var out Outcome
		out.Save.leave(c, e.Session)
		return out
	}
	c.Blocked = true
	ask := &Continue{Name: "gate:" + c.Gate.Name, Gates: []Gate{*c.Gate}}
	return Outcome{Save: Save{Claim: c}, Reply: Reply{Continue: ask}}
}

// claimStopped records the schedule of a loop that never began, and asks once to remove it (R20).
func (e TurnEnd) claimStopped(c *Claim) Outcome {
	crons := scheduledFor(c, e.Schedule)
	ask := len(crons) > 0 && !c.Blocked
	if !ask && slices.Equal(prompts(crons), c.Scheduled) {
		return Outcome{}
	}
	c.Scheduled, c.Blocked = prompts(crons), c.Blocked || ask
	out := Outcome{Save: Save{Claim: c}}
	if ask {
		out.Reply.Continue = &Continue{Name: "unschedule", Schedule: crons}
	}
	return out
}

// scheduledFor returns the scheduled prompts that would start the run or the claim.
func scheduledFor(loop interface{ Schedules(string) bool }, all []Scheduled) []Scheduled {
	return slices.DeleteFunc(slices.Clone(all), func(c Scheduled) bool {
		return !loop.Schedules(c.Prompt)
	})
}

func prompts(crons []Scheduled) (list []string) {
	for _, c := range crons {
		list = append(list, c.Prompt)
	}
	return list
}

// noteSchedule records the session's schedule for the run, and reports whether it has changed.
func (b *Budget) noteSchedule(crons []Scheduled) (news bool) {
	list, first := append([]string{}, prompts(crons)...), time.Time{}
	for _, c := range crons {
		if first.IsZero() || !c.Next.IsZero() && c.Next.Before(first) {
			first = c.Next
		}
	}
	news = !slices.Equal(b.Scheduled, list) || !b.NextTick.Equal(first)
	b.Scheduled, b.NextTick = list, first
	return news
}

// unanswered explains to a person why a pending question was not answered. barred means that the
// permission mode allows no dialog.
func (t *Tick) unanswered(attended, barred bool) string {
	shown := func(d Dialog) bool { return !d.Forged && len(d.Shown) > 0 }
	switch {
	case t.Kept():
		return "a person answered hold"
	case !attended:
		return "no one can answer it in a headless session"
	case barred:
		return "the permission rules do not allow the dialog (AskUserQuestion)"
	case slices.ContainsFunc(t.Dialogs, shown):
		return "its dialog was opened, but returned no answer"
	}
	return "the model was told to ask the person, but did not"
}

// attempt judges the open attempt when its turn ends. decided is false if the iteration may end.
func (e TurnEnd) attempt(s State, k *Known) (out Outcome, decided bool) {
	if !s.works() {
		return Outcome{}, false
	}
	a := s.Tick.Attempt
	switch {
	case s.Run.Driven():
	case !a.Sent && s.Run.Conducted():
		s.measure(k)
		return e.orderAgain(s, k), true
	default: // the worker's own end is judged
		return Outcome{}, false
	}
	k.Require(&k.Worker)
	if a.Sent = true; k.Worker.Value.Fresh {
		a.Fresh = "session " + e.Session
	}
	if a.Stale = a.Stale || !k.Worker.Value.Fresh; a.Stale { // its claims do not count
		return Outcome{}, false
	}
	hold := s.judged(k)
	if hold == nil || s.spends(k) {
		return Outcome{}, false
	}
	return Outcome{Save: Save{Run: s.Run, Tick: s.Tick}, Reply: Reply{Continue: hold}}, true
}
