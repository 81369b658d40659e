package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hooks/internal/loop"
)

// OfLoop reports whether a file in the folder belongs to the loop of a skill. It returns true for
// files that all loops share and for the archive.
func OfLoop(k loop.Skill, name string) bool {
	return name[0] == '.' || name == notesName || strings.HasPrefix(name, archiveName+"/") ||
		strings.HasPrefix(name, string(k)+".")
}

// Hide writes the .gitignore file that makes git ignore the folder.
func (s *Store) Hide() error { return wrap("hide", s.hide()) }

// Hidden reports whether the folder's own .gitignore excludes all of it from git.
func (s *Store) Hidden() bool {
	return strings.TrimSpace(string(s.kept(".gitignore"))) == "*"
}

// Probe writes and removes a file durably, as a save does. It returns how long the write took and
// whether locks exclude a second hook.
func (s *Store) Probe() (took time.Duration, locked bool, err error) {
	const name = ".probe"
	began := time.Now()
	err = errors.Join(s.disk.replace(name, []byte("{}\n")), s.disk.syncDir())
	took = time.Since(began)
	if err = errors.Join(err, s.disk.remove(name)); err != nil {
		return took, true, fmt.Errorf("probe %s: %w", Dir, err)
	}
	err = s.guarded(func() error { return nil })
	return took, !s.unguarded || err != nil, err
}
