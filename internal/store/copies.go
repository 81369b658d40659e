package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"

	"hooks/internal/loop"
)

// The names of copies of files that are outside of the state. The copy of the progress file
// restores lines that a worker removed (T36, T82). A view that differs from its copy was edited by
// hand (T98). An audit loop keeps the plan as it was at the start of the run, so that a later edit
// cannot renumber its sections (A9, A44).
const (
	progressName fileName = "progress.md"
	viewName     fileName = "view.json"
	planName     fileName = "plan.md"
	// the archive's folder for state files that were replaced by restored ones
	replacedName = "replaced"
)

// Progress returns the copy of the progress file, or nil if no copy was kept or it cannot be read.
func (s *Store) Progress(k loop.Skill) []byte { return s.kept(progressName.of(k)) }

// Plan returns the copy of an audit loop's plan, or nil if no copy was kept or it cannot be read.
func (s *Store) Plan(k loop.Skill) []byte { return s.kept(planName.of(k)) }

func (s *Store) kept(name string) []byte {
	text, err := s.disk.read(name)
	if err != nil {
		return nil
	}
	return text
}

// KeepProgress saves the copy of the progress file, replacing an earlier one.
func (s *Store) KeepProgress(k loop.Skill, text []byte) error {
	return wrap("keep progress", s.disk.replace(progressName.of(k), text))
}

// KeepPlan saves the copy of the plan, replacing an earlier one.
func (s *Store) KeepPlan(k loop.Skill, text []byte) error {
	return wrap("keep plan", errors.Join(s.disk.replace(planName.of(k), text), s.settle()))
}

// WroteView reports whether the program wrote the view with that text: the latest one or, after a
// crash, the one before it.
func (s *Store) WroteView(k loop.Skill, text []byte) bool {
	kept := s.kept(viewName.of(k))
	return len(text) > 0 && (bytes.HasPrefix(kept, text) || bytes.HasSuffix(kept, text))
}

// HasView reports whether the program ever wrote the run's view.
func (s *Store) HasView(k loop.Skill) bool {
	_, err := s.disk.root.Lstat(viewName.of(k))
	return err == nil
}

// KeepView saves the view about to be written and the one it replaces.
func (s *Store) KeepView(k loop.Skill, text, before []byte) error {
	err := s.disk.replace(viewName.of(k), append(bytes.Clone(text), before...))
	return wrap("keep view", errors.Join(err, s.settle())) // it also syncs the progress copy
}

// Publish atomically replaces a file outside of the state and keeps its mode. The temporary file is
// in the state folder, which git ignores. In the project, a crash would leave an untracked file
// (T66, T87).
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

// KeepForeign saves a file of another tool or of an earlier run to the archive, each text once
// (T99).
func (s *Store) KeepForeign(name string, text []byte) error {
	to, err := s.archiveFolder(replacedName)
	if err != nil {
		return wrap("keep "+name, err)
	}
	defer to.root.Close()
	return wrap("keep "+name, to.keepCopy(name, text))
}
