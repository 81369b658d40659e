package store

import (
	"errors"
	"slices"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Hold blocks the session of a run that a person is resetting, if the session's client is alive.
// The person's next prompt lifts the block: a detached process can pass for a person's terminal,
// but only a person can type a prompt in the client. The caller archives the run afterwards. Hold
// returns the session, or "" if it blocked none.
func (s *Store) Hold(
	skill loop.Skill, id string, alive func(*loop.Budget) bool,
) (session string, err error) {
	runs, _ := s.sealedRuns(skill)
	for _, run := range runs {
		b, berr := s.sealedBudget(run)
		if run.RunID != id || berr != nil || b == nil || !run.On || !alive(b) {
			continue
		}
		session = run.record.Session
		run.HeldFor = "reset"
		err = errors.Join(err, s.seals.Save(run.record))
	}
	return session, err
}

// HeldBudgets returns the budgets that a record's held runs had before they were reset.
func HeldBudgets(r *seal.Record) (list []*loop.Budget) {
	for _, l := range r.Loops {
		b, err := parse[loop.Budget](l.Budget, []byte(l.State.Budget))
		if l.HeldFor != "" && err == nil {
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

// Held returns an error if r has a run waiting for a person's prompt. r may be nil.
func Held(r *seal.Record) error {
	if r == nil {
		return nil
	}
	for _, l := range r.Loops {
		if l.HeldFor != "" {
			return &ChangedError{loop.Skill(l.Skill), r.Session, l.RunID,
				[]string{"`hooks loop reset` was typed in a terminal and " + nextPrompt}, ""}
		}
	}
	return nil
}

// nextPrompt ends the message of Held's error. Other code recognizes the error by this suffix.
const nextPrompt = "takes effect with your next prompt in the session"
