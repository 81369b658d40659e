package store

import (
	"errors"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Fork turns the copy of another project's run into a run of its own with a new id. It has the
// copy's counters and findings, and the original's ceilings, configuration and tracker. Answers,
// the open iteration and the lock are left behind, because the original still uses them. The caller
// holds the guard.
func (s *Store) Fork(skill loop.Skill, path, id string) error {
	b, err := s.loadBudget(skill, path)
	if err != nil || b == nil {
		return err
	}
	from, old := s.seals.RecordOf(b.RunID), findingsName(b.RunID)
	if l := from.Loop(string(skill)); l != nil {
		if of, err := parse[loop.Budget](path, []byte(l.State.Budget)); err == nil {
			b = b.SetAs(of)
		}
	}
	b.RunID, b.SealedIn, b.Owner, b.OwnerLeft = id, "", loop.Process{}, true
	for i := range b.Pending {
		b.Pending[i].Answer, b.Pending[i].At = "", nil
	}
	if err := s.keepReplaced(skill, []string{tickName(skill), lockName(skill)}, nil); err != nil {
		return err
	}
	if err := s.disk.rename(old, findingsName(id)); orAbsent(err) != nil {
		return err
	}
	return s.overwrite(path, b)
}

// Yield ends a recorded run whose files another state directory has taken over, and archives its
// record. If the other one continues the same run, the recorded budget is restored with the larger
// value of each counter, so that editing the file gains nothing. The caller holds the guard.
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

// archiveRecord writes to the archive what the record holds of a run.
func (s *Store) archiveRecord(run sealed) error {
	to, err := s.archiveFolder(seal.FileName(run.RunID))
	if err != nil {
		return err
	}
	defer to.root.Close()
	return errors.Join(s.keepSealed(to, run), s.settle())
}

// overwrite replaces a budget file, even one of another run. The record is not updated.
func (s *Store) overwrite(path string, b *loop.Budget) error {
	at, err := s.place(b.Skill, path)
	if err != nil {
		return err
	}
	b.Version, b.KindRun = loop.Version, b.Stored()
	text, err := fileText(at.disk, at.name, &budgetFormat, *b, nil)
	if err == nil {
		err = s.batch(func() error { return at.disk.replace(at.name, text) })
	}
	return err
}
