package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"hooks/internal/loop"
)

// beingWritten is how long an empty lock may be one that another process is about to fill. It takes
// a few milliseconds, but a busy machine may stop that process in between; only a damaged lock
// costs the whole wait.
const beingWritten = 200 * time.Millisecond

// Acquire takes the skill's lock (R64), or returns who holds it. It takes nothing away: of any
// number of processes exactly one gets an absent lock, with or without the guard, and nobody ever
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
	body, err := compact(l)
	if err != nil {
		return nil, err
	}
	return append(body, '\n'), lockFormat.check(lockName(l.Skill), body)
}

// written is Holder, once the lock is not being written any more: what cannot be read is looked at
// again for a while.
func (s *Store) written(skill loop.Skill) (*loop.Lock, error) {
	held, err := s.Holder(skill)
	damage := (*DamagedError)(nil)
	for wait := time.Duration(0); errors.As(err, &damage) && wait < beingWritten; wait += 5 * time.Millisecond {
		time.Sleep(5 * time.Millisecond)
		held, err = s.Holder(skill)
	}
	return held, err
}

// claim gives a complete file the lock's name, which link does only if nobody has it.
func (s *Store) claim(name string, body []byte) (won bool, err error) {
	tmp, err := s.disk.complete(name, body)
	if err != nil {
		return false, err
	}
	defer func() { _ = s.disk.remove(tmp) }() // else it is swept later
	err = s.disk.link(tmp, name)
	switch {
	case err == nil, s.same(tmp, name): // over a network the answer to a link that was made can be lost
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

// claimUnlinked is claim on a file system without hard links. It is as exclusive, but others can
// see the lock empty for a moment.
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

// Reap takes away the lock that was seen and judged stale (R70), or overridden by a person (R103).
// Of several processes that saw the same lock one succeeds; the others, and one that comes too
// late, get ErrLockChanged. A nil seen reaps a lock that cannot be read. The guard is taken if the
// caller does not hold it, and the turn besides: with a guard that guards nothing, two could take
// the same lock for stale, and the slower one would take away the lock that the faster one has
// acquired since.
func (s *Store) Reap(skill loop.Skill, seen *loop.Lock) error {
	return wrap("reap lock", s.guarded(func() error {
		if err := s.unlockSealed(skill, seen); err != nil {
			return err
		}
		return s.inTurn(func() error { return s.reap(lockName(skill), seen) })
	}))
}

func (s *Store) guarded(do func() error) error {
	unlock, err := s.Guard(context.Background())
	if err != nil {
		return err
	}
	return errors.Join(do(), unlock())
}

func (s *Store) reap(name string, seen *loop.Lock) error {
	if !s.is(name, seen) {
		return ErrLockChanged
	}
	// Nobody else reaps now. Only where the guard guards nothing may its own session have released
	// it and another have acquired since the look above, so the look is repeated at what was taken.
	tmp := temp(name)
	if err := s.disk.rename(name, tmp); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return ErrLockChanged
		}
		return err
	}
	if !s.is(tmp, seen) {
		err := s.disk.link(tmp, name)
		_ = s.disk.remove(tmp)
		return errors.Join(ErrLockChanged, err)
	}
	return s.disk.remove(tmp)
}

// is says whether a file holds the lock that was seen.
func (s *Store) is(name string, seen *loop.Lock) bool {
	now, err := load(&s.disk, name, decodeLock)
	damage := (*DamagedError)(nil)
	switch {
	case seen == nil:
		return errors.As(err, &damage)
	case err != nil || now == nil:
		return false
	}
	return now.StartedAt.Equal(seen.StartedAt) && now.Iteration == seen.Iteration && now.Process == seen.Process &&
		now.SessionID == seen.SessionID && now.RunID == seen.RunID && now.Skill == seen.Skill
}

// Release removes the skill's lock if mine says that it is ours (R67). Another's lock, as after a
// forced unlock, stays, and an absent one is fine. The guard is taken if the caller does not hold
// it.
func (s *Store) Release(skill loop.Skill, mine func(*loop.Lock) bool) error {
	return wrap("release lock", s.guarded(func() error {
		held, err := s.Holder(skill)
		if err != nil || held == nil || !mine(held) {
			return err
		}
		if err := s.unlockSealed(skill, held); err != nil { // its iteration may not be closed
			return err
		}
		return s.disk.remove(lockName(skill))
	}))
}
