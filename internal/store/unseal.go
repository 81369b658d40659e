package store

import (
	"errors"
	"slices"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// unseal removes a run from the records while its files move to the archive.
func (s *Store) unseal(skill loop.Skill, id string, move func() error) error {
	runs, _ := s.sealedRuns(skill) // an unreadable record is skipped
	runs = slices.DeleteFunc(runs, func(r sealed) bool { return r.RunID != id })
	for _, run := range runs {
		run.Next = &seal.Files{}
		if err := s.seals.Save(run.record); err != nil {
			return err
		}
	}
	if err := errors.Join(s.within(move), s.settle()); err != nil {
		return err
	}
	for _, run := range runs {
		if run.HeldFor == "" {
			run.record.Drop(run.Skill)
		} else {
			run.State, run.Next = seal.Files{}, nil
		}
		if err := s.seals.Save(run.record); err != nil {
			return err
		}
	}
	if len(runs) == 0 || s.seals.RecordOf(id) != nil { // a copy of the project has resumed it
		return nil
	}
	return errors.Join(s.seals.DropLines(id), s.seals.DropLines(findingsCopy(id)))
}

// keepSealed puts into the archive what a record holds of files that are gone or were changed, so
// that nothing that was counted is lost. What was found instead moves there under the next free
// name.
func (s *Store) keepSealed(to *disk, run sealed) error {
	f := s.found(run)
	if text := run.State.Budget; text != "" && f.files.Budget != text {
		if err := to.keepCopy(budgetName(run.skill()), []byte(text+"\n")); err != nil {
			return err
		}
	}
	if run.State.Line == "" || s.lineEnd(run, run.State.Line) > 0 {
		return nil
	}
	lines, err := s.seals.Lines(run.RunID)
	if err != nil {
		return err
	}
	if !strings.Contains(string(lines), run.State.Line) {
		lines = append(lines, run.State.Line+"\n"...)
	}
	return to.keepCopy(historyName(run.skill()), lines)
}
