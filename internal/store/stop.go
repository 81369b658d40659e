package store

import (
	"errors"
	"io/fs"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// stopName is the mark of a run that a person stopped while nothing could be written. It is empty:
// a full disk has room for it.
func stopName(skill loop.Skill, run string) string {
	return string(skill) + "." + seal.FileName(run) + stopEnd
}

const stopEnd = ".stop"

// MarkStop leaves the mark for the next event that can end the run. Anybody may leave it: it does
// no more than `hooks loop stop`.
func (s *Store) MarkStop(b *loop.Budget) error {
	f, err := s.disk.create(stopName(b.Skill, b.RunID))
	if errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return f.Close()
}

// StopMarked reports whether a run has the mark.
func (s *Store) StopMarked(skill loop.Skill, run string) bool {
	_, err := s.disk.root.Lstat(stopName(skill, run))
	return err == nil
}

// UnmarkStop removes the mark of a run, also where somebody made a folder of it.
func (s *Store) UnmarkStop(skill loop.Skill, run string) error {
	name := stopName(skill, run)
	return s.disk.change("remove", name, func() error { return s.disk.root.RemoveAll(name) })
}
