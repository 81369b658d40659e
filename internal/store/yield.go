package store

import (
	"errors"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Yield ends a recorded run whose files now belong to another state directory, and archives its
// record. If the other directory continues the same run, each counter of the restored budget is
// the larger of the two, so that editing the file gains nothing. The caller holds the guard.
func (s *Store) Yield(skill loop.Skill, path string) error {
	run, known, err := s.recordAt(skill, path)
	if !known || err != nil {
		return err
	}
	there, err := s.loadBudget(skill, path)
	if err != nil {
		return err
	}
	own, err := s.sealedBudget(run)
	if err == nil && own != nil && there != nil && there.RunID == own.RunID {
		err = s.overwrite(path, own.With(there))
	} else if err == nil {
		err = s.archiveRecord(run)
	}
	if err != nil {
		return err
	}
	run.record.Drop(run.Skill)
	return s.seals.Save(run.record)
}

// archiveRecord archives the recorded texts of a run.
func (s *Store) archiveRecord(run sealed) error {
	to, err := s.archiveFolder(seal.FileName(run.RunID))
	if err != nil {
		return err
	}
	defer to.root.Close()
	return errors.Join(s.keepSealed(to, run), s.settle())
}

// overwrite replaces a budget file, even if it belongs to another run. It does not update the
// record.
func (s *Store) overwrite(path string, b *loop.Budget) error {
	at, err := s.place(b.Skill, path)
	if err != nil {
		return err
	}
	text, err := budgetFile(at, b, nil)
	if err == nil {
		err = s.batch(func() error { return at.disk.replace(at.name, text) })
	}
	return err
}
