package app

import (
	"errors"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
)

// thread is one skill's run as it stands on disk.
type thread struct {
	skill loop.Skill
	store.State
}

// mine loads the runs of this session, in a fixed order. A run of another session is none of this session's business:
// it only meets the lock.
func (v *visit) mine() ([]*thread, error) {
	if v.loaded != nil {
		return v.loaded, nil
	}
	list, err := v.threads(func(skill loop.Skill) (store.State, error) {
		return v.files.LoadSealed(v.ev.SessionID, skill)
	})
	if err == nil {
		err = v.restOver(list)
	}
	if err == nil && v.damage == nil {
		v.loaded = list
	}
	return list, err
}

// only returns the threads that keep accepts, in their order.
func only(list []*thread, keep func(*thread) bool) (kept []*thread) {
	for _, t := range list {
		if keep(t) {
			kept = append(kept, t)
		}
	}
	return kept
}

func (v *visit) threads(load func(loop.Skill) (store.State, error)) ([]*thread, error) {
	var list []*thread
	var damage []error
	for _, skill := range loop.Skills() {
		s, err := load(skill)
		if err != nil {
			damage = append(damage, err)
			continue
		}
		if t := (&thread{skill, s}); v.keep(t) {
			if err := v.believeThread(t); err != nil {
				return nil, err
			}
			v.receive(t.Budget)
			list = append(list, t)
		}
	}
	v.damage = errors.Join(damage...)
	if len(list) > 0 { // one skill's damage does not end the other's loop
		return list, nil
	}
	return nil, v.damage
}

// keep leaves of a thread what is the session's, and says whether anything is. A claim on another session's lock gives
// no say in that session's run.
func (v *visit) keep(t *thread) bool {
	session := v.ev.SessionID
	run := t.Budget != nil && (t.Budget.SessionID == session || v.stopsLeft(t.Budget)) || t.Tick != nil && t.Tick.SessionID == session
	if !run {
		t.Budget, t.Tick = nil, nil
	}
	if t.Claim != nil && t.Claim.SessionID != session {
		t.Claim = nil
	}
	return run || t.Claim != nil
}

// stopsLeft: a person ends a run that /clear took from its session and that no tick has brought to this one yet.
func (v *visit) stopsLeft(b *loop.Budget) bool {
	return b.OwnerLeft && v.ev.StopsLoop() && b.OwnedBy(loop.Request{SessionID: v.ev.SessionID, Owner: proc.Owner()})
}

// open says that an iteration of this session is open.
func (v *visit) open(t *thread) bool {
	return t.Tick != nil && t.Tick.SessionID == v.ev.SessionID && t.Budget != nil
}

// ours says that the event belongs to one of the prompts of an iteration that is open.
func (v *visit) ours(t *thread) bool {
	return v.open(t) && slices.Contains(t.Tick.Prompts, v.ev.PromptID)
}

// forcing says that a person is asked whether this session may force another's lock.
func (t *thread) forcing() bool { return t.Claim != nil && t.Claim.Gate != nil }

// guarded runs change under the state's guard, with the threads loaded anew inside it.
func (v *visit) guarded(change func([]*thread) error) error {
	return v.underGuard(func() error {
		list, err := v.threads(v.recovered)
		if err != nil {
			return err
		}
		return change(list)
	})
}

// inTurn does something to one thread after the other and joins the replies. What fails for one keeps nothing from the
// other: neither its turn nor what is said of it.
func (v *visit) inTurn(list []*thread, do func(*thread) (event.Reply, error)) (all event.Reply, err error) {
	var errs []error
	for _, t := range list {
		r, err := do(t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all, v.said = all.And(r), v.said.And(r)
	}
	return all, errors.Join(errs...)
}

// decided does something to the threads under the guard, as guarded does, and gives the reply to it.
func (v *visit) decided(decide func([]*thread) (event.Reply, error)) (reply event.Reply, err error) {
	err = v.guarded(func(list []*thread) error {
		reply, err = decide(list)
		return err
	})
	return reply, err
}

// recovered takes in what a hook that was killed had committed, so that no event works on a budget without it. A lock
// that cannot be read is no business of an iteration that is open.
func (v *visit) recovered(skill loop.Skill) (store.State, error) {
	s, err := v.files.RecoverSealed(v.ev.SessionID, skill)
	if _, changed := errors.AsType[*store.ChangedError](err); err == nil || changed {
		return s, err
	}
	return v.files.LoadSealed(v.ev.SessionID, skill)
}

// previous is the run's last iteration in which work was done.
func (v *visit) previous(skill loop.Skill, run *loop.Budget) (*loop.Iteration, error) {
	return v.files.Last(skill, run.Worked)
}
