package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"hooks/internal/seal"
)

// without makes locks fail: those of the project's file system, and of the state directory.
func without(s *Store, locks, stateLocks error) {
	s.disk.fail = func(label string) error {
		err := locks
		if strings.HasPrefix(label, "state-lock ") {
			err = stateLocks
		} else if !strings.HasPrefix(label, "lock ") {
			err = nil
		}
		if err != nil {
			return &os.PathError{Op: "flock", Path: guardName, Err: err}
		}
		return nil
	}
}

// On a file system without locks a file of the state directory is locked, and nothing is left in
// the project.
func TestGuardWithoutLocks(t *testing.T) {
	for _, err := range []error{syscall.ENOTSUP, syscall.ENOLCK, syscall.ENOSYS} {
		s := newStore(t)
		other := must(Open(s.project))
		defer other.Close()
		dir := seal.At(t.TempDir())
		for _, one := range []*Store{s, other} {
			one.Seal(dir, func() string { return "" })
			without(one, err, nil)
		}
		outer := must(s.guard(t.Context()))
		inner := must(s.guard(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := other.guard(ctx); !errors.Is(err, ErrBusy) {
			t.Errorf("a held lock gives %v", err)
		}
		ok(t, outer())
		ok(t, inner())
		unlock := must(other.guard(t.Context()))
		must(other.Acquire("work", *lock(1)))
		ok(t, other.Release("work", anyLock))
		ok(t, unlock())
		same(t, "files", files(t, s), []string{})
	}
}

// Without any lock, or with a full disk, a Stop still ends, and a lock is still taken away.
func TestGuardWithoutAnything(t *testing.T) {
	s := newStore(t)
	for name, dir := range map[string]seal.Dir{"none": {}, "full": seal.At(t.TempDir())} {
		put(t, s, "work.lock", specLock)
		s.Seal(dir, func() string { return "" })
		without(s, syscall.ENOLCK, syscall.ENOSPC)
		unlock := must(s.guard(t.Context()))
		same(t, name, s.lock == nil, true)
		ok(t, s.Reap("work", must(s.Holder("work"))))
		ok(t, unlock())
	}
}
