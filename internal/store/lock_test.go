package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	same(t, "unguarded", s.Unguarded() || other.Unguarded(), false)
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

func TestGuardWithoutLocks(t *testing.T) {
	for _, err := range []error{syscall.ENOTSUP, syscall.ENOLCK, syscall.ENOSYS} {
		s := newStore(t)
		s.disk.fail = func(label string) error {
			if strings.HasPrefix(label, "lock ") {
				return &os.PathError{Op: "flock", Path: guardName, Err: err}
			}
			return nil
		}
		unlock, err := s.Guard(t.Context())
		ok(t, err)
		same(t, "unguarded", s.Unguarded(), true)
		must(s.Acquire("work", *lock(1)))
		ok(t, s.Release("work", anyLock))
		ok(t, unlock())
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
	if strings.Contains(role, "unlinked") {
		s.disk.fail = func(label string) error {
			if strings.HasPrefix(label, "link ") {
				return syscall.EPERM
			}
			return nil
		}
	}
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
	wins, err := os.OpenFile(filepath.Join(s.project, "wins"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = wins.WriteString("x")
	if err = errors.Join(err, wins.Close(), os.Remove(inside)); err != nil {
		return err
	}
	if strings.Contains(role, "crash") && won == 3 {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
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
			if crashed := strings.Contains(role, "crash") && cmd.ProcessState != nil && !cmd.ProcessState.Exited(); err != nil && !crashed {
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
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			const rounds = 40
			want := 0
			for _, role := range roles {
				if strings.Contains(role, "crash") {
					want += 4
				} else {
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
	for range 15 {
		s := newStore(t)
		put(t, s, "work.lock", strings.Replace(specLock, "12345", "2147483646", 1))
		race(t, s, 1, "plain", "plain", "plain", "plain")
		same(t, "files", files(t, s), []string{})
	}
}
