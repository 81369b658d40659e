package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/store"
)

// mended makes a repair of one state file.
func (m *machine) mended(what string, do func(*store.Store) error) func() (string, error) {
	return func() (string, error) {
		files, err := store.Open(m.project)
		if err != nil {
			return "", err
		}
		defer files.Close()
		return what, do(files)
	}
}

func litter(m *machine, n *notes) {
	files := m.state(n)
	if files == nil {
		return
	}
	defer files.Close()
	list, _ := files.Files() // what it could not list is the business of state-files
	for _, f := range list {
		if f.Litter {
			n.warn("the next entry sweeps it; or hooks doctor --fix", "%s/%s was never finished: a write was cut off", store.Dir, f.Name).mend =
				m.mended("removed "+f.Name, func(s *store.Store) error { return s.Sweep(f.Name) })
		}
	}
	if len(n.problems) == 0 {
		n.say("no unfinished files")
	}
}

func modes(m *machine, n *notes) {
	files := m.state(n)
	if files == nil {
		return
	}
	defer files.Close()
	list, _ := files.Files()
	for _, f := range list {
		if f.Open() && f.Mode&fs.ModeSymlink == 0 {
			path := strings.TrimSuffix(store.Dir+"/"+f.Name, "/.")
			n.warn("close it: chmod go= "+path+", or hooks doctor --fix", "%s has mode %04o: others may read what people answered", path, f.Mode.Perm()).mend =
				m.mended("closed "+path+" to others", func(s *store.Store) error { return s.Tighten(f.Name) })
		}
	}
	if len(n.problems) == 0 {
		n.say("closed to others")
	}
}

const (
	tightSpace = 200 << 20 // bytes below which a person is told
	noSpace    = 20 << 20
)

// remote are kinds of file system on which locks or durable renames are not to be trusted.
var remote = [...]string{"nfs", "cifs", "smb", "9p", "fuse", "afs", "vfat", "exfat", "msdos"}

func disk(m *machine, n *notes) {
	at := filepath.Join(m.project, filepath.FromSlash(store.Dir))
	files, err := store.Open(m.project)
	if err != nil {
		at = m.project
	}
	if kind, free, ok := filesystem(at); ok {
		n.say("%s, %s free", kind, size(free))
		switch {
		case free < noSpace:
			n.fail("make room: an iteration that cannot be written cannot be closed", "only %s are free", size(free))
		case free < tightSpace:
			n.warn("make room before a long run", "only %s are free", size(free))
		}
		for _, r := range remote {
			if strings.HasPrefix(kind, r) {
				n.warn("keep the project on a local disk while loops run in it", "the state lies on %s, where locks and renames may not hold", kind)
			}
		}
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return // state-files says so
		}
		probe(n, at)
		return
	}
	defer files.Close()
	took, locks, err := files.Probe()
	switch {
	case errors.Is(err, store.ErrBusy):
		n.warn("see what holds it: a hook takes milliseconds", "another process holds the state's guard")
	case err != nil:
		n.fail("make .sdd/loop writable for you", "a state file cannot be written: %v", err)
	default:
		n.say("a durable write takes %.1f ms", float64(took.Microseconds())/1000)
	}
	switch locks {
	case store.StateLocks:
		n.say("the file system has no locks; hooks lock a file in the user's state directory instead")
	case store.NoLocks:
		n.warn("keep the project on a disk with file locks while loops run in it", "the file system has no locks: two hooks at the same moment may lose a count")
	}
}

// probe tries whether the state's folder could be made.
func probe(n *notes, project string) {
	f, err := os.CreateTemp(project, ".hooks-doctor-*.tmp")
	if err != nil {
		n.fail("make the project's folder writable for you", "no state can be made here: %v", err)
		return
	}
	err = errors.Join(f.Sync(), f.Close(), os.Remove(f.Name()))
	if err != nil {
		n.fail("see what is wrong with the disk", "a file cannot be written here: %v", err)
		return
	}
	n.say("the state can be written")
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
