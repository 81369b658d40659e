package app

import (
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// locked are the facts that are fetched with the state's lock only. All others are fetched before:
// they may ask git and the tracker.
const locked = loop.NeedSpent | loop.NeedAnswers | loop.NeedCalls

// step takes one event through the loops of the session: Step, what it needs, Step again, and then
// what it decided. Without a loop that the event concerns, nothing is locked.
func (v *visit) step(e loop.Event) (event.Reply, error) {
	return v.stepEach(every, func(*thread) loop.Event { return e })
}

// stepOne is step for one of the loops.
func (v *visit) stepOne(t *thread, e loop.Event) (event.Reply, error) {
	own := func(list []*thread) []*thread {
		return only(list, func(o *thread) bool { return o.skill == t.skill })
	}
	return v.stepEach(own, func(*thread) loop.Event { return e })
}

func every(list []*thread) []*thread { return list }

// stepEach is step for some of the loops, each with an event of its own.
func (v *visit) stepEach(
	pick func([]*thread) []*thread, eventOf func(*thread) loop.Event,
) (event.Reply, error) {
	list, err := v.mine()
	if err != nil {
		return event.Nothing(), err
	}
	v.runs = list
	known := map[loop.Skill]loop.Known{}
	concerned := false
	for _, t := range pick(list) {
		k, any := v.lookAhead(t, eventOf(t))
		known[t.skill] = k
		concerned = concerned || any
	}
	if !concerned {
		v.settled = true
		return event.Nothing(), nil
	}
	return v.decided(func(now []*thread) (event.Reply, error) {
		v.runs, v.settled = now, true
		return v.inTurn(pick(now), func(t *thread) (event.Reply, error) {
			e := eventOf(t)
			if v.isDecided(e) {
				return event.Nothing(), nil
			}
			if !slices.ContainsFunc(list, t.sameTick) {
				return v.decide(t, e, loop.Known{})
			}
			return v.decide(t, e, known[t.skill])
		})
	})
}

// isDecided reports whether another loop of the session has decided the event already: the turn
// continues, and the next Stop ends this loop's iteration; or the call is refused, or filled in.
func (v *visit) isDecided(e loop.Event) bool {
	switch e.(type) {
	case loop.TurnEnd:
		return v.said.Blocks()
	case loop.Call:
		return v.said.Decides()
	}
	return false
}

// lookAhead steps without the state's lock, to fetch what is slow, and reports whether the event
// concerns the loop.
func (v *visit) lookAhead(t *thread, e loop.Event) (k loop.Known, concerned bool) {
	for {
		o := loop.Step(t.values(), k, e)
		need := o.Need &^ locked
		if need == 0 || v.fetch(t, e, &k, need) != nil { // with the lock the error is returned
			return k, !o.Nothing()
		}
	}
}

// decide steps until nothing is missing, and carries the outcome out. It runs with the state's lock.
func (v *visit) decide(t *thread, e loop.Event, k loop.Known) (event.Reply, error) {
	k.Redact = v.redact
	for {
		o := loop.Step(t.values(), k, e)
		if o.Need == 0 {
			return v.carryOut(t, o)
		}
		if err := v.fetch(t, e, &k, o.Need); err != nil {
			return event.Nothing(), err
		}
	}
}

// carryOut does what a Step decided, in its order: save, reply, unlock, notify. What is saved is on
// disk before the reply is printed; the lock goes after it.
func (v *visit) carryOut(t *thread, o loop.Outcome) (event.Reply, error) {
	if err := v.write(t, o.Save); err != nil {
		return event.Nothing(), err
	}
	reply := v.words(t, o.Reply)
	if o.Unlock {
		v.release(t.skill)
	}
	for _, n := range o.Notify {
		v.notice(n)
	}
	return reply, nil
}

// write saves what an event changed. The budget goes first: an answer may change it twice, but an
// answer that the tick holds is never looked at again.
func (v *visit) write(t *thread, s loop.Save) error {
	switch {
	case s.DropClaim:
		return v.dropClaim(s.Claim)
	case s.Claim != nil:
		return v.files.SaveClaim(s.Claim)
	case s.Close != nil:
		created, err := v.files.Commit(&s.Close.Line, t.BudgetPath, &s.Close.Run)
		if err != nil {
			return err
		}
		if t.Budget, t.Tick = &s.Close.Run, nil; created {
			s.Close.Line.Notes = append(s.Close.Line.Notes, createdNote(t.skill))
		}
		return nil
	}
	if s.Run != nil {
		if err := v.files.SaveBudget(t.BudgetPath, s.Run); err != nil {
			return err
		}
		t.Budget = s.Run
	}
	if s.Tick == nil {
		return nil
	}
	t.Tick = s.Tick
	return v.files.SaveTick(s.Tick)
}

// words puts a reply into words.
func (v *visit) words(t *thread, r loop.Reply) event.Reply {
	reply := event.Nothing()
	switch {
	case r.Refuse != "":
		return event.Block(r.Refuse)
	case r.Draining:
		return v.told(t, "Workers of the interrupted iteration still run; nothing new is dispatched, "+
			"the report follows when they end.")
	case r.Answers != nil:
		return reply.Context(v.afterAnswers(t, r.Answers))
	case r.Ask != nil:
		return v.askGates(t, r.Ask)
	case r.Deny != nil:
		return v.denial(r.Deny).Context(r.Context)
	case r.Closed != nil:
		reply = v.ended(t, r)
	}
	reply = reply.Context(r.Context)
	if r.Continue != nil {
		return event.Block(report.Continue(t.Budget, r.Continue)).And(reply)
	}
	return reply
}

// ended puts the end of an iteration into words: its status block, and the final report if the run
// ended with it.
func (v *visit) ended(t *thread, r loop.Reply) event.Reply {
	run, line := &r.Closed.Run, &r.Closed.Line
	text := report.Status(line, report.Wake(run))
	if r.Between {
		text = report.Notes(line.Notes)
	}
	if run.Status == loop.Active {
		return event.Nothing().Say(text)
	}
	text = strings.TrimSpace(text + "\n\n" + v.finalReport(t))
	switch {
	case r.AtStop:
		return event.Nothing().Say(text)
	case r.Wakes:
		return event.Block(text)
	}
	return v.told(t, text)
}

// redact is what the project's configuration does to texts before they are written.
func (v *visit) redact(text string) string { return v.config().Redact(text) }

// values is the loop's state as Step takes it.
func (t *thread) values() loop.State {
	return loop.State{Run: t.Budget, Tick: t.Tick, Claim: t.Claim}
}

// sameTick reports whether two views of the session's loops are of the same iteration.
func (t *thread) sameTick(o *thread) bool {
	if t.skill != o.skill || (t.Tick == nil) != (o.Tick == nil) {
		return false
	}
	return t.Tick == nil || t.Tick.RunID == o.Tick.RunID && t.Tick.Iteration == o.Tick.Iteration &&
		t.Tick.StartedAt.Equal(o.Tick.StartedAt)
}

// turn is where this event happened.
func (v *visit) turn() loop.Turn {
	return loop.Turn{
		Now: v.now, Session: v.ev.SessionID, Prompt: v.ev.PromptID, Attended: v.attended(),
	}
}

// uncounted is why a foreign iteration cannot be ended: nobody reads its transcript again.
func uncounted(session string, err error) error {
	return hint.New("try again; `hooks loop reset` in a terminal archives the run as it is",
		"count what session %s spent: %w", session, err)
}
