package loop

import (
	"slices"
	"time"

	"hooks/internal/attempt"
)

// CutOff is the recorded cause when no event explains why the turn ended.
const CutOff = "the turn never reached its end"

// Abandoned is the event of an entry that found an open iteration left by a turn that never ended.
// If the iteration's run no longer exists, nothing is counted.
type Abandoned struct{ Turn }

func (e Abandoned) step(s State, k *Known) Outcome {
	switch {
	case s.Tick == nil:
		return Outcome{}
	case s.Run == nil:
		return Outcome{Save: Save{DropTick: true}}
	}
	return e.closeTurn(s, k)
}

// TurnFailure is a StopFailure. An API error ended the turn, and no Stop follows.
type TurnFailure struct {
	Turn
	Failure string // for example "rate_limit"
}

// step closes the iteration once its workers have ended. The iteration counts as errored, or as
// interrupted if the transcript shows that a person interrupted it. While the iteration waits for
// its workers, step ignores failures of later turns.
func (e TurnFailure) step(s State, k *Known) Outcome {
	switch {
	case !e.open(s), e.Foreign(s) && s.Tick.Draining:
		return Outcome{}
	case e.Foreign(s) && required(k, &k.Marked):
		s.Tick.Interrupt(ByEsc)
	default:
		s.Tick.Failed = attempt.APIError + e.Failure
	}
	if s.Run.Driven() && s.Tick.Interrupted == "" { // the driver knows the cause and closes it
		return Outcome{Save: Save{Tick: s.Tick}}
	}
	if len(s.Tick.Workers) > 0 {
		s.Tick.Draining = true
		return Outcome{Save: Save{Tick: s.Tick}}
	}
	s.Tick.Draining = false
	if s.Run.Conducted() && s.Tick.Interrupted == "" { // no Stop follows to send the next worker
		return e.pause(s, k, CauseOutage, s.Tick.Failed)
	}
	return e.closeTurn(s, k)
}

// SessionEnd is the client's event at the end of a session.
type SessionEnd struct {
	Turn
	Reason string // for example "clear"
}

// step closes an open iteration as interrupted. The run loses its owner but can be continued with
// --resume.
func (e SessionEnd) step(s State, k *Known) Outcome {
	open := e.open(s)
	if s.Run == nil || s.Run.SessionID != e.Session && !open {
		return Outcome{}
	}
	out := Outcome{Save: Save{Run: s.Run, Release: s.Quiet != nil}}
	switch {
	case open && s.Run.Driven(): // the driver knows why the process ended and closes it
	case open:
		s.Tick.Interrupt("the session ended (" + e.Reason + ")")
		out = e.closeTurn(s, k)
		s.Run = &out.Save.Close.Budget
	default:
		k.Require(&k.Count)
		s.outside(k)
	}
	if s.Run.SessionID == e.Session {
		s.Run.OwnerLeft = true
		if e.Reason != "clear" { // after /clear the client and its schedule continue
			s.Run.Scheduled = nil
		}
	}
	if out.Save.Close != nil {
		out.Save.Quiet, out.Save.Release = nil, s.Run.Status != Active
	}
	return out
}

// ClientStart is a SessionStart. A client begins or resumes a session, or gives it a new context.
// The caller has made sure that the event comes from the run's client or that this client is gone.
type ClientStart struct {
	Turn
	// Begins reports whether the client starts or resumes the session. If so, the session's earlier
	// client has ended, along with any background work that could have woken it.
	Begins bool
	From   *Process // the process that sent the event; nil if unknown
}

func (e ClientStart) step(s State, _ *Known) Outcome {
	if s.Quiet != nil || s.Run == nil || s.Run.SessionID != e.Session {
		return Outcome{Save: Save{Release: e.Begins && s.Quiet != nil}}
	}
	out := Outcome{}
	if e.Begins && s.Run.Jobs != nil {
		s.Run.Jobs, out.Save.Run = nil, s.Run
	}
	if by := s.Run.EventsFrom; by != nil && e.From != nil && *by != *e.From {
		s.Run.EventsFrom, out.Save.Run = e.From, s.Run
	}
	return out
}

// PersonStop is the event of `hooks loop stop` in a terminal. Session is the run's session.
type PersonStop struct {
	Turn
	How string
}

// step ends the run. A running iteration finishes the work that it dispatched and is then closed by
// its session (R43). If that session is gone, step closes the iteration.
func (e PersonStop) step(s State, k *Known) Outcome {
	if s.Run == nil || s.Run.Status == Halted {
		return Outcome{}
	}
	k.Require(&k.Owner)
	if s.Tick == nil {
		return e.haltBetween(s, k, e.How)
	}
	s.Tick.Interrupt(e.How)
	if !k.Owner.Value.Gone {
		return Outcome{Save: Save{Tick: s.Tick}}
	}
	return e.closeTurn(s, k)
}

// closeTurn ends an iteration that never reached its Stop. If no reason is recorded yet, the
// iteration becomes interrupted if the transcript has a person's interrupt mark, or else errored.
func (e Turn) closeTurn(s State, k *Known) Outcome {
	t, unexplained := s.Tick, s.Tick.Interrupted == "" && s.Tick.Failed == ""
	k.wantClose(s)
	k.wantIf(unexplained, &k.Marked)
	k.wantIf(t.Interrupted != "" && t.Started, &k.Begun)
	k.Require()
	switch {
	case unexplained && *k.Marked.Value:
		t.Interrupt(ByEsc)
	case unexplained:
		t.Failed = CutOff
	}
	if t.Interrupted != "" && t.Started {
		k.Require(&k.Begun)
	}
	t.uncount(s.Run)
	s.catchUp(e.Now, k)
	ending := s.ending(lastAlive(e.Now, t, k.Owner.Value), k)
	if k.Owner.Value.Foreign { // the changes since the crash stay visible (R138)
		ending.Heads = nil
		if previous := *k.Previous.Value; previous != nil {
			t.Report.Worktrees = slices.Concat(previous.Worktrees, t.Report.Worktrees)
		}
		ending.Worktrees = otherWorktrees(ending.Worktrees, t.Report.Worktrees)
	}
	t.Pending = nil
	return s.close(ending, k)
}

