package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"time"

	"hooks/internal/loop"
)

// File is one entry of the state folder, as a person who looks after it sees it.
type File struct {
	Name string // relative to the folder, with slashes
	Mode fs.FileMode
	Size int64 // bytes
	// Litter says that it is an unfinished file that nobody can still be writing.
	Litter bool
	// Known says that the name is one of the state's own. The archive's folders are.
	Known bool
}

// Open says that others than the owner may read or change the file.
func (f File) Open() bool { return runtime.GOOS != "windows" && f.Mode.Perm()&0o077 != 0 }

// Files lists the folder itself, as ".", and everything below it.
func (s *Store) Files() (list []File, err error) {
	err = fs.WalkDir(s.disk.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone since
		} else if err != nil {
			return err
		}
		base := d.Name()
		list = append(list, File{
			Name: name, Mode: info.Mode(), Size: info.Size(), Known: name == "." || strings.HasPrefix(name, archiveName) || strings.HasPrefix(name, turnName) || ownName(base) || isTemp(base),
			Litter: isTemp(base) && litter(base, info),
		})
		return nil
	})
	if err != nil {
		return list, fmt.Errorf("list %s: %w", Dir, err)
	}
	return list, nil
}

// ownName knows the names beside the budgets that --budget-file may have put here.
func ownName(name string) bool {
	for _, k := range loop.Skills() {
		switch rest, ok := strings.CutPrefix(name, string(k)+"."); {
		case !ok:
		case rest == "lock", rest == "budget.json", rest == "budget-file", rest == "tick.json",
			rest == "claim.json", rest == "history.jsonl", rest == "used.jsonl",
			strings.HasPrefix(rest, "history.jsonl.torn-"):
			return true
		}
	}
	return name == guardName || name == notesName || name == ".gitignore"
}

// Tighten closes one file or folder to others (R123).
func (s *Store) Tighten(name string) error {
	info, err := s.disk.root.Lstat(name)
	if err != nil {
		return fmt.Errorf("tighten: %w", err)
	}
	mode := fs.FileMode(fileMode)
	if info.IsDir() {
		mode = dirMode
	}
	return wrap("tighten", s.disk.root.Chmod(name, mode))
}

// Sweep removes one unfinished file that a crash left behind.
func (s *Store) Sweep(name string) error {
	if !isTemp(name[strings.LastIndexByte(name, '/')+1:]) {
		return fmt.Errorf("sweep: %s is no unfinished file", name)
	}
	info, err := s.disk.root.Lstat(name)
	if err == nil {
		err = s.disk.discard(name, info)
	}
	return wrap("sweep", err)
}

// Hide keeps the folder out of git.
func (s *Store) Hide() error {
	return wrap("hide", errors.Join(s.disk.replace(".gitignore", []byte("*\n")), s.disk.syncDir()))
}

// Hidden says whether the folder's own .gitignore keeps all of it out of git.
func (s *Store) Hidden() bool {
	text, err := s.disk.read(".gitignore")
	return err == nil && strings.TrimSpace(string(text)) == "*"
}

// Locks is how hooks that run at once are kept from each other.
type Locks uint8

// The ways, from the best.
const (
	Flocks  Locks = iota // the file system's own locks
	Turns                // it has none: a folder
	NoLocks              // nothing keeps them
)

// Probe writes a file the way the state is written, durably, and removes it. It says how long that took, and what locks
// there are.
func (s *Store) Probe() (took time.Duration, locks Locks, err error) {
	const name = ".probe"
	began := time.Now()
	err = errors.Join(s.disk.replace(name, []byte("{}\n")), s.disk.syncDir())
	took = time.Since(began)
	err = errors.Join(err, s.disk.remove(name))
	if err != nil {
		return took, Flocks, fmt.Errorf("probe %s: %w", Dir, err)
	}
	unlock, err := s.Guard(context.Background())
	switch {
	case err != nil:
		return took, Flocks, err
	case s.unguarded:
		locks = NoLocks
	case s.noFlock:
		locks = Turns
	}
	return took, locks, unlock()
}
