package store

import (
	"errors"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Fork makes the copy of another project's run one of its own, under a new id: with the copy's
// counters, the original's ceilings, configuration and tracker, and nothing that the original still
// has a use for: no answer, no open iteration, no lock. Its findings come along. The caller holds
// the guard.
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

// Yield ends a recorded run whose place another state directory has taken, and archives what its
// record has. Where that one continues the same run, all but the counters is the record's, and each
// counter is the larger one, so that no edit of the file gains anything. The caller holds the
// guard.
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

// archiveRecord puts into the archive what a record has of a run.
func (s *Store) archiveRecord(run sealed) error {
	to, err := s.archiveFolder(seal.FileName(run.RunID))
	if err != nil {
		return err
	}
	defer to.root.Close()
	return errors.Join(s.keepSealed(to, run), s.settle())
}

// overwrite gives a budget file another text, whichever run it was of, and no record knows of it.
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
