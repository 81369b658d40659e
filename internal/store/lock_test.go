package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hooks/internal/loop"
	"hooks/internal/proc"
)

func lock(n int) *loop.Lock {
	return &loop.Lock{Iteration: n, StartedAt: noon, Skill: loop.Work, SessionID: "s-1", Process: loop.Process{PID: 4242}}
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

// TestReapGivesBack: without a guard the lock can change hands between the look and the rename; it must survive that.
func TestReapGivesBack(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.lock", specLock)
	seen, err := s.Holder("work")
	ok(t, err)
	s.disk.fail = func(label string) error {
		if strings.HasPrefix(label, "rename ") {
			put(t, s, "work.lock", string(must(lockText(*lock(1)))))
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

// TestLockBeingWritten: without hard links a lock is empty for a moment, which is not yet damage.
func TestLockBeingWritten(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.lock", "")
	looks := 0
	s.disk.fail = func(label string) error {
		if looks++; label == "read work.lock" && looks == 3 {
			put(t, s, "work.lock", specLock)
		}
		return nil
	}
	held, err := s.Acquire("work", *lock(1))
	ok(t, err)
	same(t, "holder", held.PID, 12345)
}

func TestGuard(t *testing.T) {
	s := newStore(t)
	other, err := Open(s.project)
	ok(t, err)
	defer other.Close()
	outer, err := s.Guard(t.Context())
	ok(t, err)
	inner, err := s.Guard(t.Context())
	ok(t, err)
	ok(t, outer()) // in whatever order they end
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := other.Guard(ctx); !errors.Is(err, ErrBusy) {
		t.Errorf("a held guard gives %v", err)
	}
	ok(t, inner())
	unlock, err := other.Guard(t.Context())
	ok(t, err)
	ok(t, unlock())
	same(t, "unguarded", s.unguarded || other.unguarded, false)
}

// TestLockIsTakenAwayUnderTheGuard: reaping and releasing look and then act, so nobody else may act in between.
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
	unlock, err := other.Guard(t.Context())
	ok(t, err)
	must(s.Acquire("work", *lock(1))) // needs no guard
	ok(t, unlock())
}

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

// The rest is the race of real processes. Each contender is this test binary; it takes the lock, checks that it is
// alone, and lets go or is killed while it holds it, so that others must reap.

func TestMain(m *testing.M) {
	if role := os.Getenv("STORE_TEST_ROLE"); role != "" {
		if err := contend(role); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// contend wins the lock a number of times.
func contend(role string) error {
	project := os.Getenv("STORE_TEST_PROJECT")
	rounds, _ := strconv.Atoi(os.Getenv("STORE_TEST_ROUNDS"))
	s, err := Open(project)
	if err != nil {
		return err
	}
	broken(s, role)
	if role == "append" {
		return appendMany(s, rounds)
	}
	for won := 0; won < rounds; {
		ok, err := attempt(s, role, won)
		if err != nil {
			return err
		}
		if ok {
			won++
		}
	}
	return nil
}

// broken makes the file system of a contender one without hard links, without locks, or one whose locks keep nobody out;
// a "reaper" dies with a stale lock in its hands.
func broken(s *Store, role string) {
	if strings.Contains(role, "lying") {
		s.guards = 1
	}
	reaps := 0
	s.disk.fail = func(label string) error {
		switch {
		case strings.Contains(role, "unlinked") && strings.HasPrefix(label, "link "):
			return syscall.EPERM
		case strings.Contains(role, "lockless") && strings.HasPrefix(label, "lock "):
			return syscall.ENOLCK
		case strings.Contains(role, "reaper") && strings.HasPrefix(label, "rename .work.lock"):
			if reaps++; reaps == 2 {
				die()
			}
		case strings.Contains(role, "lying") && strings.Contains(label, " .work.lock-"): // off the processor in mid-reap
			time.Sleep(time.Duration(rand.IntN(15)) * time.Millisecond)
		}
		return nil
	}
}

func die() {
	self, _ := os.FindProcess(os.Getpid())
	_ = self.Kill()
	select {}
}

// appendMany takes the guard again as soon as it let go, as no hook does: on a busy machine the others, who look every few
// milliseconds, may not get it within the time that a hook waits. They try again; only a lost or broken line is a failure.
func appendMany(s *Store, rounds int) error {
	for n := 0; n < rounds; n++ {
		unlock, err := s.Guard(context.Background())
		if errors.Is(err, ErrBusy) {
			n--
			continue
		}
		if err != nil {
			return err
		}
		it := line(n)
		it.RunID = strconv.Itoa(os.Getpid())
		it.Facts = strings.Repeat("x", n*1000)
		_, err = s.AppendHistory(it)
		if err = errors.Join(err, unlock()); err != nil {
			return err
		}
	}
	return nil
}

func attempt(s *Store, role string, won int) (bool, error) {
	me := loop.Lock{Iteration: won, StartedAt: time.Now().UTC(), Process: proc.Describe(os.Getpid(), "test")}
	held, err := s.Acquire("work", me)
	if err != nil {
		if errors.Is(err, ErrLockChanged) {
			return false, nil
		}
		return false, fmt.Errorf("acquire: %w", err)
	}
	if held != nil {
		if proc.Of(held.Process) != loop.Dead {
			return false, nil
		}
		err := s.Reap("work", held)
		if err != nil && !errors.Is(err, ErrLockChanged) && !errors.Is(err, ErrBusy) {
			return false, fmt.Errorf("reap: %w", err)
		}
		return false, nil
	}
	return true, alone(s, role, won)
}

// alone fails if another process is between its acquiring and its end too.
func alone(s *Store, role string, won int) error {
	inside := filepath.Join(s.project, "inside")
	f, err := os.OpenFile(inside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("two winners: %w", err)
	}
	_ = f.Close()
	if strings.Contains(role, "lying") { // long enough for others to come in
		time.Sleep(5 * time.Millisecond)
	}
	wins, err := os.OpenFile(filepath.Join(s.project, "wins"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if !strings.Contains(role, "reaper") { // which dies at a win that nobody knows
		_, err = wins.WriteString("x")
	}
	if err = errors.Join(err, wins.Close(), os.Remove(inside)); err != nil {
		return err
	}
	if strings.Contains(role, "crash") && won == 3 {
		die()
	}
	mine := func(l *loop.Lock) bool { return l.PID == os.Getpid() && l.Iteration == won }
	for {
		if err := s.Release("work", mine); !errors.Is(err, ErrBusy) {
			return err
		}
	}
}

// race runs contenders of all roles at once and gives their failures.
func race(t *testing.T, s *Store, rounds int, roles ...string) {
	t.Helper()
	var group sync.WaitGroup
	for _, role := range roles {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "STORE_TEST_ROLE="+role, "STORE_TEST_PROJECT="+s.project,
			"STORE_TEST_ROUNDS="+strconv.Itoa(rounds))
		group.Go(func() {
			out, err := cmd.CombinedOutput()
			dies := strings.Contains(role, "crash") || strings.Contains(role, "reaper")
			if crashed := dies && cmd.ProcessState != nil && !cmd.ProcessState.Exited(); err != nil && !crashed {
				t.Errorf("%s: %v: %s", role, err, bytes.TrimSpace(out))
			}
		})
	}
	group.Wait()
}

// TestOneWinner: no two processes ever hold the lock, though holders are killed and their locks are reaped.
func TestOneWinner(t *testing.T) {
	for name, roles := range map[string][]string{
		"linked":   {"plain", "plain", "plain", "plain", "crash", "crash", "crash", "crash"},
		"unlinked": {"unlinked", "unlinked", "unlinked", "unlinked crash", "unlinked crash"},
		"mixed":    {"plain", "unlinked", "crash", "unlinked crash", "plain"},
		"lockless": {"lockless", "lockless", "lockless", "lockless crash", "lockless crash", "lockless reaper", "lockless reaper"},
		"nothing":  {"lockless unlinked", "lockless unlinked", "lockless unlinked crash", "lockless unlinked crash", "lockless unlinked reaper"},
		"lying":    {"lying", "lying", "lying", "lying crash", "lying crash", "lying reaper", "lying reaper"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			const rounds = 40
			want := 0
			for _, role := range roles {
				switch {
				case strings.Contains(role, "crash"):
					want += 4
				case !strings.Contains(role, "reaper"):
					want += rounds
				}
			}
			race(t, s, rounds, roles...)
			same(t, "wins", len(must(os.ReadFile(filepath.Join(s.project, "wins")))), want)
			held, err := s.Holder("work")
			ok(t, err)
			if held != nil && proc.Of(held.Process) != loop.Dead {
				t.Errorf("%+v still holds the lock", held)
			}
		})
	}
}

// TestOneWinnerPerStaleLock: all see the same dead holder at once.
func TestOneWinnerPerStaleLock(t *testing.T) {
	for _, role := range []string{"plain", "lockless", "lying"} {
		for range 10 {
			s := newStore(t)
			put(t, s, "work.lock", strings.Replace(specLock, "12345", "2147483646", 1))
			race(t, s, 1, role, role, role, role, role, role)
			same(t, "files", files(t, s), []string{})
		}
	}
}
