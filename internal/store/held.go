package store

import (
	"errors"
	"slices"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// forReset is the HeldFor of a run that was reset and waits for the person's prompt.
const forReset = "reset"

// Hold blocks the sessions of a run that a person resets, until the next prompt, if their client
// is alive. A detached process can pass for a person's terminal, but only a person can type a
// prompt in the client. Hold is called before the run is archived.
func (s *Store) Hold(skill loop.Skill, id string, alive func(*loop.Budget) bool) (err error) {
	runs, _ := s.sealedRuns(skill)
	runs = slices.DeleteFunc(runs, func(r sealed) bool { return r.RunID != id })
	if len(runs) == 0 {
		runs, err = s.sealLost(skill, id)
	}
	for _, run := range runs {
		b, berr := s.sealedBudget(run)
		if berr != nil || b == nil || !run.On || !alive(b) {
			continue
		}
		run.HeldFor, run.HeldBudget = forReset, run.State.Budget
		err = errors.Join(err, s.seals.Save(run.record))
	}
	return err
}

// sealLost adds a run to a record if its own record is gone. It returns nil for any other run.
func (s *Store) sealLost(skill loop.Skill, id string) ([]sealed, error) {
	st, err := s.LoadRun(skill)
	b := st.Budget
	if err != nil || b == nil || b.RunID != id {
		return nil, nil
	}
	switch err := s.checkSealed(b).(type) {
	case *ChangedError:
	case nil, *CopyError:
		return nil, nil
	default:
		return nil, err
	}
	run, _, err := s.recordOf(b, st.BudgetPath, false)
	if err != nil {
		return nil, err
	}
	return []sealed{run}, nil
}

// HeldBudgets returns the budgets that a record's held runs had before they were reset.
func HeldBudgets(r *seal.Record) (list []*loop.Budget) {
	for _, l := range r.Loops {
		if l.HeldFor == "" || l.HeldBudget == "" {
			continue
		}
		if b, err := parse[loop.Budget](l.Budget, []byte(l.HeldBudget)); err == nil {
			list = append(list, b)
		}
	}
	return list
}

// Lift removes the held runs from a record after a person's prompt.
func Lift(dir seal.Dir, r *seal.Record) error {
	r.Loops = slices.DeleteFunc(r.Loops, func(l seal.Loop) bool { return l.HeldFor != "" })
	return dir.Save(r)
}

// Held returns an error if a run of the record waits for a person's prompt.
func Held(r *seal.Record) error {
	for i := range r.Loops {
		if err := (sealed{&r.Loops[i], r}).held(); err != nil {
			return err
		}
	}
	return nil
}

// held returns an error if the run waits for a person's prompt.
func (r sealed) held() error {
	if r.HeldFor == "" {
		return nil
	}
	return &ChangedError{loop.Skill(r.Skill), r.record.Session, r.RunID,
		[]string{"`hooks loop reset` was typed in a terminal, and " + nextPrompt}, ""}
}

// nextPrompt is the hint that a reset takes effect in a session with the person's next prompt.
const nextPrompt = "takes effect with your next prompt in the session"

// HeldIn returns the session that has been waiting for a person's prompt since a reset, or "" if no
// session is waiting.
func (s *Store) HeldIn(skill loop.Skill) string {
	runs, _ := s.sealedRuns(skill)
	for _, run := range runs {
		if run.HeldFor != "" {
			return run.record.Session
		}
	}
	return ""
}
