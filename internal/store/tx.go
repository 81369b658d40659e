package store

import (
	"context"
	"errors"
	"fmt"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Tx is one change of a project's state, while this process is the only one that changes it: Begin,
// State, Commit of what a Step decided, End.
type Tx struct{ s *Store }

// Begin makes this process the only one that changes the state, until End. It waits at most two
// seconds, less when ctx ends earlier, and then fails with ErrBusy. The kernel frees it when the
// process dies. Beginning again before End costs nothing.
//
// On a file system without locks a file in the user's state directory is locked instead, which
// keeps out the other hooks of this machine. Where that fails too Begin succeeds all the same:
// atomic replacement and the exclusive lock file still work, but two hooks in the same moment may
// then overwrite each other's counters.
func (s *Store) Begin(ctx context.Context) (*Tx, error) {
	if _, err := s.guard(ctx); err != nil {
		return nil, err
	}
	return &Tx{s}, nil
}

// End lets other processes change the state. The last End of nested ones counts.
func (tx *Tx) End() error { return tx.s.unguard() }

// State is a loop as a session has it. What a killed hook had committed is taken in first. A lock
// that cannot be read does not matter to an open iteration.
func (tx *Tx) State(session string, skill loop.Skill) (State, error) {
	st, err := tx.s.load(session, skill, true)
	if _, changed := errors.AsType[*ChangedError](err); err != nil && !changed {
		st, err = tx.s.load(session, skill, false)
	}
	if st.Lock == nil {
		st.Lock, _ = tx.s.Holder(skill)
	}
	return st, err
}

// Recover is the state of the skill's last run, whichever session has it, with what a killed hook
// had committed.
func (tx *Tx) Recover(skill loop.Skill) (State, error) { return tx.s.recover(skill) }

// RecoverFrom is Recover for the run that keeps its budget at the path, as --budget-file names it;
// empty means the default place.
func (tx *Tx) RecoverFrom(skill loop.Skill, path string) (State, error) {
	return tx.s.recoverFrom(skill, path)
}

// Commit writes what a Step decided, and makes st the loop as it is then. created reports that a
// history line is the first one of its file, which a person is told (R123, R126). After an error
// that is not ErrClosed no iteration has ended.
//
// The budget is written before the tick: an answer may change it twice, but an answer that the tick
// has is never looked at again.
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
	if err = tx.claim(st, save); err != nil {
		return created, err
	}
	if c := save.Close; c != nil {
		if created, err = tx.s.commit(&c.Line, st.BudgetPath, c.Run()); err == nil {
			st.Budget, st.Tick = c.Run(), nil
			err = tx.quiet(st, save)
		}
		return created, err
	}
	if err = tx.budget(st, save.Run); err == nil {
		err = tx.tick(st, save)
	}
	if err == nil {
		err = tx.budget(st, save.Counted)
	}
	if err == nil {
		err = tx.quiet(st, save)
	}
	return created, err
}

// quiet writes the gate of a run that has ended, or lets its session go. Its record stays, because
// a later --resume is compared with it.
func (tx *Tx) quiet(st *State, save loop.Save) error {
	if !save.Release && save.Quiet == nil {
		return nil
	}
	var text []byte
	var err error
	if st.Quiet = save.Quiet; save.Release {
		st.Quiet = nil
	} else if text, err = codec.Encode(*save.Quiet); err != nil {
		return err
	}
	return tx.s.editRecord(st.Budget.SessionID, st.Skill, func(l *seal.Loop) {
		l.On, l.Quiet = l.On && !save.Release, string(text)
	})
}

func (tx *Tx) claim(st *State, save loop.Save) error {
	if !save.DropClaim && save.Claim == nil {
		return nil
	}
	st.Claim = save.Claim
	if save.Claim == nil {
		return tx.s.dropClaim(st.Skill)
	}
	return tx.s.saveClaim(save.Claim)
}

func (tx *Tx) budget(st *State, b *loop.Budget) error {
	if b == nil {
		return nil
	}
	err := tx.s.saveBudget(st.BudgetPath, b)
	if err == nil {
		st.Budget = b
	}
	return err
}

func (tx *Tx) tick(st *State, save loop.Save) error {
	switch {
	case save.DropTick:
		st.Tick = nil
		return tx.s.dropTick(st.Skill)
	case save.Tick != nil:
		st.Tick = save.Tick
		return tx.s.saveTick(save.Tick)
	}
	return nil
}
