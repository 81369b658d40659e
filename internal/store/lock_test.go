package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hooks/internal/codec"
	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
)

func lock(n int) *loop.Lock {
	return &loop.Lock{Iteration: n, StartedAt: noon, Skill: backlog.Work, SessionID: "s-1",
		Process: loop.Process{PID: 4242}}
}

func anyLock(*loop.Lock) bool { return true }

func TestAcquireAndRelease(t *testing.T) {
	s := newStore(t)
	held, err := s.Acquire("work", *lock(1))
	ok(t, err)
	same(t, "holder", held, nil)
	other := lock(2)
	other.SessionID = "s-2"
	held, err = s.Acquire("work", *other)
	ok(t, err)
	same(t, "holder", held, lock(1))
	held, err = s.Acquire("review", *other)
	ok(t, err)
	same(t, "holder of the other skill", held, nil)

	ok(t, s.Release("work", func(l *loop.Lock) bool { return l.SessionID == "s-2" }))
	held, err = s.Holder("work")
	ok(t, err)
	same(t, "holder after another's release", held, lock(1))
	ok(t, s.Release("work", func(l *loop.Lock) bool { return l.SessionID == "s-1" }))
	ok(t, s.Release("work", anyLock))
	same(t, "files", files(t, s), []string{"review.lock"})
}

func TestReap(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.lock", specLock)
	seen, err := s.Holder("work")
	ok(t, err)
	ok(t, s.Reap("work", seen))
	if err := s.Reap("work", seen); !errors.Is(err, ErrLockChanged) {
		t.Errorf("reaping it twice: %v", err)
	}
	must(s.Acquire("work", *lock(1)))
	if err := s.Reap("work", seen); !errors.Is(err, ErrLockChanged) {
		t.Errorf("reaping another's lock: %v", err)
	}
	held, err := s.Holder("work")
	ok(t, err)
	same(t, "holder", held, lock(1))
	if err := s.Reap("work", nil); !errors.Is(err, ErrLockChanged) {
		t.Errorf("reaping a readable lock as damaged: %v", err)
	}
	put(t, s, "work.lock", "")
	if _, err := s.Acquire("work", *lock(1)); damaged(err) == nil {
		t.Errorf("acquiring over an empty lock: %v", err)
	}
	ok(t, s.Reap("work", nil))
	same(t, "files", files(t, s), []string{})
}

// TestReapGivesBack: without a guard the lock can change hands between the look and the rename; it
// must survive that.
func TestReapGivesBack(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.lock", specLock)
	seen, err := s.Holder("work")
	ok(t, err)
	s.disk.fail = func(label string) error {
		if strings.HasPrefix(label, "rename ") {
			put(t, s, "work.lock", string(must(codec.Encode(*lock(1)))))
		}
		return nil
	}
	if err := s.Reap("work", seen); !errors.Is(err, ErrLockChanged) {
		t.Errorf("error is %v", err)
	}
	held, err := s.Holder("work")
	ok(t, err)
	same(t, "holder", held, lock(1))
	same(t, "files", files(t, s), []string{"work.lock"})
}

func TestGuard(t *testing.T) {
	s := newStore(t)
	other, err := Open(s.project)
	ok(t, err)
	defer other.Close()
	outer, err := s.guard(t.Context())
	ok(t, err)
	inner, err := s.guard(t.Context())
	ok(t, err)
	ok(t, outer()) // in whatever order they end
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := other.guard(ctx); !errors.Is(err, ErrBusy) {
		t.Errorf("a held guard gives %v", err)
	}
	ok(t, inner())
	unlock, err := other.guard(t.Context())
	ok(t, err)
	ok(t, unlock())
}

// TestLockIsTakenAwayUnderTheGuard: reaping and releasing look and then act, so no one else may act
// in between.
func TestLockIsTakenAwayUnderTheGuard(t *testing.T) {
	s := newStore(t)
	guards := 0
	s.disk.fail = func(label string) error {
		if label == "lock "+guardName {
			guards++
		}
		return nil
	}
	must(s.Acquire("work", *lock(1)))
	ok(t, s.Reap("work", lock(1)))
	must(s.Acquire("work", *lock(1)))
	ok(t, s.Release("work", anyLock))
	same(t, "times the guard was taken", guards, 2)
	other := must(Open(s.project))
	defer other.Close()
	unlock, err := other.guard(t.Context())
	ok(t, err)
	must(s.Acquire("work", *lock(1))) // needs no guard
	ok(t, unlock())
}
