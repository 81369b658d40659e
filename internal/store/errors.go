package store

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrBusy is returned if another process holds the guard for longer than a hook may wait.
	ErrBusy = errors.New("another hook is working on .sdd/loop")

	// ErrClosed is returned if a write fails after the iteration was closed by its line in the
	// history. The next State continues from that line.
	ErrClosed = errors.New("the iteration is closed in the history")

	// ErrLockChanged is returned if another process released or acquired the lock in the meantime.
	// The call neither removed nor took the lock.
	ErrLockChanged = errors.New("the lock changed hands")

	// errOtherRun is returned if a budget file belongs to another run, which must be archived
	// before the file is replaced.
	errOtherRun = errors.New("the budget file belongs to another run")

	// errCommitted is returned if the history already has this iteration, which counts only once.
	errCommitted = errors.New("the history already has this iteration")
)

// DamagedError reports a state file that cannot be trusted. The program uses no part of it, and
// changes it only to restore it from the run's record or to archive the run.
type DamagedError struct {
	Path string
	Line int // 1-based line number in a history; 0 if unknown or for another file
	Why  string
	// Missing names the missing required field of a budget (R109).
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

// elsewhere reports whether the file is outside the state folder, at a --budget-file path.
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

// CopyError reports that the run belongs to another project and that this project is its copy.
type CopyError struct{ Run, Project string }

func (e *CopyError) Error() string {
	return fmt.Sprintf("run %s belongs to %s; this folder holds a copy of it", e.Run, e.Project)
}

// NewerError reports a state file in a newer format. The program leaves the file unchanged.
type NewerError struct {
	Path    string
	Version int64
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has format version %d, which this program does not know: upgrade hooks",
		e.Path, e.Version)
}
