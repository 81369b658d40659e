package app

import (
	"errors"
	"slices"

	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// load reads the state; another budget file is another run.
func (e *entry) load() (store.State, error) {
	s, err := e.files.RecoverFrom(e.req.Command.Skill, e.path)
	if err == nil {
		err = e.sealLost(s.Budget)
	}
	if changed, ok := errors.AsType[*store.ChangedError](err); ok {
		s, err = e.loadChanged(changed)
	}
	if err != nil {
		return s, err
	}
	if s.Tick == nil { // a record knows its own run's alone
		if s.Tick, err = e.files.OpenTick(e.req.Command.Skill); err != nil {
			return s, err
		}
	}
	// the budget file is gone: the last history line is what is left
	if s.Budget == nil && e.req.Flags.Resume {
		last, err := e.resumable()
		if err != nil || last == nil {
			return s, err
		}
		b := last.Budget
		s.Budget = &b
	}
	return s, nil
}

// resumable is the last line of the run that kept its budget in the missing file, else of one
// that has no budget anywhere; nil without one. A run whose budget is in another file is resumed
// there, so that no second copy goes stale.
func (e *entry) resumable() (*loop.Iteration, error) {
	skill := e.req.Command.Skill
	last, err := e.files.Last(skill, func(l *loop.Iteration) bool {
		return l.Ran() && l.Budget.KeptIn(e.req.Flags.BudgetFile)
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
	if b == nil || b.SessionID != e.req.SessionID && proc.Of(b.Owner) != loop.Alive {
		return nil
	}
	return e.files.CheckSealed(b)
}

func (e *entry) standing() loop.Standing {
	s := loop.Standing{Run: e.state.Budget, Tick: e.state.Tick, Lock: e.state.Lock,
		Claim: e.state.Claim}
	if s.Lock != nil {
		s.LockIs, s.Holder = proc.Of(s.Lock.Process), e.holder()
	}
	if s.Run != nil {
		s.OwnerIs = proc.Of(s.Run.Owner)
	}
	if t := s.Tick; t != nil && (s.Run == nil || s.Run.RunID != t.RunID) {
		other, err := e.files.FindRun(t.Skill, t.RunID)
		if err == nil && other.Budget != nil {
			s.TickRun, s.TickOwnerIs = other.Budget, proc.Of(other.Budget.Owner)
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
	if b := e.state.Budget; b != nil && b.OwnedBy(e.req) {
		prompts = b.Scheduled
	}
	if c := e.state.Claim; c != nil && c.Stopped && c.SessionID == e.req.SessionID {
		prompts = append(slices.Clone(prompts), c.Scheduled...)
	}
	return slices.ContainsFunc(prompts, func(prompt string) bool {
		c, ok := loop.ParsePrompt(prompt)
		return ok && c == e.req.Command
	})
}
