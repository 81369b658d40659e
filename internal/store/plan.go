package store

import (
	"errors"

	"hooks/internal/loop"
)

// planName is the text of an audit loop's plan as it was when the run began, so that a later edit
// moves no section (A9, A44).
const planName = string(loop.Audit) + ".plan.md"

// Plan is that text, nil where none was kept or it cannot be read.
func (s *Store) Plan() []byte {
	text, err := s.disk.read(planName)
	if err != nil {
		return nil
	}
	return text
}

// KeepPlan replaces it.
func (s *Store) KeepPlan(text []byte) error {
	return wrap("keep plan", errors.Join(s.disk.replace(planName, text), s.settle()))
}
