package app

import (
	"errors"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
)

// loopState is one skill's run as it is on disk.
type loopState struct{ store.State }

// sessionRuns loads the session's runs, in a fixed order, once as long as nothing changes them. A
// run of another session only matters where it holds the lock.
func (h *handler) sessionRuns() ([]*loopState, error) {
	if h.loaded != nil {
		return h.loaded, nil
	}
	list, err := h.loadRuns(func(skill loop.Skill) (store.State, error) {
		return h.files.LoadSealed(h.ev.SessionID, skill)
	})
	if err == nil && h.damage == nil {
		h.loaded = list
	}
	return list, err
}

// only returns the runs that keep accepts, in their order.
func only(list []*loopState, keep func(*loopState) bool) (kept []*loopState) {
	for _, t := range list {
		if keep(t) {
			kept = append(kept, t)
		}
	}
	return kept
}

func (h *handler) loadRuns(load func(loop.Skill) (store.State, error)) ([]*loopState, error) {
	var list []*loopState
	var damage []error
	for _, skill := range h.files.Skills(h.ev.SessionID) {
		s, err := load(skill)
		if err != nil {
			damage = append(damage, err)
			continue
		}
		if t := (&loopState{s}); h.dropForeign(t) {
			if err := h.checkSender(t); err != nil {
				return nil, err
			}
			h.receive(t.Budget)
			list = append(list, t)
		}
	}
	h.damage = errors.Join(damage...)
	if len(list) > 0 { // one skill's damage does not end the other's loop
		return list, nil
	}
	return nil, h.damage
}

// dropForeign drops the state of another session and reports whether any is left. A claim
// on another session's lock gives no say in that session's run.
func (h *handler) dropForeign(t *loopState) bool {
	session := h.ev.SessionID
	run := t.Budget != nil && (t.Budget.SessionID == session || h.stopsLeft(t.Budget)) ||
		t.Tick != nil && t.Tick.SessionID == session
	if !run {
		t.Budget, t.Tick = nil, nil
	}
	if t.Claim != nil && t.Claim.SessionID != session {
		t.Claim = nil
	}
	return run || t.Claim != nil
}

// stopsLeft reports whether a person ends a run that /clear took from its session, before a tick
// brings it to this one.
func (h *handler) stopsLeft(b *loop.Budget) bool {
	return b.OwnerLeft && h.ev.StopsLoop() &&
		b.OwnedBy(loop.Request{SessionID: h.ev.SessionID, Owner: proc.Owner()})
}

// open reports whether an iteration of this session is open.
func (h *handler) open(t *loopState) bool {
	return t.Tick != nil && t.Tick.SessionID == h.ev.SessionID && t.Budget != nil
}

// ownsPrompt reports whether the event belongs to one of the prompts of an open iteration.
func (h *handler) ownsPrompt(t *loopState) bool {
	return h.open(t) && slices.Contains(t.Tick.Prompts, h.ev.PromptID)
}

// forcing reports whether a person is asked whether this session may take another's lock.
func (t *loopState) forcing() bool { return t.Claim != nil && t.Claim.Gate != nil }

// withRuns runs a change with the state's lock and the runs as they are under it.
func (h *handler) withRuns(change func([]*loopState) error) error {
	return h.withStateLock(func() error {
		list, err := h.loadRuns(func(skill loop.Skill) (store.State, error) {
			return h.tx.State(h.ev.SessionID, skill)
		})
		if err != nil {
			return err
		}
		return change(list)
	})
}

// forEachRun does something to one run after the other and joins the replies. An error in one
// loop does not stop the others; errors are joined.
func (h *handler) forEachRun(list []*loopState,
	do func(*loopState) (event.Reply, error)) (all event.Reply, err error) {
	var errs []error
	for _, t := range list {
		r, err := do(t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all, h.committed = all.And(r), h.committed.And(r)
	}
	return all, errors.Join(errs...)
}

// previous is the run's last iteration in which work was done.
func (h *handler) previous(skill loop.Skill, run *loop.Budget) (*loop.Iteration, error) {
	return h.files.Last(skill, run.Worked)
}
