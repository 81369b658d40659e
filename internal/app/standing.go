package app

import (
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/usage"
)

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
