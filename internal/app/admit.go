package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// settle tries until the request is settled. The state's lock is held while the state is read and
// changed, never while waiting for another iteration or for the tracker.
func (e *entry) settle() (event.Reply, error) {
	deadline := time.Now().Add(cmp.Or(e.Wait, 45*time.Second))
	for {
		var reply event.Reply
		var o loop.Outcome
		err := e.withStateLock(func() (err error) {
			reply, o, err = e.try()
			return err
		})
		switch {
		case err != nil:
			return reply, err
		case o.Need != nil:
			e.lookUp()
		case !o.Wait:
			return reply, nil
		case time.Now().After(deadline):
			return event.Block("Still waiting for the previous iteration to end — invoke again"),
				nil
		default:
			time.Sleep(200 * time.Millisecond)
			e.asks.Now = e.App.now()
		}
	}
}

// maxTries bounds how often a request is tried again while the state's lock is held.
const maxTries = 8

// try steps by the state on disk, again after it closed a tick or lost a race for the lock, and
// carries the outcome out.
func (e *entry) try() (reply event.Reply, o loop.Outcome, err error) {
	for range maxTries {
		if err = e.load(); err != nil {
			return reply, o, err
		}
		o, err = e.resolve(e.loopState, e.asks, &e.known)
		if err == nil && o.Need == nil {
			reply, err = e.carry(&o)
		}
		if err != nil || !o.Again {
			return reply, o, err
		}
		e.asks.Cleared = e.asks.Answers != nil
	}
	text := "The lock is changing hands right now — invoke again"
	return event.Block(text), loop.Outcome{}, nil
}

// carry carries the outcome of a try out.
func (e *entry) carry(o *loop.Outcome) (event.Reply, error) {
	if o.Save.Enter != nil {
		return e.begin(o)
	}
	if o.Reply.Fires {
		o.Reply.Refuse += "\nhint: " + stillFires
	}
	if o.Reply.Refuse != "" {
		o.Reply.Refuse = e.withBefore(o.Reply.Refuse)
	}
	reply, err := e.carryOut(e.loopState, *o)
	if err == nil && o.Reply.Note != "" {
		e.notes = append(e.notes, o.Reply.Note)
	}
	if err == nil && o.Abandon {
		err = e.closeFirst()
	}
	return reply, err
}

// withBefore adds the iteration that this entry found abandoned to a text.
func (e *entry) withBefore(text string) string {
	return strings.TrimSpace(strings.Join(slices.Concat(e.notes, []string{text, e.before, e.final}),
		"\n"))
}

// closeFirst ends the tick that never reached its end.
func (e *entry) closeFirst() error {
	t := &loopState{e.State}
	if t.Budget == nil || t.Budget.RunID != t.Tick.RunID { // of a run with another budget file
		s, err := e.tx.Find(t.Skill, t.Tick.RunID)
		if err != nil {
			return err
		}
		if s.Budget == nil {
			s.Tick = t.Tick
		}
		t.State = s
	}
	o, err := e.resolve(t, loop.Abandoned{Turn: e.turn()}, &loop.Known{})
	if err == nil {
		err = e.write(t, o.Save)
	}
	c := o.Save.Close
	if err != nil || c == nil {
		return err
	}
	for _, n := range o.Notify {
		e.notice(t, n)
	}
	e.before, e.final = report.Status(&c.Line, report.Wake(c.Run())), ""
	if c.Run().Status != loop.Active {
		e.final = e.finalReport(t)
	} else {
		e.notes = append(e.notes, fmt.Sprintf("Iteration %d never reached its end and is closed "+
			"as %s", c.Line.Iteration, c.Line.Outcome))
	}
	return nil
}

// load reads the state; another budget file is another run. What was looked up for the beginning
// stays known.
func (e *entry) load() error {
	if err := e.archiveLost(); err != nil {
		return err
	}
	s, err := e.tx.RecoverFrom(e.Skill, e.asks.Path)
	if e.asks.Typed() && e.takesOver(err) {
		s, err = e.tx.RecoverFrom(e.Skill, e.asks.Path)
	}
	e.notes = append(e.notes, e.healed()...)
	if b := s.Budget; err == nil && b != nil && e.asks.NeedsSeal(b, proc.Of(b.Owner)) {
		err = e.files.CheckSealed(b)
	}
	if err == nil {
		t := &loopState{s}
		_, err = e.stopMarked(t)
		s = t.State
	}
	if err == nil && s.Tick == nil { // a record knows its own run's alone
		s.Tick, err = e.files.OpenTick(e.Skill)
	}
	// the budget file is gone: the last history line is what is left
	if err == nil && s.Budget == nil && e.asks.Flags.Resume {
		var last *loop.Iteration
		if last, err = e.resumable(); last != nil {
			s.Budget, err = e.files.BudgetOf(last)
		}
	}
	if e.State = s; e.asks.Answers == nil { // else a person has just spoken
		e.asks.Scheduled = e.isScheduled()
	}
	e.known = loop.Known{Entry: e.known.Entry}
	return err
}

// resumable is the last line of the run that kept its budget in the missing file, else of one
// that has no budget anywhere; nil without one. A run whose budget is in another file is resumed
// there, so that no second copy goes stale.
func (e *entry) resumable() (*loop.Iteration, error) {
	skill := e.Skill
	last, err := e.files.Last(skill, func(l *loop.Iteration) bool {
		return l.Ran() && l.Budget.KeptIn(e.asks.Flags.BudgetFile)
	})
	if err == nil && last == nil {
		last, err = e.files.Last(skill, (*loop.Iteration).Ran)
	}
	if err != nil || last == nil {
		return nil, err
	}
	elsewhere, err := e.tx.Find(skill, last.RunID)
	if err != nil || elsewhere.Budget != nil && last.RunID != "" {
		return nil, err
	}
	return last, nil
}

// standing looks up whether the processes that the state names still live, and the runs with other
// budget files that it names.
func (h *handler) standing(t *loopState, asks loop.Invocation) (s loop.Standing) {
	elsewhere := func(run string) *loop.Budget {
		if t.Budget != nil && t.Budget.RunID == run {
			return nil
		}
		other, err := h.tx.Find(t.Skill, run)
		if err != nil {
			return nil
		}
		return other.Budget
	}
	if s.Lock = t.Lock; s.Lock != nil {
		s.LockIs, s.Holder = proc.Of(s.Lock.Process), elsewhere(s.Lock.RunID)
	}
	if t.Budget != nil {
		s.OwnerIs = proc.Of(t.Budget.Owner)
	}
	if t.Tick != nil {
		if s.TickRun = elsewhere(t.Tick.RunID); s.TickRun != nil {
			s.TickOwnerIs = proc.Of(s.TickRun.Owner)
		}
	}
	if asks.Model || asks.Scheduled {
		if r, err := h.files.LoadRun(t.Skill); err == nil {
			s.Recorded = loop.RunFile{Run: r.Budget, Path: r.BudgetPath}
		}
	}
	return s
}

// isScheduled reports whether no person typed this prompt.
func (e *entry) isScheduled() bool {
	fired := e.origin == "" && e.ev.Prompt != "" &&
		usage.ScheduledFire(e.ev.Transcript, e.ev.Prompt)
	return e.asks.FromSchedule(e.values(), e.origin, fired)
}
