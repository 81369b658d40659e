// Package store keeps the state of loops under <project>/.sdd/loop and is its only writer.
//
// Every file is replaced atomically and durably. A history line is the commit point of an
// iteration, and recover brings the other files up to it after a crash. What cannot be read is
// reported, never guessed and never rewritten.
//
// A change of a run is Begin, State, Commit and End (Tx). A Store belongs to one goroutine of one
// short-lived process.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Dir is the folder of the state, relative to the project.
const Dir = ".sdd/loop"

// Store is the state of one project's loops, open for reading and writing.
type Store struct {
	disk      disk
	project   string
	guards    int // how often this process holds the guard
	lock      *flock.Flock
	noFlock   bool // the file system has no locks
	unguarded bool // the last Guard kept no one out
	swept     bool // unfinished files were removed
	batching  bool
	line      struct { // the history line that was parsed last
		text []byte
		it   *loop.Iteration
	}
	good struct { // the budget that was decoded last, or is known to be good
		text  []byte
		skill loop.Skill
		run   string
	}
	seals     seal.Dir // the records that the files are compared with
	boot      func() string
	healed    []string
	changing  bool  // a change of a record's files is under way
	elsewhere *disk // the folder of a budget file outside of Dir
}

// Exists reports, with one system call, whether the project has any loop state, so that a hook
// without a loop does nothing (R3).
func Exists(project string) bool {
	info, err := os.Lstat(filepath.Join(project, ".sdd", "loop"))
	return err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0)
}

// Open opens existing state. A project without any gives an error that is fs.ErrNotExist; a .sdd or
// .sdd/loop that is a symlink out of the project is refused.
func Open(project string) (*Store, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	defer root.Close()
	return open(project, root, nil)
}

func open(project string, root *os.Root, fail func(string) error) (*Store, error) {
	inner, err := root.OpenRoot(filepath.FromSlash(Dir))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", Dir, leaving(root, err))
	}
	return &Store{project: project, disk: disk{root: inner, shown: Dir, fail: fail}}, nil
}

// leaving names the symlink that made an opening fail.
func leaving(root *os.Root, err error) error {
	for _, name := range []string{".sdd", filepath.FromSlash(Dir)} {
		info, lerr := root.Lstat(name)
		if lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("the symlink %s does not lead to a folder of this project: %w",
				filepath.ToSlash(name), err)
		}
	}
	return err
}

// Create opens the state and makes its folder first, closed to others and hidden from git (R123).
func Create(project string) (*Store, error) { return create(project, nil) }

func create(project string, fail func(string) error) (*Store, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	defer root.Close()
	if err := makeDirs(root, fail); err != nil {
		return nil, fmt.Errorf("create %s: %w", Dir, leaving(root, err))
	}
	s, err := open(project, root, fail)
	if err != nil {
		return nil, err
	}
	if err := s.tidy(); err != nil {
		s.Close()
		return nil, fmt.Errorf("create %s: %w", Dir, err)
	}
	return s, nil
}

// makeDirs makes .sdd and .sdd/loop and syncs the folder that each was made in.
func makeDirs(root *os.Root, fail func(string) error) error {
	above := &disk{root: root, fail: fail}
	if err := above.mkdir(".sdd"); err != nil {
		return err
	}
	if err := above.syncDir(); err != nil {
		return err
	}
	sdd, err := root.OpenRoot(".sdd")
	if err != nil {
		return err
	}
	defer sdd.Close()
	above = &disk{root: sdd, fail: fail}
	if err := above.mkdir("loop"); err != nil {
		return err
	}
	return above.syncDir()
}

// tidy gives the folder its mode and its .gitignore.
func (s *Store) tidy() error {
	info, err := s.disk.root.Stat(".")
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != dirMode {
		if err := s.disk.root.Chmod(".", dirMode); err != nil {
			return err
		}
	}
	if _, err := s.disk.root.Lstat(".gitignore"); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.hide()
}

func (s *Store) hide() error {
	return errors.Join(s.disk.replace(".gitignore", []byte("*\n")), s.disk.syncDir())
}

// Close releases the folder, and the guard if it is held.
func (s *Store) Close() {
	if s.lock != nil {
		_ = s.lock.Unlock()
	}
	_ = s.disk.root.Close()
	if s.elsewhere != nil {
		_ = s.elsewhere.root.Close()
	}
}

// batch runs steps that save, and makes the names they changed durable with one sync of the folder
// at the end instead of one each. A failing step ends it; what was saved before is synced all the
// same.
func (s *Store) batch(steps func() error) error {
	batching := s.batching
	s.batching = true
	err := steps()
	s.batching = batching
	return errors.Join(err, s.settle())
}

// settle syncs the folders that changed, unless a batch will.
func (s *Store) settle() error {
	if s.batching {
		return nil
	}
	err := s.disk.syncDir()
	if s.elsewhere != nil {
		err = errors.Join(err, s.elsewhere.syncDir())
	}
	return err
}

// maxNames bounds how many names of the folder Skills looks at. It holds about six for a skill.
const maxNames = 1000

// Skills are the skills that have a file here or a run in the session's record, and all of them
// where that is not known. One look at the folder costs less than one for each file.
func (s *Store) Skills(session string) []loop.Skill {
	record, unread := s.seals.Active(session)
	dir, err := s.disk.open(".", os.O_RDONLY)
	if unread != nil || err != nil {
		return loop.Skills()
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxNames)
	if err != nil || len(names) == maxNames {
		return loop.Skills()
	}
	return slices.DeleteFunc(loop.Skills(), func(skill loop.Skill) bool {
		prefix := string(skill) + "."
		has := slices.ContainsFunc(names, func(name string) bool {
			return len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
		})
		return !has && record.Loop(string(skill)) == nil
	})
}

func lockName(k loop.Skill) string    { return string(k) + ".lock" }
func budgetName(k loop.Skill) string  { return string(k) + ".budget.json" }
func pointerName(k loop.Skill) string { return string(k) + ".budget-file" }
func historyName(k loop.Skill) string { return string(k) + ".history.jsonl" }
func tickName(k loop.Skill) string    { return string(k) + ".tick.json" }
func claimName(k loop.Skill) string   { return string(k) + ".claim.json" }

// HistoryPath is the history file as people read it, relative to the project.
func HistoryPath(k loop.Skill) string { return Dir + "/" + historyName(k) }

// DefaultBudgetPath returns the path of a budget without --budget-file, relative to the project
// (R12).
func DefaultBudgetPath(k loop.Skill) string { return Dir + "/" + budgetName(k) }
