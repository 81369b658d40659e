// Package store keeps the state of loops under <project>/.sdd/loop and is its only writer.
//
// The store replaces files atomically and durably; it appends only to the history, the notes and
// the list of used passes. A history line is the commit point of an iteration, and after a crash,
// recovery updates the other files to match it. The store reports a file that it cannot read, and
// restores it only from the run's record.
//
// A change to a run consists of Begin, State, Commit and End (Tx). A Store is not safe for
// concurrent use; a short-lived process uses it from one goroutine.
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

	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Dir is the state folder, relative to the project.
const Dir = ".sdd/loop"

// Store is the state of one project's loops, open for reading and writing.
type Store struct {
	disk      disk
	project   string
	guards    int // calls of Begin not yet matched by End
	lock      *flock.Flock
	noFlock   bool     // the file system has no locks
	seals     seal.Dir // records that the files are compared with
	boot      func() string
	healed    []string
	elsewhere *disk // the folder of a budget file outside Dir
}

// Exists reports whether the project has loop state. It makes only one system call, because every
// hook call pays for it, even without a loop (R3).
func Exists(project string) bool {
	info, err := os.Lstat(filepath.Join(project, ".sdd", "loop"))
	return err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0)
}

// Open opens existing state. The error is fs.ErrNotExist if there is none. It refuses a .sdd or
// .sdd/loop that is a symlink out of the project.
func Open(project string) (*Store, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	defer root.Close()
	own, err := root.OpenRoot(filepath.FromSlash(Dir))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", Dir, err)
	}
	return &Store{project: project, disk: disk{root: own, shown: Dir}}, nil
}

// Create creates the state folder, with mode 0700 and hidden from git (R123), and opens it.
func Create(project string) (*Store, error) { return create(project, nil) }

func create(project string, fail func(string) error) (*Store, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	defer root.Close()
	var own *disk
	sdd, err := (&disk{root: root, fail: fail}).folder(".sdd")
	if err == nil {
		defer sdd.root.Close()
		own, err = sdd.folder("loop")
	}
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", Dir, err)
	}
	s := &Store{project: project, disk: *own}
	info, err := own.root.Stat(".")
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != dirMode {
		err = own.root.Chmod(".", dirMode)
	}
	if err == nil {
		_, err = own.root.Lstat(".gitignore")
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(s.disk.replace(".gitignore", []byte("*\n")), s.disk.syncDir())
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("create %s: %w", Dir, err)
	}
	return s, nil
}

// Close closes the folder and releases the guard if it is held.
func (s *Store) Close() {
	if s.lock != nil {
		_ = s.lock.Unlock()
	}
	_ = s.disk.root.Close()
	if s.elsewhere != nil {
		_ = s.elsewhere.root.Close()
	}
}

// settle makes name changes in the folders durable.
func (s *Store) settle() error {
	err := s.disk.syncDir()
	if s.elsewhere != nil {
		err = errors.Join(err, s.elsewhere.syncDir())
	}
	return err
}

// Skills returns the skills that have a file here or a run in the session's record. It returns all
// skills if the folder or the record cannot be read. Listing the folder is cheaper than calling
// stat for each file.
func (s *Store) Skills(session string) []loop.Skill {
	record, unread := s.seals.Active(session)
	files, err := fs.ReadDir(s.disk.root.FS(), ".")
	if unread != nil || err != nil {
		return kind.Skills()
	}
	return slices.DeleteFunc(kind.Skills(), func(skill loop.Skill) bool {
		has := slices.ContainsFunc(files, func(e fs.DirEntry) bool {
			return strings.HasPrefix(e.Name(), string(skill)+".")
		})
		return !has && record.Loop(string(skill)) == nil
	})
}

// fileName is the name of a state file without its skill.
type fileName string

const (
	lockName    fileName = "lock"
	budgetName  fileName = "budget.json"
	pointerName fileName = "budget-file"
	historyName fileName = "history.jsonl"
	tickName    fileName = "tick.json"
	claimName   fileName = "claim.json"
	usedName    fileName = "used.jsonl"
	askerName   fileName = "asker"
	driverName  fileName = "driver"
)

func (n fileName) of(k loop.Skill) string { return string(k) + "." + string(n) }

// HistoryPath returns the path of the history file relative to the project.
func HistoryPath(k loop.Skill) string { return Dir + "/" + historyName.of(k) }

// DefaultBudgetPath returns the path of the budget file used without --budget-file, relative to the
// project (R12).
func DefaultBudgetPath(k loop.Skill) string { return Dir + "/" + budgetName.of(k) }
