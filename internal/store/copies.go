package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"

	"hooks/internal/loop"
)

// CopyName names the stored copy of a file outside the state folder. It does not include the skill.
type CopyName = fileName

// ProgressCopy holds the progress file and is used to restore lines a worker removed (T36, T82).
// ViewCopy holds the current and the previous view; a view that equals neither was edited by hand
// (T98). PlanCopy holds the plan as it was when the run started, so that a later edit cannot
// renumber its sections (A9, A44).
const (
	ProgressCopy CopyName = "progress.md"
	ViewCopy     CopyName = "view.json"
	PlanCopy     CopyName = "plan.md"
)

// replacedName is the archive's folder for files that the program replaced.
const replacedName = "replaced"

// Copy returns the stored copy, or nil if it is missing or cannot be read.
func (s *Store) Copy(k loop.Skill, name CopyName) []byte {
	text, err := s.disk.read(name.of(k))
	if err != nil {
		return nil
	}
	return text
}

// KeepCopy saves a copy, replacing any earlier one.
func (s *Store) KeepCopy(k loop.Skill, name CopyName, text []byte) error {
	return wrap("keep "+name.of(k), errors.Join(s.disk.replace(name.of(k), text), s.settle()))
}

// Publish atomically replaces a file outside the state folder and keeps its mode. The temporary
// file is in the state folder, which git ignores; elsewhere in the project, a crash could leave an
// untracked file (T66, T87).
func (s *Store) Publish(path string, text []byte) error {
	u, err := s.disk.begin(filepath.Base(path), text)
	if err != nil {
		return err
	}
	defer u.drop()
	if err := u.wait(); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Perm() != fileMode {
		_ = s.disk.root.Chmod(u.tmp, info.Mode().Perm())
	}
	if u.to = path; u.place() != nil { // the state may be on another disk
		return atomic.WriteFile(path, bytes.NewReader(text))
	}
	return nil
}

// KeepForeign saves a file from another tool or an earlier run to the archive (T99).
func (s *Store) KeepForeign(name string, text []byte) error {
	to, err := s.archiveFolder(replacedName)
	if err != nil {
		return wrap("keep "+name, err)
	}
	defer to.root.Close()
	return wrap("keep "+name, to.keepCopy(name, text))
}
