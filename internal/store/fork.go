package store

import (
	"errors"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Fork turns a copy of another project's run into a separate run with a new id. It keeps the copy's
// counters and findings, and takes the ceilings, the configuration and the tracker from the
// original's record. It drops the copied answers, open iteration and lock, because they belong to
// the original. The caller must hold the guard.
func (s *Store) Fork(skill loop.Skill, path, id string) error {
	b, err := s.loadBudget(skill, path)
	if err != nil || b == nil {
		return err
	}
	old := findingsName(skill, b.RunID)
	if l := s.seals.RecordOf(b.RunID).Loop(string(skill)); l != nil {
		original, err := parse[loop.Budget](path, []byte(l.State.Budget))
		if err != nil {
			return err
		}
		b = b.SetAs(original)
	}
	b.RunID, b.SealedIn, b.Owner, b.OwnerLeft = id, "", loop.Process{}, true
	for i := range b.Pending {
		b.Pending[i].Answer, b.Pending[i].At = "", nil
	}
	if err := s.keepReplaced(tickName.of(skill), lockName.of(skill)); err != nil {
		return err
	}
	if err := s.disk.rename(old, findingsName(skill, id)); orAbsent(err) != nil {
		return err
	}
	return s.overwrite(path, b)
}

// Yield drops the record of a run whose files now belong to another state directory. If they still
// belong to the same run, each counter in the budget becomes the larger of the file's and the
// record's, so that editing the file cannot lower it. Otherwise Yield archives the recorded budget
// and lines. The caller must hold the guard.
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

// archiveRecord archives a run's recorded budget and lines if the files on disk lack them, so that
// no counted work is lost. Archive moves the changed files themselves, under the next free name.
func (s *Store) archiveRecord(run sealed) error {
	to, err := s.archiveFolder(seal.FileName(run.RunID))
	if err != nil {
		return err
	}
	defer to.root.Close()
	if text := run.State.Budget; text != "" && s.found(run).budget.text != text {
		err = to.keepCopy(budgetName.of(loop.Skill(run.Skill)), []byte(text+"\n"))
	}
	last := run.State.Line
	if err == nil && last != "" && s.newest(run) != last {
		var lines []byte
		if lines, err = s.ownLines(run, last); err == nil {
			err = to.keepCopy(historyName.of(loop.Skill(run.Skill)), lines)
		}
	}
	return errors.Join(err, s.settle())
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
		err = errors.Join(at.disk.replace(at.name, text), s.settle())
	}
	return err
}
