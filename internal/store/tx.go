package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// Tx is a change to a project's state that excludes other processes. It consists of Begin, State,
// Commit with the result of a Step, and End.
type Tx struct{ s *Store }

// Begin makes this process the only one that changes the state until End. It waits at most two
// seconds, or until ctx ends, and then fails with ErrBusy. The kernel releases the lock when the
// process dies. Nested calls are cheap.
//
// If the file system has no locks, Begin locks a file in the user's state directory, which excludes
// the other hooks of this machine. If no lock works there either, Begin still succeeds. Then atomic
// replacement and the exclusive lock file still work, but two simultaneous hooks may overwrite each
// other's counters.
func (s *Store) Begin(ctx context.Context) (*Tx, error) {
	if s.guards == 0 {
		if err := s.take(ctx); err != nil {
			return nil, err
		}
	}
	s.guards++
	return &Tx{s}, nil
}

// End ends the change. If calls of Begin are nested, the last End releases the lock.
func (tx *Tx) End() error {
	s := tx.s
	s.guards--
	if s.guards > 0 || s.lock == nil {
		return nil
	}
	lock := s.lock
	s.lock = nil
	return lock.Unlock()
}

// State returns the session's state of a loop. It first applies a transaction that a killed hook
// committed but did not finish. An open iteration does not need its lock, so a lock that cannot be
// read is not an error.
func (tx *Tx) State(session string, skill loop.Skill) (State, error) {
	st, err := tx.s.load(session, skill, true)
	if _, changed := errors.AsType[*ChangedError](err); err != nil && !changed {
		st, err = tx.s.load(session, skill, false)
	}
	return st, err
}

// Commit saves the result of a Step and updates st to match. created is true if the history is new,
// so that the person is notified (R123, R126). If the error is ErrClosed, the iteration has still
// ended.
func (tx *Tx) Commit(st *State, save loop.Save) (created bool, err error) {
	if save.Line != nil {
		if created, err = tx.s.appendHistory(save.Line); err != nil {
			return created, err
		}
	}
	if save.Force != nil {
		if err = tx.s.Reap(st.Skill, save.Force); err != nil {
			return created, fmt.Errorf("force lock: %w", err)
		}
		st.Lock = nil
	}
	if save.DropClaim || save.Claim != nil {
		if err = tx.claim(st, save.Claim); err != nil {
			return created, err
		}
	}
	c := change{budget: save.Run, tick: save.Tick, noTick: save.DropTick}
	if save.Close != nil {
		c = change{line: save.Close, budget: &save.Close.Budget, noTick: true}
	}
	if c.budget != nil || c.tick != nil || c.noTick {
		isNew, err := tx.s.write(st.Skill, st.BudgetPath, c)
		created = created || isNew
		if err != nil {
			return created, err
		}
		st.Budget = cmp.Or(c.budget, st.Budget)
		if st.Tick = cmp.Or(c.tick, st.Tick); c.noTick {
			st.Tick = nil
		}
	}
	if save.Release || save.Quiet != nil {
		err = tx.quiet(st, save)
	}
	return created, err
}

// quiet records the gate of an ended run, or releases its session. The record stays, because a
// later --resume is compared with it.
func (tx *Tx) quiet(st *State, save loop.Save) error {
	var text []byte
	var err error
	if st.Quiet = save.Quiet; save.Release {
		st.Quiet = nil
	} else if text, err = codec.Encode(*save.Quiet); err != nil {
		return err
	}
	r, err := tx.s.own(tx.s.seals.Active(st.Budget.SessionID))
	l := r.Loop(string(st.Skill))
	if err != nil || l == nil {
		return err
	}
	l.On, l.Quiet = l.On && !save.Release, string(text)
	return tx.s.seals.Save(r)
}

// claim records that the session is waiting for a held lock. If claim is nil, it removes the file.
func (tx *Tx) claim(st *State, claim *loop.Claim) error {
	d, name := &tx.s.disk, claimName.of(st.Skill)
	if st.Claim = claim; claim == nil {
		return wrap("remove claim", errors.Join(d.remove(name), tx.s.settle()))
	}
	own := *claim
	own.Version = loop.Version
	old, err := d.read(name)
	var text []byte
	if err == nil {
		text, err = fileText(d, name, &claimFormat, own, old)
	}
	if err == nil {
		err = errors.Join(d.replace(name, text), tx.s.settle())
	}
	return wrap("save claim", err)
}
