package store

import "hooks/internal/loop"

// progressName is the copy of a task loop's progress file: what a worker removed is put back from
// it (T36, T82).
const progressName = string(loop.Tasks) + ".progress.md"

// Progress is that copy, nil where none was kept or it cannot be read.
func (s *Store) Progress() []byte {
	text, err := s.disk.read(progressName)
	if err != nil {
		return nil
	}
	return text
}

// KeepProgress replaces the copy.
func (s *Store) KeepProgress(text []byte) error {
	return wrap("keep progress", s.disk.replace(progressName, text))
}
