package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"hooks/internal/loop"
	"hooks/internal/proc"
)

// withoutLocks makes a store one on a file system without locks.
func withoutLocks(s *Store, err error) {
	s.disk.fail = func(label string) error {
		if strings.HasPrefix(label, "lock ") {
			return &os.PathError{Op: "flock", Path: guardName, Err: err}
		}
		return nil
	}
}

// TestGuardWithoutLocks: a turn stands in for the file lock, and leaves nothing behind.
func TestGuardWithoutLocks(t *testing.T) {
	for _, err := range []error{syscall.ENOTSUP, syscall.ENOLCK, syscall.ENOSYS} {
		s := newStore(t)
		withoutLocks(s, err)
		other := must(Open(s.project))
		defer other.Close()
		withoutLocks(other, err)
		outer := must(s.Guard(t.Context()))
		inner := must(s.Guard(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := other.Guard(ctx); !errors.Is(err, ErrBusy) {
			t.Errorf("a taken turn gives %v", err)
		}
		ok(t, outer())
		ok(t, inner())
		unlock := must(other.Guard(t.Context()))
		must(other.Acquire("work", *lock(1)))
		ok(t, other.Release("work", anyLock))
		ok(t, unlock())
		same(t, "files", files(t, s), []string{})
		same(t, "unguarded", s.unguarded || other.unguarded, false)
		_, locks, err := s.Probe()
		ok(t, err)
		same(t, "locks", locks, Turns)
	}
}

// TestGuardWithoutAnything: a full disk keeps no Stop from letting go, but it keeps a lock where it is.
func TestGuardWithoutAnything(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.lock", specLock)
	s.disk.fail = func(label string) error {
		switch label {
		case "lock " + guardName:
			return syscall.ENOLCK
		case "turn " + turnName:
			return syscall.ENOSPC
		}
		return nil
	}
	unlock := must(s.Guard(t.Context()))
	same(t, "unguarded", s.unguarded, true)
	seen := must(s.Holder("work"))
	if err := s.Reap("work", seen); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("reaping out of turn: %v", err)
	}
	ok(t, s.Release("work", anyLock))
	ok(t, unlock())
}

// TestTurnOfTheDeadIsTaken: whoever died in its turn, or before it was over, keeps nobody out.
func TestTurnOfTheDeadIsTaken(t *testing.T) {
	here := proc.Describe(os.Getpid(), "")
	gone := loop.Process{PID: 1<<31 - 2, Start: here.Start, Host: here.Host}
	again, away := here, here
	again.Start, away.Host = "1@another-boot", "elsewhere"
	for name, c := range map[string]struct {
		left []string
		old  bool
		free bool
	}{
		"dead":                        {[]string{makerName(gone)}, false, true},
		"dead, its number used again": {[]string{makerName(again)}, false, true},
		"nobody's any more":           {nil, false, true},
		"alive":                       {[]string{makerName(here)}, true, false},
		"of another host":             {[]string{makerName(away)}, false, false},
		"of another host, long ago":   {[]string{makerName(away)}, true, true},
		"of no form":                  {[]string{"x"}, false, false},
		"of no form, long ago":        {[]string{"x"}, true, true},
		"dead and alive":              {[]string{makerName(gone), makerName(here)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			withoutLocks(s, syscall.ENOLCK)
			ok(t, os.Mkdir(path(s, turnName), 0o700))
			for _, f := range c.left {
				put(t, s, turnName+"/"+f, "")
				if c.old {
					ok(t, os.Chtimes(path(s, turnName+"/"+f), noon, time.Now().Add(-2*turnAge)))
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if c.free { // within the wait of every hook
				ctx = t.Context()
			}
			unlock, err := s.Guard(ctx)
			if !c.free {
				if !errors.Is(err, ErrBusy) {
					t.Errorf("error is %v", err)
				}
				return
			}
			ok(t, err)
			ok(t, unlock())
			same(t, "files", files(t, s), []string{})
		})
	}
}

// TestTurnIsAFolder: what else stands under its name is neither followed nor removed.
func TestTurnIsAFolder(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.lock", specLock)
	ok(t, os.Mkdir(path(s, "archive"), 0o700))
	put(t, s, "archive/x", "")
	ok(t, os.Chtimes(path(s, "archive/x"), noon, time.Now().Add(-2*turnAge)))
	ok(t, os.Symlink("archive", path(s, turnName)))
	if err := s.Reap("work", must(s.Holder("work"))); damaged(err) == nil {
		t.Errorf("error is %v", err)
	}
	same(t, "what it leads to", content(t, s, "archive/x"), "")
}

// TestMakerName: a process comes back from the name of its file, whatever its host is called.
func TestMakerName(t *testing.T) {
	p := loop.Process{PID: 4242, Start: "77@00-aa", Host: "a.b-c"}
	same(t, "maker", maker(makerName(p)), p)
	p.Host = strings.Repeat("~/..\\:é", 40)
	name := makerName(p)
	if maker(name).PID != 4242 || strings.ContainsAny(name, `/\:`) || len(name) > 200 {
		t.Errorf("name is %q", name)
	}
	if makerName(p) == name {
		t.Error("a name was used twice")
	}
}
