package app

import (
	"errors"
	"slices"

	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// load reads the state; another budget file is another run. What was looked up for the beginning
// stays known.
func (e *entry) load() error {
	s, err := e.files.RecoverFrom(e.skill, e.asks.Path)
	if err == nil {
		err = e.sealLost(s.Budget)
	}
	if changed, ok := errors.AsType[*store.ChangedError](err); ok {
		s, err = e.loadChanged(changed)
	}
	if err == nil && s.Tick == nil { // a record knows its own run's alone
		s.Tick, err = e.files.OpenTick(e.skill)
	}
	// the budget file is gone: the last history line is what is left
	if err == nil && s.Budget == nil && e.asks.Flags.Resume {
		var last *loop.Iteration
		if last, err = e.resumable(); last != nil {
			s.Budget = &last.Budget
		}
	}
	if e.State = s; e.asks.Answers == nil { // else a person has just spoken
		e.asks.Scheduled = e.scheduled()
	}
	e.known = loop.Known{Has: e.known.Has & loop.NeedAnyEntry, Entry: e.known.Entry}
	return err
}

// resumable is the last line of the run that kept its budget in the missing file, else of one
// that has no budget anywhere; nil without one. A run whose budget is in another file is resumed
// there, so that no second copy goes stale.
func (e *entry) resumable() (*loop.Iteration, error) {
	skill := e.skill
	last, err := e.files.Last(skill, func(l *loop.Iteration) bool {
		return l.Ran() && l.Budget.KeptIn(e.asks.Flags.BudgetFile)
	})
	if err == nil && last == nil {
		last, err = e.files.Last(skill, (*loop.Iteration).Ran)
	}
	if err != nil || last == nil {
		return nil, err
	}
	elsewhere, err := e.files.FindRun(skill, last.RunID)
	if err != nil || elsewhere.Budget != nil && last.RunID != "" {
		return nil, err
	}
	return last, nil
}

// sealLost refuses a run of this session, or of a client that lives, whose seal was taken away:
// a new seal would believe whatever is in its files now. Any other run may come from a machine
// whose seal is not here.
func (e *entry) sealLost(b *loop.Budget) error {
	if b == nil || b.SessionID != e.asks.SessionID && proc.Of(b.Owner) != loop.Alive {
		return nil
	}
	return e.files.CheckSealed(b)
}

// standing looks up whether the processes that the state names still live, and the runs with other
// budget files that it names.
func (h *handler) standing(t *loopState, asks loop.Invocation) (s loop.Standing) {
	elsewhere := func(run string) *loop.Budget {
		if t.Budget != nil && t.Budget.RunID == run {
			return nil
		}
		other, err := h.files.FindRun(t.skill, run)
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
		if r, err := h.files.LoadRun(t.skill); err == nil {
			s.Recorded = loop.RunFile{Run: r.Budget, Path: r.BudgetPath}
		}
	}
	return s
}

// scheduled reports whether no person typed this prompt: by the client's own word in the
// transcript, by its line for a fired schedule, or because the same command was scheduled at the
// last Stop.
func (e *entry) scheduled() bool {
	switch e.origin {
	case "":
	case "human", "sdk":
		return false
	default:
		return true
	}
	if e.ev.Prompt != "" && usage.ScheduledFire(e.ev.Transcript, e.ev.Prompt) {
		return true
	}
	var prompts []string
	if b := e.Budget; b != nil && b.OwnedBy(e.asks.Request) {
		prompts = b.Scheduled
	}
	if c := e.Claim; c != nil && c.Stopped && c.SessionID == e.asks.SessionID {
		prompts = append(slices.Clone(prompts), c.Scheduled...)
	}
	return slices.ContainsFunc(prompts, func(prompt string) bool {
		c, ok := loop.ParsePrompt(prompt, loop.Namespace(e.asks.Command.Name))
		return ok && c == e.asks.Command
	})
}
