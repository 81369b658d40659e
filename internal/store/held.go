package store

import (
	"errors"
	"slices"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// forReset is the HeldFor of a session that waits for a prompt since a reset.
const forReset = "reset"

// Hold keeps the sessions shut that have a run which a person is about to archive, while their
// client is alive: a process that let go of its parents looks like a person's terminal, but a
// prompt in the client is a person's own.
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

// sealLost puts a run whose record is gone into a record, and returns nothing for any other run.
func (s *Store) sealLost(skill loop.Skill, id string) ([]sealed, error) {
	st, err := s.LoadRun(skill)
	b := st.Budget
	if err != nil || b == nil || b.RunID != id {
		return nil, nil
	}
	switch err := s.CheckSealed(b).(type) {
	case *ChangedError:
	case nil, *CopyError:
		return nil, nil
	default:
		return nil, err
	}
	r, err := s.recordFor(b.SessionID)
	if err != nil {
		return nil, err
	}
	return []sealed{s.seal(r, b, st.BudgetPath)}, nil
}

// HeldBudgets are the budgets of a record's runs that wait for a person's prompt, as they were
// before.
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

// Lift lets go of a session that was held, at a person's prompt in it.
func Lift(dir seal.Dir, r *seal.Record) error {
	r.Loops = slices.DeleteFunc(r.Loops, func(l seal.Loop) bool { return l.HeldFor != "" })
	return dir.Save(r)
}

// Held is the error of a session that waits for a person's prompt.
func Held(r *seal.Record) error {
	for i := range r.Loops {
		if err := (sealed{&r.Loops[i], r}).held(); err != nil {
			return err
		}
	}
	return nil
}

// held is the error of a run that waits for a person's prompt; nil for any other.
func (r sealed) held() error {
	if r.HeldFor == "" {
		return nil
	}
	return r.changed("`hooks loop reset` was typed in a terminal, and " + nextPrompt)
}

// nextPrompt is when a person's reset opens a session again.
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
