package store

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrBusy reports that another process held the guard for longer than a hook may wait.
	ErrBusy = errors.New("another hook is working on .sdd/loop")

	// ErrClosed reports that the history has the iteration's line, so the iteration is closed, but
	// a later write failed. The next State continues from the line.
	ErrClosed = errors.New("the iteration is closed in the history")

	// ErrLockChanged reports that another process has released or acquired the lock in the
	// meantime. The call neither removed nor took it.
	ErrLockChanged = errors.New("the lock changed hands")

	// errOtherRun reports that a budget file belongs to another run, which must be archived before
	// it is replaced.
	errOtherRun = errors.New("the budget file belongs to another run")

	// errCommitted reports that the history already has this iteration. It must not count twice.
	errCommitted = errors.New("the history already has this iteration")
)

// DamagedError reports a state file that cannot be trusted. The program does not use any part of
// it, and leaves it in place unless the run's record has its text or the run is archived.
type DamagedError struct {
	Path string
	Line int // line number in a history, from 1; 0 if unknown and for other files
	Why  string
	// Missing is the name of the required budget field that is absent (R109).
	Missing string
}

// damage returns a DamagedError with a formatted reason.
func damage(path, format string, args ...any) error {
	return &DamagedError{Path: path, Why: fmt.Sprintf(format, args...)}
}

func isDamaged(err error) bool {
	_, ok := errors.AsType[*DamagedError](err)
	return ok
}

// elsewhere reports whether the file is outside of the state folder, at a --budget-file path.
func (e *DamagedError) elsewhere() bool { return !strings.HasPrefix(e.Path, Dir+"/") }

func (e *DamagedError) Error() string {
	switch {
	case e.Missing != "":
		return fmt.Sprintf("Budget file at %s is missing required field %s — refusing to load. "+
			"Delete the file to start a fresh run, or restore the missing field manually.",
			e.Path, e.Missing)
	case e.Line > 0:
		return fmt.Sprintf("%s line %d is damaged: %s", e.Path, e.Line, e.Why)
	}
	return fmt.Sprintf("%s is damaged: %s", e.Path, e.Why)
}

// CopyError reports that the run belongs to another project, of which this project is a copy.
type CopyError struct{ Run, Project string }

func (e *CopyError) Error() string {
	return fmt.Sprintf("run %s belongs to %s; this folder holds a copy of it", e.Run, e.Project)
}

// NewerError reports a state file in a later format. The program leaves the file unchanged.
type NewerError struct {
	Path    string
	Version int64
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has format version %d, which this program does not know: upgrade hooks",
		e.Path, e.Version)
}
