package store

import (
	"errors"
	"fmt"
	"strings"
)

// ErrBusy says that another process kept the guard for longer than a hook may wait.
var ErrBusy = errors.New("another hook is working on .sdd/loop")

// errOtherRun says that a budget file belongs to another run, which must be archived before it is replaced.
var errOtherRun = errors.New("the budget file belongs to another run")

// errCommitted says that the history already has this iteration, so it must not be counted twice.
var errCommitted = errors.New("the history already has this iteration")

// ErrClosed says that the history has the iteration's line, so it is closed, although what follows from that could not be
// written. Recover goes on from the line.
var ErrClosed = errors.New("the iteration is closed in the history")

// ErrLockChanged says that the lock is not the one that was judged stale, so it was left alone.
var ErrLockChanged = errors.New("the lock changed hands")

// DamagedError is a state file that cannot be trusted. Nothing of it is used and it is never rewritten.
type DamagedError struct {
	Path string
	Line int // of a history file, from 1; 0 elsewhere and where counting would need the whole file
	Why  string
	// Missing is the required budget field that is not there (R109).
	Missing string
}

// elsewhere reports whether the file lies outside of the state folder, where --budget-file put it.
func (e *DamagedError) elsewhere() bool { return !strings.HasPrefix(e.Path, Dir+"/") }

func (e *DamagedError) Error() string {
	switch {
	case e.Missing != "":
		return fmt.Sprintf("Budget file at %s is missing required field %s — refusing to load. "+
			"Delete the file to start a fresh run, or restore the missing field manually.", e.Path, e.Missing)
	case e.Line > 0:
		return fmt.Sprintf("%s line %d is damaged: %s", e.Path, e.Line, e.Why)
	}
	return fmt.Sprintf("%s is damaged: %s", e.Path, e.Why)
}

// NewerError is a state file of a later format, which this program leaves alone.
type NewerError struct {
	Path    string
	Version int64
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has format version %d, newer than this program knows: upgrade hooks", e.Path, e.Version)
}
