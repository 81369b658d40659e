package store

import (
	"errors"
	"slices"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Recover loads the state after a possible crash. The history line is the commit point of an
// iteration. So Recover replaces a budget older than its run's last line with that line's snapshot,
// removes a tick that the line closed, and restores a budget that disappeared while its run had an
// open tick. The caller must hold the guard.
func (tx *Tx) Recover(skill loop.Skill) (State, error) {
	path, err := tx.s.budgetPath(skill)
	if err != nil {
		return State{Skill: skill, BudgetPath: path}, err
	}
	return tx.RecoverFrom(skill, path)
}

// RecoverFrom is like Recover but takes the budget's path. An empty path means the default path.
//
// If the run has a record, RecoverFrom compares the files with the record instead. It returns a
// ChangedError if another program changed the files and they cannot be restored, and a CopyError if
// the run belongs to another project.
func (tx *Tx) RecoverFrom(skill loop.Skill, budgetPath string) (st State, err error) {
	s := tx.s
	own, known, err := s.recordAt(skill, budgetPath)
	switch {
	case err != nil:
		return State{Skill: skill, BudgetPath: budgetPath}, err
	case known:
		st, err = s.loadRecorded(own, true)
	default:
		st, err = s.run(skill, budgetPath)
	}
	lock, lerr := s.Holder(skill)
	st.Lock = lock
	if err = errors.Join(err, lerr); known || err != nil {
		return st, err
	}
	if err = s.checkSealed(st.Budget); errors.As(err, new(*CopyError)) {
		return st, err
	}
	current, err := s.budgetPath(skill)
	if err != nil || st.Budget == nil &&
		safefile.Absolute(s.project, st.BudgetPath) != safefile.Absolute(s.project, current) {
		return st, err // the open tick belongs to another run
	}
	err = errors.Join(s.catchUp(&st, skill), s.Findings(st.Budget))
	st.Unrecorded = s.checkSealed(st.Budget)
	return st, err
}

// catchUp applies the changes that the run's last history lines committed.
func (s *Store) catchUp(st *State, skill loop.Skill) error {
	var run string // the run whose history is read
	switch {
	case st.Budget != nil:
		run = st.Budget.RunID
	case st.Tick != nil:
		run = st.Tick.RunID
	}
	if run == "" {
		return nil
	}
	closing, newest, err := s.tail(skill, run)
	if err != nil {
		return err
	}
	return wrap("recover", s.adoptLines(st, closing, newest))
}

// tail returns two of a run's lines: closing is the last one not from a skipped tick, and newest
// has the highest seq and may be from a later skipped tick.
func (s *Store) tail(skill loop.Skill, run string) (closing, newest *loop.Iteration, err error) {
	_, err = s.Last(skill, func(it *loop.Iteration) bool {
		if it.RunID != run {
			return false
		}
		if newest == nil || it.Seq > newest.Seq {
			newest = it
		}
		if it.Outcome != loop.SkippedLock {
			closing = it
		}
		return closing != nil
	})
	return closing, newest, err
}

func (s *Store) adoptLines(st *State, closing, newest *loop.Iteration) error {
	if newest != nil && st.behind(newest) {
		b := newest.Budget
		b.RunID = newest.RunID
		b.Seq = newest.Seq // with a lower seq it would be restored again at every event
		if err := s.complete(&b, st.Budget); err != nil {
			return err
		}
		if _, err := s.write(b.Skill, st.BudgetPath, change{budget: &b}); err != nil {
			return err
		}
		st.Budget = &b
	}
	if closing != nil && st.Tick != nil && closed(st.Tick, closing) {
		if _, err := s.write(st.Tick.Skill, "", change{noTick: true}); err != nil {
			return err
		}
		st.Tick = nil
	}
	return nil
}

// BudgetOf returns the budget in a history line, including the lists that its snapshot omits.
func (s *Store) BudgetOf(it *loop.Iteration) (*loop.Budget, error) {
	b := it.Budget
	return &b, s.complete(&b, nil)
}

// complete fills in the lists that a line's snapshot omits. It takes them from older lines and then
// from before, the budget on disk (nil if missing).
func (s *Store) complete(b, before *loop.Budget) error {
	_, err := s.Last(b.Skill, func(it *loop.Iteration) bool {
		switch {
		case it.RunID != b.RunID || it.Seq > b.Seq:
			return false
		case before != nil && it.Seq <= before.Seq:
			return true
		}
		b.FillIn(&it.Budget)
		return false
	})
	if before != nil {
		b.FillIn(before)
	}
	return err
}

// behind reports whether the budget on disk lacks the changes that the line committed. A missing
// budget counts as behind only if the run is active and has an open tick, because between ticks a
// person may have deleted the budget to start a fresh run (R111).
func (st *State) behind(line *loop.Iteration) bool {
	if st.Budget == nil {
		return st.Tick != nil && line.Budget.Status == loop.Active
	}
	return line.Seq > st.Budget.Seq
}

// closed reports whether line ended tick t. The iteration number alone does not identify the tick:
// an iteration that was stopped at its gates does not count, so a resumed run opens another tick
// with the same number. The two match if they share a prompt. If neither has prompts, they match if
// the tick did not start after the line did.
func closed(t *loop.Tick, line *loop.Iteration) bool {
	if t.RunID != line.RunID || t.Iteration > line.Iteration {
		return false
	}
	named := func(id string) bool { return id != "" }
	ended := line.Budget.LastPrompts
	if !slices.ContainsFunc(t.Prompts, named) && !slices.ContainsFunc(ended, named) {
		return !t.StartedAt.After(line.StartedAt)
	}
	return slices.ContainsFunc(t.Prompts, func(id string) bool {
		return named(id) && slices.Contains(ended, id)
	})
}
