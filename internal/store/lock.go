package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// Acquire takes the skill's lock (R64), or returns the lock if it is already held. It never removes
// a lock. If several processes try at once, exactly one gets the lock, with or without the guard.
func (s *Store) Acquire(skill loop.Skill, l loop.Lock) (held *loop.Lock, err error) {
	l.Skill = skill
	body, err := codec.Encode(l)
	if err == nil {
		err = lockFormat.check(lockName.of(skill), body)
	}
	if err != nil {
		return nil, fmt.Errorf("acquire lock: %w", err)
	}
	body = append(body, '\n')
	// Retry, because the holder may release the lock between our attempt and our read.
	for range 5 {
		held, err = s.Holder(skill)
		if held != nil || err != nil {
			return held, err
		}
		won, err := s.claim(lockName.of(skill), body)
		if won || err != nil {
			return nil, wrap("acquire lock", err)
		}
	}
	return nil, fmt.Errorf("acquire lock: %w", ErrLockChanged)
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// claim publishes a complete file under the lock's name with a hard link, which fails if the name
// exists. On a file system without hard links, it creates the file under that name, and a process
// without the guard may briefly see an empty file.
func (s *Store) claim(name string, body []byte) (won bool, err error) {
	file, err := s.disk.begin(name, body)
	if err != nil {
		return false, err
	}
	defer file.drop()
	if err := file.wait(); err != nil {
		return false, err
	}
	err = s.disk.link(file.tmp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err == nil, nil
	}
	f, err := s.disk.create(name)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	err = errors.Join(s.disk.write(f, name, body), s.disk.sync(f, name), f.Close())
	if err != nil {
		_ = s.disk.remove(name)
	}
	return err == nil, err
}

// Reap removes the lock that the caller saw and judged stale (R70) or that a person overrode
// (R103). If several processes saw the same lock, one succeeds and the others get ErrLockChanged. A
// nil seen removes an unreadable lock. Reap takes both the guard and the lock in the state
// directory. If the file system's locks do not work, the slower of two processes could otherwise
// remove the lock that the faster one has since acquired.
func (s *Store) Reap(skill loop.Skill, seen *loop.Lock) error {
	return wrap("reap lock", s.guarded(func() error {
		if !s.noFlock {
			lock, err := s.lockOutside(context.Background())
			if errors.Is(err, ErrBusy) {
				return err
			}
			if err == nil {
				defer func() { _ = lock.Unlock() }()
			}
		}
		if err := s.unlockSealed(skill, seen); err != nil {
			return err
		}
		return s.reap(lockName.of(skill), seen)
	}))
}

func (s *Store) reap(name string, seen *loop.Lock) error {
	if !s.holdsLock(name, seen) {
		return ErrLockChanged
	}
	// Without a working guard, other processes may have released and acquired the lock since it was
	// read. So compare the renamed file again.
	tmp := temp(name)
	err := s.disk.rename(name, tmp)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrLockChanged
	case err != nil:
		return err
	case !s.holdsLock(tmp, seen):
		err := s.disk.link(tmp, name)
		_ = s.disk.remove(tmp)
		return errors.Join(ErrLockChanged, err)
	}
	return s.disk.remove(tmp)
}

// holdsLock reports whether a file contains the lock that the caller saw. A nil seen matches a
// damaged file.
func (s *Store) holdsLock(name string, seen *loop.Lock) bool {
	now, err := load[loop.Lock](&s.disk, name, &lockFormat)
	if seen == nil {
		return isDamaged(err)
	}
	if err != nil || now == nil || !now.StartedAt.Equal(seen.StartedAt) {
		return false
	}
	same := *now
	same.StartedAt = seen.StartedAt
	return same == *seen
}

// Release removes the skill's lock if mine accepts it (R67). The caller can thus keep a lock that
// another session acquired after a forced unlock. Release calls mine(nil) for a damaged lock. A
// missing lock is not an error. Release takes the guard.
func (s *Store) Release(skill loop.Skill, mine func(*loop.Lock) bool) error {
	return wrap("release lock", s.guarded(func() error {
		held, err := s.Holder(skill)
		switch {
		case err != nil && isDamaged(err) && mine(nil):
			return s.reap(lockName.of(skill), nil)
		case err != nil, held == nil, !mine(held):
			return err
		}
		// The iteration of this lock may still be open, so record the removal.
		if err := s.unlockSealed(skill, held); err != nil {
			return err
		}
		return s.disk.remove(lockName.of(skill))
	}))
}
