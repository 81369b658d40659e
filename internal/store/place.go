package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// place is the resolved location of a budget file.
type place struct {
	skill loop.Skill
	path  string
	disk  *disk
	name  string
	own   bool // whether it is the default location
}

// budgetPath returns the path of the last run's budget, either the default or a --budget-file. If
// the pointer is damaged, it returns the path in the record or, without a record, an error.
func (s *Store) budgetPath(skill loop.Skill) (string, error) {
	path, pointer := DefaultBudgetPath(skill), pointerName.of(skill)
	body, err := s.disk.read(pointer)
	if err != nil {
		return path, err
	}
	line, rest, _ := strings.Cut(string(body), "\n")
	switch {
	case body == nil:
		return path, nil
	case line == "" || rest != "" || strings.ContainsRune(line, 0):
		if runs, _ := s.sealedRuns(skill); len(runs) > 0 {
			return runs[len(runs)-1].Budget, nil
		}
		return path, damage(s.disk.path(pointer), "it is not a single line that holds a path")
	}
	return line, nil
}

// place resolves a budget path. A relative path is relative to the project.
func (s *Store) place(skill loop.Skill, path string) (place, error) {
	full := safefile.Absolute(s.project, path)
	if path == "" || full == safefile.Absolute(s.project, DefaultBudgetPath(skill)) {
		return place{skill, path, &s.disk, budgetName.of(skill), true}, nil
	}
	dir, name := filepath.Dir(full), filepath.Base(full)
	if s.isStateDir(dir) {
		if name == budgetName.of(skill) {
			return place{skill, path, &s.disk, name, true}, nil
		}
		return place{skill, path, &s.disk, name, false}, checkReserved(name)
	}
	if s.elsewhere == nil || s.elsewhere.root.Name() != dir {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return place{}, fmt.Errorf("open folder of budget file %s: %w", path, err)
		}
		if s.elsewhere != nil {
			_ = errors.Join(s.elsewhere.syncDir(), s.elsewhere.root.Close())
		}
		shown := filepath.ToSlash(filepath.Dir(path))
		s.elsewhere = &disk{root: root, shown: shown, fail: s.disk.fail}
	}
	return place{skill, path, s.elsewhere, name, false}, nil
}

// isStateDir reports whether a folder is the state folder. It compares the folders, not their
// paths.
func (s *Store) isStateDir(dir string) bool {
	there, err := os.Stat(dir)
	if err != nil {
		return false
	}
	own, err := s.disk.root.Stat(".")
	return err == nil && os.SameFile(there, own)
}

var errTaken = errors.New("has the name of another state file")

// checkReserved returns an error if name is reserved for another state file.
func checkReserved(name string) error {
	bad := strings.HasPrefix(name, ".") || name == "archive"
	for _, skill := range kind.Skills() {
		bad = bad || strings.HasPrefix(name, string(skill)+".")
	}
	if bad {
		return fmt.Errorf("budget file %s/%s %w", Dir, name, errTaken)
	}
	return nil
}

// budgetBody returns the contents of a budget file, or nil if the file or its folder is missing.
func (s *Store) budgetBody(skill loop.Skill, path string) (body []byte, at place, err error) {
	at, err = s.place(skill, path)
	if err == nil {
		body, err = at.disk.read(at.name)
	}
	return body, at, orAbsent(err)
}

func (s *Store) loadBudget(skill loop.Skill, path string) (*loop.Budget, error) {
	body, at, err := s.budgetBody(skill, path)
	if err != nil || body == nil {
		return nil, err
	}
	return decodeBudget(at.disk.path(at.name), skill, body)
}

// Other returns the skill's last run if its budget is not at path, and a nil Run otherwise. An
// empty path matches no budget.
func (s *Store) Other(skill loop.Skill, path string) (loop.RunFile, error) {
	last, err := s.budgetPath(skill)
	if err != nil || safefile.Absolute(s.project, last) == safefile.Absolute(s.project, path) {
		return loop.RunFile{}, err
	}
	run, err := s.loadBudget(skill, last)
	return loop.RunFile{Run: run, Path: last}, err
}

// point writes the budget's path to the pointer file, or removes that file for the default path.
// The caller writes the budget afterwards, because a pointer without a budget means no run, but a
// budget without a pointer would be lost.
func (s *Store) point(at place) error {
	name := pointerName.of(at.skill)
	old, err := s.disk.read(name)
	switch {
	case err != nil:
		return err
	case at.own && old == nil, !at.own && string(old) == at.path+"\n":
		return nil
	case at.own:
		return s.disk.remove(name)
	case strings.ContainsAny(at.path, "\n\x00"):
		return fmt.Errorf("budget file path %q contains a line break or a NUL byte", at.path)
	}
	return s.disk.replace(name, []byte(at.path+"\n"))
}