// endRun ends the open iteration, or the run between two iterations. why gives the reason in its
// field Failed, Interrupted or Fired.
func (e Turn) endRun(s State, k *Known, why Tick) Outcome {
	between := s.Tick == nil
	if between {
		s.outside(k)
		s.Tick = &Tick{
			Version: Version, RunID: s.Run.RunID, SessionID: s.Run.SessionID, Skill: s.Run.Skill,
			Iteration: s.Run.IterationsUsed + 1, StartedAt: e.Now,
			Prompts: AppendNew(nil, e.Prompt), Transcript: s.Run.Transcript(),
		}
	}
	override(&s.Tick.Failed, why.Failed)
	override(&s.Tick.Interrupted, why.Interrupted)
	s.Tick.Fired = append(s.Tick.Fired, why.Fired...)
	out := e.closeTurn(s, k)
	out.Reply.Between = between
	return out
}

// pause ends the open iteration, if there is one, and pauses the run for a cause other than a
// question. If closing the iteration halts the run, the run stays halted.
func (e Turn) pause(s State, k *Known, cause, text string) Outcome {
	out := e.endRun(s, k, Tick{Failed: text})
	if c := out.Save.Close; c != nil && c.Budget.Status == Active {
		run := &c.Budget
		run.Status, run.StopCause, run.StopText = Paused, cause, text
		run.RetryAt = time.Time{}
		c.Outcome, c.Fired = Waiting, []string{cause}
		out.Notify = []Notice{{Run: run}}
	}
	return out
}

// haltBetween ends a run between its iterations. Neither a pause nor the time since the client died
// counts towards the run's minutes (R32).
func (e Turn) haltBetween(s State, k *Known, how string) Outcome {
	if gone := required(k, &k.Owner).Gone; gone || s.Run.Status == Paused {
		s.Run.away(e.Now)
	}
	s.Tick = nil
	return e.endRun(s, k, Tick{Interrupted: how})
}

// wantClose asks for the facts needed to end any iteration.
func (k *Known) wantClose(s State) {
	k.Want(&k.Around, &k.Count, &k.Calls, &k.Model, &k.Overrun, &k.Previous, &k.Owner)
	k.wantIf(s.Tick.Unheard(s.Run), &k.Dialogs)
}

// outside adds the spending since the last iteration to the run, and marks it as added.
func (s State) outside(k *Known) {
	s.Run.spendOutside(k.spent())
	k.counted = k.Count.Value != nil
}

// spent returns the spending since the last count, or nothing if it has already been added.
func (k *Known) spent() Spent {
	if k.counted || k.Count.Value == nil {
		return Spent{}
	}
	return k.Count.Value.Spent
}

// ending returns the facts for closing the iteration. It also adds notes to the tick, and records
// in the run that it gave them.
func (s State) ending(now time.Time, k *Known) Ending {
	count := k.Count.Value
	s.Tick.Notes = AppendNew(s.Tick.Notes, count.Notes...)
	if count.Reconfigured && !s.Run.ConfigTold {
		s.Run.ConfigTold = true
		s.Tick.Notes = append(s.Tick.Notes, "The SDD Configuration has changed. This run keeps "+
			"the version with which it began; a new run or --resume reads the new version")
	}
	after := *s.Run
	after.Spend(k.spent())
	if text, _ := s.Run.meetModel(*k.Model.Value, after.DollarsEstimate); text != "" {
		s.Tick.Notes = append(s.Tick.Notes, text)
	}
	return Ending{Now: now, Spent: k.spent(), Around: *k.Around.Value, Begun: k.Begun.or()}
}

func (s State) close(e Ending, k *Known) Outcome {
	c := closeTick(s.Run, *s.Tick, *k.Previous.Value, e)
	if k.Redact != nil {
		c.Redact(k.Redact)
	}
	out := Outcome{Save: Save{Close: c}, Reply: Reply{Closed: c}, Unlock: true}
	over := c.Budget.Status != Active
	if there := s.Tick.Typed != ""; over && (there || s.Tick.Wakes != nil) {
		out.Save.Quiet = &Quiet{
			Typed: there, Free: there, Prompt: s.Tick.Typed, Refused: s.Tick.Wakes,
		}
	}
	// a person who ended the run need not be notified
	if over && c.Budget.StopCause != "user_interrupt" {
		out.Notify = []Notice{{Run: &c.Budget}}
	}
	return out
}

// lastAlive returns the end time of an iteration that never reached its Stop. This is now or, for a
// foreign iteration, the last time in its transcript, bounded by the iteration's start and now.
// Time after that does not count towards the run's minutes (R32).
func lastAlive(now time.Time, t *Tick, o *Owner) time.Time {
	switch {
	case !o.Foreign:
		return now
	case o.LastSign.Before(t.StartedAt):
		return t.StartedAt
	case o.LastSign.After(now):
		return now
	}
	return o.LastSign
}
