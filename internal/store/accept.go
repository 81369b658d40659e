package store

import (
	"errors"
	"strings"

	"hooks/internal/loop"
)

// Accepted is what a person took over: what differed, and the texts of two files before and after.
type Accepted struct {
	Changes      []string
	Budget, Tick [2]string
}

// Accept takes a run's files over as they are, on a person's word, and returns what differed. It
// returns nothing where they are as the program wrote them, and takes over nothing that cannot be
// read.
//
// A session whose client is alive stays shut until the person's next prompt in it.
func (s *Store) Accept(
	skill loop.Skill, alive func(*loop.Budget) bool,
) (accepted []Accepted, err error) {
	runs, err := s.sealedRuns(skill)
	if err != nil {
		return nil, err
	}
	if accepted, err = s.acceptLost(skill, alive); err != nil || len(accepted) > 0 {
		return accepted, err
	}
	for _, run := range runs {
		f := s.found(run)
		changes := s.changes(run, f)
		if err := s.verifyLine(run); err != nil {
			changes = append(changes, s.disk.path(historyName(skill))+" was changed")
		}
		if lost, changed := errors.AsType[*ChangedError](s.verifyFindings(run)); changed {
			changes = append(changes, lost.Changes...)
		}
		if len(changes) == 0 {
			continue
		}
		err := s.acceptable(run, f)
		if err == nil {
			err = s.acceptFindings(run, &f)
		}
		if err != nil {
			return accepted, err
		}
		a := Accepted{
			Changes: changes,
			Budget:  [2]string{run.State.Budget, f.files.Budget},
			Tick:    [2]string{run.State.Tick, f.files.Tick},
		}
		f.files.Line = ""
		s.hold(run, forAccept, alive)
		run.State, run.Next, run.Told = f.files, nil, false
		run.Unlocked = run.Unlocked || !f.locked
		run.record.Boot = s.boot()
		if err := s.seals.Save(run.record); err != nil {
			return accepted, err
		}
		accepted = append(accepted, a)
	}
	return accepted, nil
}

// acceptLost seals a run as it is whose record is gone.
func (s *Store) acceptLost(
	skill loop.Skill, alive func(*loop.Budget) bool,
) ([]Accepted, error) {
	st, err := s.LoadRun(skill)
	if err != nil {
		return nil, err
	}
	err = s.CheckSealed(st.Budget)
	lost, isLost := errors.AsType[*ChangedError](err)
	if !isLost {
		return nil, err
	}
	run, err := s.sealAgain(st)
	if err != nil {
		return nil, err
	}
	s.hold(run, forAccept, alive)
	return []Accepted{{Changes: lost.Changes}}, s.seals.Save(run.record)
}

// sealAgain is a run as it is, in a record that is not saved yet.
func (s *Store) sealAgain(st State) (sealed, error) {
	r, err := s.recordFor(st.Budget.SessionID)
	if err != nil {
		return sealed{}, err
	}
	run := s.seal(r, st.Budget, st.BudgetPath)
	run.Unlocked = !s.found(run).locked
	return run, nil
}

// acceptable returns why a run's files cannot be taken over as they are.
func (s *Store) acceptable(run sealed, f found) error {
	st, err := f.state(s, run)
	switch {
	case len(f.errs) > 0:
		return damage(Dir, "%s", strings.Join(f.errs, "; "))
	case err != nil:
		return err
	case st.Budget == nil:
		return damage(run.Budget, "it is missing, so there is nothing to take over")
	case st.Budget.RunID != run.RunID:
		return damage(run.Budget, "it is another run's")
	}
	return nil
}
