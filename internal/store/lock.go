package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// beingWritten bounds the wait for another process to fill an empty lock. That takes a few
// milliseconds, but a busy machine may stop the process in between. Only a damaged lock costs the
// whole wait.
const beingWritten = 200 * time.Millisecond

// Acquire takes the skill's lock (R64), or returns who holds it. It takes nothing away: of any
// number of processes exactly one gets an absent lock, with or without the guard, and no one ever
// sees a half-written one.
func (s *Store) Acquire(skill loop.Skill, l loop.Lock) (held *loop.Lock, err error) {
	l.Skill = skill
	body, err := lockText(l)
	if err != nil {
		return nil, fmt.Errorf("acquire lock: %w", err)
	}
	// A few rounds, because a holder may let go between our attempt and our look at it.
	for range 5 {
		held, err = s.written(skill)
		if held != nil || err != nil {
			return held, err
		}
		won, err := s.claim(lockName(skill), body)
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

func lockText(l loop.Lock) ([]byte, error) {
	body, err := codec.Encode(l)
	if err != nil {
		return nil, err
	}
	return append(body, '\n'), lockFormat.check(lockName(l.Skill), body)
}

// written is Holder once the lock is complete. A lock that cannot be read is read again for a
// while.
func (s *Store) written(skill loop.Skill) (*loop.Lock, error) {
	const pause = 5 * time.Millisecond
	held, err := s.Holder(skill)
	for wait := time.Duration(0); isDamaged(err) && wait < beingWritten; wait += pause {
		time.Sleep(pause)
		held, err = s.Holder(skill)
	}
	return held, err
}

// claim gives a complete file the lock's name, which link does only if no one has it.
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
	switch {
	case err == nil, s.same(file.tmp, name): // a network may lose the answer to a link
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return s.claimUnlinked(name, body)
}

func (s *Store) same(a, b string) bool {
	first, err := s.disk.root.Lstat(a)
	if err != nil {
		return false
	}
	second, err := s.disk.root.Lstat(b)
	return err == nil && os.SameFile(first, second)
}

// claimUnlinked is claim on a file system without hard links. It is as exclusive, but others see
// the lock empty for a moment.
func (s *Store) claimUnlinked(name string, body []byte) (won bool, err error) {
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

// Reap removes the lock that was seen and judged stale (R70), or overridden by a person (R103). Of
// several processes that saw the same lock one succeeds; the others, and a late one, get
// ErrLockChanged. A nil seen removes a lock that cannot be read. The guard is taken if the caller
// does not hold it, and so is the lock outside of the project: on a file system whose locks keep
// no one out the slower of two processes would remove the lock that the faster one has acquired
// since.
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
		return s.reap(lockName(skill), seen)
	}))
}

func (s *Store) reap(name string, seen *loop.Lock) error {
	if !s.is(name, seen) {
		return ErrLockChanged
	}
	// No other process reaps now. But if the guard could not lock, the lock's own session may have
	// released it and another may have acquired it since, so the renamed file is compared once
	// more.
	tmp := temp(name)
	err := s.disk.rename(name, tmp)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrLockChanged
	case err != nil:
		return err
	case !s.is(tmp, seen):
		err := s.disk.link(tmp, name)
		_ = s.disk.remove(tmp)
		return errors.Join(ErrLockChanged, err)
	}
	return s.disk.remove(tmp)
}

// is reports whether a file holds the lock that was seen.
func (s *Store) is(name string, seen *loop.Lock) bool {
	now, err := load(&s.disk, name, decodeLock)
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

// Release removes the skill's lock if mine accepts it as ours (R67). Another's lock, as after a
// forced unlock, stays, and an absent one is fine. mine gets nil for a lock that was overwritten
// and cannot be read. The guard is taken if the caller does not hold it.
func (s *Store) Release(skill loop.Skill, mine func(*loop.Lock) bool) error {
	return wrap("release lock", s.guarded(func() error {
		held, err := s.Holder(skill)
		if isDamaged(err) && mine(nil) {
			return s.reap(lockName(skill), nil)
		}
		if err != nil || held == nil || !mine(held) {
			return err
		}
		// The iteration of this lock may still be open.
		if err := s.unlockSealed(skill, held); err != nil {
			return err
		}
		return s.disk.remove(lockName(skill))
	}))
}
