package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"hooks/internal/loop"
)

const archiveName = "archive"

// Archive moves the files of an earlier run into archive/<run_id>/, so that a fresh run destroys nothing. A name that
// is taken there gets a number. Files that name another run stay, damaged ones move; a budget outside of .sdd/loop
// moves only if it is surely this run's. A crash in between loses nothing, and a second call finishes the move. The
// caller holds the guard.
func (s *Store) Archive(skill loop.Skill, runID string) error {
	err := s.unseal(skill, runID, func(lost []sealed) error {
		return s.archive(skill, archiveDir(runID), runID, lost)
	})
	if err != nil {
		return fmt.Errorf("archive run %s: %w", runID, err)
	}
	return nil
}

func (s *Store) archive(skill loop.Skill, name, runID string, lost []sealed) error {
	to, err := s.archiveFolder(name)
	if err != nil {
		return err
	}
	defer to.root.Close()
	to.sweep(".")
	for _, run := range lost {
		if err := s.keepSealed(to, run); err != nil {
			return err
		}
	}
	// The tick goes first: with it gone, a budget that is gone too is not taken for one to restore.
	files := []string{tickName(skill), claimName(skill), budgetName(skill), historyName(skill)}
	for _, file := range files {
		if file == historyName(skill) {
			if err := s.moveElsewhere(to, name, skill, runID); err != nil {
				return err
			}
		}
		if s.others(skill, file, runID) {
			continue
		}
		if err := s.move(to, name, file); err != nil {
			return err
		}
	}
	return errors.Join(to.syncDir(), s.settle())
}

// others says whether a file belongs to another run than the one to archive, as when two runs keep their budgets in
// different files. The history is the other's as long as the default budget is.
func (s *Store) others(skill loop.Skill, file, runID string) bool {
	run := ""
	switch file {
	case tickName(skill):
		if t, err := load(&s.disk, file, decodeTick); err == nil && t != nil {
			run = t.RunID
		}
	case budgetName(skill), historyName(skill):
		if b, err := s.loadBudget(skill, ""); err == nil && b != nil {
			run = b.RunID
		}
	}
	if run == "" && file != historyName(skill) {
		return false
	}
	return run != "" && run != runID || file == historyName(skill) && s.shared(skill, runID)
}

// shared reports whether the history has lines of a run whose budget lies in another file.
func (s *Store) shared(skill loop.Skill, runID string) bool {
	for _, path := range s.budgetPaths(skill) {
		b, err := s.loadBudget(skill, path)
		if err == nil && b != nil && b.RunID != "" && b.RunID != runID {
			return true
		}
	}
	return false
}

// archiveFolder makes and opens the run's folder.
func (s *Store) archiveFolder(name string) (*disk, error) {
	if err := s.disk.mkdir(archiveName); err != nil {
		return nil, err
	}
	above, err := s.disk.root.OpenRoot(archiveName)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	all := &disk{root: above, fail: s.disk.fail}
	if err := all.mkdir(name); err != nil {
		return nil, err
	}
	if err := errors.Join(s.disk.syncDir(), all.syncDir()); err != nil {
		return nil, err
	}
	root, err := above.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &disk{root: root, shown: Dir + "/" + archiveName + "/" + name, fail: s.disk.fail}, nil
}

// move renames a state file into the archive, if it exists.
func (s *Store) move(to *disk, folder, file string) error {
	switch _, err := s.disk.root.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	name, err := to.free(numberedName(file))
	if err != nil {
		return err
	}
	to.dirty = true
	return s.disk.rename(file, archiveName+"/"+folder+"/"+name)
}

// numberedName is work.tick.json, then work-2.tick.json and so on.
func numberedName(file string) func(int) string {
	skill, rest, _ := strings.Cut(file, ".")
	return func(n int) string {
		if n == 1 {
			return file
		}
		return fmt.Sprintf("%s-%d.%s", skill, n, rest)
	}
}

// moveElsewhere copies a run's budget from where --budget-file put it and removes it there with its pointer. What is
// there and is not this run's budget is left alone: it may be anybody's file. A pointer that leads nowhere moves itself.
func (s *Store) moveElsewhere(to *disk, folder string, skill loop.Skill, runID string) error {
	path, err := s.BudgetPath(skill)
	var at place
	if err == nil {
		at, err = s.place(skill, path)
	}
	damage := (*DamagedError)(nil)
	switch {
	case errors.As(err, &damage), errors.Is(err, errTaken):
		return s.move(to, folder, pointerName(skill))
	case at.own, errors.Is(err, fs.ErrNotExist):
		return s.disk.remove(pointerName(skill))
	case err != nil:
		return err
	}
	body, err := at.disk.read(at.name)
	if err != nil {
		return err
	}
	switch b, err := s.decodeBudget(path, skill, body); {
	case body == nil, err != nil:
		return s.disk.remove(pointerName(skill))
	case b.RunID != runID:
		return nil
	}
	if err := s.copyBudget(to, skill, body); err != nil {
		return err
	}
	return errors.Join(at.disk.remove(at.name), at.disk.syncDir(), s.disk.remove(pointerName(skill)))
}

// copyBudget puts the budget into the archive, unless an earlier attempt did.
func (s *Store) copyBudget(to *disk, skill loop.Skill, body []byte) error {
	if done, err := to.read(budgetName(skill)); err == nil && bytes.Equal(done, body) {
		return nil
	}
	name, err := to.free(numberedName(budgetName(skill)))
	if err != nil {
		return err
	}
	if err := to.replace(name, body); err != nil {
		return err
	}
	return to.syncDir()
}

// archiveDir makes a folder name of a run id, which a file may hold in any form.
func archiveDir(runID string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, runID)
	name = strings.Trim(name[:min(len(name), 100)], ".")
	switch {
	case name == "":
		return "unnamed"
	case device(name):
		return "_" + name
	}
	return name
}

// device says whether Windows takes a name for one of its devices, as it does whatever the case and what follows a dot.
func device(name string) bool {
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	if len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) {
		return base[3] >= '0' && base[3] <= '9'
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, base)
}

// Archives are the run ids in the archive, as folder names, sorted.
func (s *Store) Archives() ([]string, error) {
	f, err := s.disk.root.Open(archiveName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list archive: %w", err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, fmt.Errorf("list archive: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Archived opens an archived run for reading, by its run id or its folder's name.
func (s *Store) Archived(runID string) (*Store, error) {
	name := archiveDir(runID)
	root, err := s.disk.root.OpenRoot(archiveName + string(os.PathSeparator) + name)
	if err != nil {
		return nil, fmt.Errorf("open archived run %s: %w", runID, err)
	}
	shown := Dir + "/" + archiveName + "/" + name
	return &Store{project: s.project, disk: disk{root: root, shown: shown, fail: s.disk.fail}}, nil
}
