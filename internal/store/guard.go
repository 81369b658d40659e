package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	guardName = ".guard"
	guardWait = 2 * time.Second
	guardPoll = 3 * time.Millisecond
)

// Guard makes this process the only one that changes the state, until unlock. It waits at most two seconds, less
// when ctx ends earlier, and then fails with ErrBusy. The kernel frees it when the process dies, and its file is never
// deleted. Taking it again while it is held costs nothing.
//
// On a file system without locks the turn stands in for it. Where that cannot be had either, as on a full disk, it succeeds
// all the same: atomic replacement and the exclusive lock file still hold, only two hooks in the same moment may then
// overwrite each other's counters.
func (s *Store) Guard(ctx context.Context) (unlock func() error, err error) {
	if s.guards == 0 {
		if err := s.take(ctx); err != nil {
			return nil, err
		}
	}
	s.guards++
	return s.let, nil
}

// let ends one Guard; the last one frees the lock.
func (s *Store) let() error {
	s.guards--
	switch {
	case s.guards > 0:
		return nil
	case s.turn != "":
		return s.leaveTurn()
	case s.lock == nil:
		return nil
	}
	lock := s.lock
	s.lock = nil
	return lock.Unlock()
}

func (s *Store) take(ctx context.Context) error {
	if s.noFlock {
		return s.guardByTurn(ctx)
	}
	lock, err := s.flock()
	if err != nil {
		return fmt.Errorf("guard %s: %w", Dir, err)
	}
	switch ok, err := s.try(ctx, lock); {
	case lockless(err):
		s.noFlock = true
		return s.guardByTurn(ctx)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), err == nil && !ok:
		return ErrBusy
	case err != nil:
		return fmt.Errorf("guard %s: %w", Dir, err)
	}
	s.lock = lock
	return nil
}

func (s *Store) guardByTurn(ctx context.Context) error {
	err := s.takeTurn(ctx)
	if s.unguarded = err != nil && !errors.Is(err, ErrBusy); s.unguarded {
		return nil
	}
	return err
}

// flock makes the guard's file, closed to others, and refuses one that is no file.
func (s *Store) flock() (*flock.Flock, error) {
	switch _, err := s.disk.regular(guardName); {
	case errors.Is(err, fs.ErrNotExist):
		f, err := s.disk.create(guardName)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err == nil {
			_ = f.Close()
		}
	case err != nil:
		return nil, err
	}
	path := filepath.Join(s.disk.root.Name(), guardName)
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(fileMode)), nil
}

func (s *Store) try(ctx context.Context, lock *flock.Flock) (bool, error) {
	if err := s.disk.at("lock", guardName); err != nil {
		return false, err
	}
	if ok, err := lock.TryLock(); ok || err != nil { // without a clock, which costs more than the lock
		return ok, err
	}
	ctx, cancel := context.WithTimeout(ctx, guardWait)
	defer cancel()
	return lock.TryLockContext(ctx, guardPoll)
}

// lockless says whether an error means that this file system has no locks at all.
func lockless(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}
