package store

import (
	"errors"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// unseal removes a run from the records while its files move to the archive.
func (s *Store) unseal(skill loop.Skill, id string, move func() error) error {
	runs, _ := s.sealedRuns(skill) // an unreadable record is skipped
	for _, run := range runs {
		next := run.State
		next.Line, next.History = "", 0 // the history may move
		if run.RunID == id {
			next = seal.Files{}
		}
		run.Next = &next
		if err := s.seals.Save(run.record); err != nil {
			return err
		}
	}
	if err := errors.Join(s.within(move), s.settle()); err != nil {
		return err
	}
	had := false
	for _, run := range runs {
		own := run.RunID == id
		had = had || own
		switch {
		case own && run.HeldFor == "":
			run.record.Drop(run.Skill)
		case own:
			run.State, run.Next = seal.Files{}, nil
		default:
			run.State, run.Next = s.settled(run), nil
		}
		if err := s.seals.Save(run.record); err != nil {
			return err
		}
	}
	if !had || s.seals.RecordOf(id) != nil { // a copy of the project has resumed it
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
