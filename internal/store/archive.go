package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

const archiveName = "archive"

// Archive moves an earlier run's files into archive/<run_id>/, so that a fresh run overwrites
// nothing. If a name is taken there, it adds a number. It leaves files that name another run, but
// moves damaged files. It moves a budget outside .sdd/loop only if the budget names this run. After
// a crash, a second call completes the move. The caller must hold the guard.
func (s *Store) Archive(skill loop.Skill, runID string) error {
	runs, _ := s.sealedRuns(skill) // an unreadable record is skipped
	runs = slices.DeleteFunc(runs, func(r sealed) bool { return r.RunID != runID })
	told := s.healed
	for _, run := range runs {
		_, err := s.whole(run, s.found(run))
		if err != nil {
			// keep both the changed and the recorded files
			err = s.archiveRecord(run)
		}
		if err == nil {
			run.Next = &seal.Files{}
			err = s.seals.Save(run.record)
		}
		if err != nil {
			return fmt.Errorf("archive run %s: %w", runID, err)
		}
	}
	s.healed = told
	err := s.archive(skill, runID)
	if err == nil && len(runs) > 0 {
		err = s.unseal(runs)
	}
	return wrap("archive run "+runID, err)
}

// unseal removes an archived run from its records, but keeps it in those where it is waiting for a
// person's prompt. If no record is left, it deletes the copies of the run's lines and findings.
func (s *Store) unseal(runs []sealed) error {
	for _, run := range runs {
		if run.HeldFor == "" {
			run.record.Drop(run.Skill)
		} else {
			run.Next = nil
		}
		if err := s.seals.Save(run.record); err != nil {
			return err
		}
	}
	id := runs[0].RunID
	if s.seals.RecordOf(id) != nil { // a copy of the project may have resumed it
		return nil
	}
	return errors.Join(s.seals.DropLines(id), s.seals.DropLines(findingsCopy(id)))
}

func (s *Store) archive(skill loop.Skill, runID string) error {
	to, err := s.archiveFolder(seal.FileName(runID))
	if err != nil {
		return err
	}
	defer to.root.Close()
	move := func(files ...string) error {
		for _, file := range files {
			if s.belongsToOther(skill, file, runID) {
				continue
			}
			if err := s.move(to, file); err != nil {
				return err
			}
		}
		return nil
	}
	// Move the tick first. Without a tick, recovery does not restore a missing budget.
	err = move(tickName.of(skill), claimName.of(skill), budgetName.of(skill),
		ProgressCopy.of(skill), ViewCopy.of(skill), findingsName(skill, runID))
	if err == nil {
		err = s.moveElsewhere(to, skill, runID)
	}
	if err == nil {
		err = move(historyName.of(skill))
	}
	if err != nil {
		return err
	}
	return errors.Join(to.syncDir(), s.settle())
}

// belongsToOther reports whether a file must stay because another run uses it. The history belongs
// to the run in the current budget.
func (s *Store) belongsToOther(skill loop.Skill, file, runID string) bool {
	if !strings.HasPrefix(file, string(skill)+".") {
		return true
	}
	switch file {
	case tickName.of(skill):
		t, err := s.OpenTick(skill)
		return err == nil && t != nil && t.RunID != "" && t.RunID != runID
	case budgetName.of(skill):
		return s.isOtherRun(skill, "", runID)
	case historyName.of(skill):
		path, err := s.budgetPath(skill)
		return err == nil && s.isOtherRun(skill, path, runID)
	}
	return false
}

func (s *Store) isOtherRun(skill loop.Skill, path, runID string) bool {
	b, err := s.loadBudget(skill, path)
	return err == nil && b != nil && b.RunID != "" && b.RunID != runID
}

// archiveFolder opens a folder in the archive and creates it if it is missing.
func (s *Store) archiveFolder(name string) (*disk, error) {
	archive, err := s.disk.folder(archiveName)
	if err != nil {
		return nil, err
	}
	defer archive.root.Close()
	return archive.folder(name)
}

// move renames a state file into the archive, if it exists.
func (s *Store) move(to *disk, file string) error {
	if _, err := s.disk.root.Lstat(file); err != nil {
		return orAbsent(err)
	}
	name, err := to.free(numberedName(file))
	if err != nil {
		return err
	}
	to.dirty = true
	return s.disk.rename(file, strings.TrimPrefix(to.path(name), Dir+"/"))
}

// numberedName returns a function that numbers a file name: work.tick.json, work-2.tick.json and so
// on.
func numberedName(file string) func(int) string {
	skill, rest, _ := strings.Cut(file, ".")
	return func(n int) string {
		if n == 1 {
			return file
		}
		return fmt.Sprintf("%s-%d.%s", skill, n, rest)
	}
}

// moveElsewhere moves a run's budget from its --budget-file path into the archive, and removes the
// pointer to it. It leaves another run's budget and its pointer in place, and any other file at
// that path, which may belong to someone else. It moves an unusable pointer into the archive.
func (s *Store) moveElsewhere(to *disk, skill loop.Skill, runID string) error {
	path, err := s.budgetPath(skill)
	var at place
	if err == nil {
		at, err = s.place(skill, path)
	}
	pointer := pointerName.of(skill)
	switch {
	case isDamaged(err), errors.Is(err, errTaken):
		return s.move(to, pointer)
	case at.own, errors.Is(err, fs.ErrNotExist):
		return s.disk.remove(pointer)
	case err != nil:
		return err
	}
	body, err := at.disk.read(at.name)
	if err != nil {
		return err
	}
	switch b, err := decodeBudget(path, skill, body); {
	case body == nil, err != nil:
		return s.disk.remove(pointer)
	case b.RunID != runID:
		return nil
	}
	if err := to.keepCopy(budgetName.of(skill), body); err != nil {
		return err
	}
	return errors.Join(at.disk.remove(at.name), at.disk.syncDir(), s.disk.remove(pointer))
}

// keepCopy writes a file to the archive, under a numbered name if necessary. It does nothing if the
// archive already has the file with the same contents.
func (d *disk) keepCopy(file string, text []byte) error {
	if done, err := d.read(file); err == nil && bytes.Equal(done, text) {
		return nil
	}
	name, err := d.free(numberedName(file))
	if err != nil {
		return err
	}
	return errors.Join(d.replace(name, text), d.syncDir())
}

// Archives returns the sorted names of the archived runs' folders. A folder is named after its run.
func (s *Store) Archives() (names []string, err error) {
	entries, err := fs.ReadDir(s.disk.root.FS(), archiveName)
	if orAbsent(err) != nil {
		return nil, fmt.Errorf("list archive: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != replacedName {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Archived opens the archived run in the named folder for reading.
func (s *Store) Archived(name string) (*Store, error) {
	root, err := s.disk.root.OpenRoot(filepath.Join(archiveName, name))
	if err != nil {
		return nil, fmt.Errorf("open archived run %s: %w", name, err)
	}
	shown := s.disk.path(archiveName) + "/" + name
	return &Store{project: s.project, disk: disk{root: root, shown: shown}}, nil
}
