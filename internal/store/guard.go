package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

const (
	guardName = ".guard"
	guardWait = 2 * time.Second
	guardPoll = 3 * time.Millisecond
)

// guarded calls do between Begin and End.
func (s *Store) guarded(do func() error) error {
	tx, err := s.Begin(context.Background())
	if err != nil {
		return err
	}
	return errors.Join(do(), tx.End())
}

// take acquires the guard for Begin. It creates the guard file with mode 0600 regardless of the
// umask, never deletes it, and rejects anything but a regular file.
func (s *Store) take(ctx context.Context) error {
	_, err := s.disk.stat(guardName)
	if errors.Is(err, fs.ErrNotExist) {
		var f *os.File
		if f, err = s.disk.create(guardName); err == nil {
			err = f.Close()
		}
	}
	lock := lockFile(filepath.Join(s.disk.root.Name(), guardName))
	if err == nil || errors.Is(err, fs.ErrExist) { // another process created it first
		err = s.tryLock("lock", ctx, lock)
	}
	s.noFlock = errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
	if s.noFlock {
		lock, err = s.lockOutside(ctx)
		if err != nil && !errors.Is(err, ErrBusy) {
			return nil // a Stop must complete even if no lock works
		}
	}
	if err != nil && !errors.Is(err, ErrBusy) {
		return fmt.Errorf("lock %s: %w", Dir, err)
	}
	if err == nil {
		s.lock = lock
	}
	return err
}

func lockFile(path string) *flock.Flock {
	const flag = os.O_CREATE | os.O_RDWR | syscall.O_NONBLOCK
	return flock.New(path, flock.SetFlag(flag), flock.SetPermissions(fileMode))
}

// Drive makes this process the only driver of a skill's loop until release is called or the process
// exits. If another process is the driver, release is nil and pid is its process id, or 0 if
// unknown.
func (s *Store) Drive(skill loop.Skill) (release func() error, pid int) {
	path := filepath.Join(s.disk.root.Name(), driverName.of(skill))
	lock := lockFile(path)
	// if locks do not work, let the driver start
	if mine, err := lock.TryLock(); mine || err != nil {
		_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), fileMode)
		return lock.Unlock, 0
	}
	text, _ := os.ReadFile(path)
	pid, _ = strconv.Atoi(string(text))
	return nil, pid
}

// lockOutside locks the project's guard file in the user's state directory. Projects with similar
// paths may share a file, because FileName simplifies the path; they then only wait for each other.
func (s *Store) lockOutside(ctx context.Context) (*flock.Flock, error) {
	home := s.seals.Path()
	if home == "" {
		return nil, errors.New("no state directory")
	}
	path := filepath.Join(home, "guard", seal.FileName(s.project))
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	lock := lockFile(path)
	return lock, s.tryLock("state-lock", ctx, lock)
}

// tryLock waits for the lock for at most guardWait or until ctx ends.
func (s *Store) tryLock(op string, ctx context.Context, lock *flock.Flock) error {
	return s.disk.do(op, guardName, func() error {
		// Try once without a timer, because a timer costs more than the lock itself.
		if ok, err := lock.TryLock(); ok || err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, guardWait)
		defer cancel()
		ok, err := lock.TryLockContext(ctx, guardPoll)
		if !ok && ctx.Err() != nil {
			return ErrBusy
		}
		return err
	})
}
