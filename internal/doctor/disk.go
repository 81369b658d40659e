package doctor

import (
	"errors"
	"io/fs"
	"os"

	"hooks/internal/store"
)

// disk tries whether the state can be written durably, and under locks.
func disk(m *machine, n *notes) {
	files, err := store.Open(m.project)
	switch {
	case err == nil:
		defer files.Close()
		tryState(n, files)
	case errors.Is(err, fs.ErrNotExist):
		tryProject(n, m.project)
	}
}

func tryState(n *notes, files *store.Store) {
	took, locks, err := files.Probe()
	switch {
	case errors.Is(err, store.ErrBusy):
		n.warn("see what holds it: a hook takes milliseconds",
			"another process holds the state's guard")
	case err != nil:
		n.fail("make .sdd/loop writable for you", "a state file cannot be written: %v", err)
	default:
		n.note("a durable write takes %.1f ms", float64(took.Microseconds())/1000)
	}
	switch locks {
	case store.StateLocks:
		n.note("the file system has no locks; " +
			"hooks lock a file in the user's state directory instead")
	case store.NoLocks:
		n.warn("keep the project on a disk with file locks while loops run in it",
			"the file system has no locks: two hooks at the same moment may lose a count")
	}
}

// tryProject tries whether the state's folder could be made.
func tryProject(n *notes, project string) {
	f, err := os.CreateTemp(project, ".hooks-doctor-*.tmp")
	if err != nil {
		n.fail("make the project's folder writable for you", "no state can be made here: %v", err)
		return
	}
	if err = errors.Join(f.Sync(), f.Close(), os.Remove(f.Name())); err != nil {
		n.fail("see what is wrong with the disk", "a file cannot be written here: %v", err)
		return
	}
	n.note("the state can be written")
}
