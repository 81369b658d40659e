package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hooks/internal/kind/audit"
)

// OfAudit reports whether a file of the folder belongs to an audit loop or to all loops. Files in
// the archive do.
func OfAudit(name string) bool {
	return name[0] == '.' || name == notesName || strings.HasPrefix(name, archiveName+"/") ||
		strings.HasPrefix(name, string(audit.Name)+".")
}

// Hide writes the .gitignore that keeps the folder out of git.
func (s *Store) Hide() error { return wrap("hide", s.hide()) }

// Hidden reports whether the folder's own .gitignore excludes all of it from git.
func (s *Store) Hidden() bool {
	return strings.TrimSpace(string(s.kept(".gitignore"))) == "*"
}

// Locks is the kind of file locks that separate the hooks of two processes.
type Locks uint8

// The kinds of locks, best first.
const (
	Flocks     Locks = iota // in the project
	StateLocks              // in the user's state directory, as the project's has no locks
	NoLocks                 // neither file system has locks
)

// Probe writes and removes a file the way the state is written, durably. It returns how long the
// write took and which locks are available.
func (s *Store) Probe() (took time.Duration, locks Locks, err error) {
	const name = ".probe"
	began := time.Now()
	err = errors.Join(s.disk.replace(name, []byte("{}\n")), s.disk.syncDir())
	took = time.Since(began)
	err = errors.Join(err, s.disk.remove(name))
	if err != nil {
		return took, Flocks, fmt.Errorf("probe %s: %w", Dir, err)
	}
	unlock, err := s.guard(context.Background())
	switch {
	case err != nil:
		return took, Flocks, err
	case s.unguarded:
		locks = NoLocks
	case s.noFlock:
		locks = StateLocks
	}
	return took, locks, unlock()
}
