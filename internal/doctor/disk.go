package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hooks/internal/store"
)

const (
	tightSpace = 200 << 20 // bytes below which a person is warned
	noSpace    = 20 << 20
)

// remote are kinds of file system whose locks or durable renames are not to be trusted.
var remote = [...]string{
	"nfs", "cifs", "smb", "smbfs", "9p", "fuse", "afs", "vfat", "exfat", "msdos",
}

// disk tries whether the state can be written durably, and under locks.
func disk(m *machine, n *notes) {
	at := filepath.Join(m.project, filepath.FromSlash(store.Dir))
	files, err := store.Open(m.project)
	if err != nil {
		at = m.project
	}
	if kind, free, ok := filesystem(at); ok {
		n.note("%s, %s free", kind, size(free))
		if free < noSpace {
			n.fail("make room: an iteration that cannot be written cannot be closed",
				"only %s are free", size(free))
		} else if free < tightSpace {
			n.warn("make room before a long run", "only %s are free", size(free))
		}
		if slices.Contains(remote[:], kind) {
			n.warn("keep the project on a local disk while loops run in it",
				"the state lies on %s, where locks and renames may not hold", kind)
		}
	}
	switch {
	case err == nil:
		defer files.Close()
		tryState(n, files)
	case errors.Is(err, fs.ErrNotExist):
		tryProject(n, at)
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

func size(bytes uint64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%d kB", bytes>>10)
}
