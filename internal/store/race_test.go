package store

import (
	"bytes"
	"context"
	"errors"
	"flag"
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
	"hooks/internal/seal"
	"hooks/scripts/driver"
	"hooks/scripts/forgetest"
)

// This is a race of real processes. Each contender is this test binary; it takes the lock, checks
// that it is alone, and lets go or is killed while it holds it, so that others must reap.

func TestMain(m *testing.M) {
	if role := os.Getenv("STORE_TEST_ROLE"); role != "" {
		if err := contend(role); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	forgetest.Alone()
	driver.InMemory()
	if os.Getenv("HOOKS_WHOLE") == "" {
		_ = flag.Set("rapid.checks", "25")
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
	s.Seal(seal.At(project+".state"), func() string { return "" })
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

// broken makes the file system of a contender one without hard links, without locks, or one whose
// locks keep no one out; a "reaper" dies with a stale lock in its hands.
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
		case strings.Contains(role, "lying") && strings.Contains(label, " .work.lock-"):
			// off the processor in mid-reap
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

// appendMany takes the guard again as soon as it let go, as no hook does: on a busy machine the
// others, who look every few milliseconds, may not get it within the time that a hook waits. They
// try again; only a lost or broken line is a failure.
func appendMany(s *Store, rounds int) error {
	for n := 0; n < rounds; n++ {
		unlock, err := s.guard(context.Background())
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
		_, err = s.appendHistory(it)
		if err = errors.Join(err, unlock()); err != nil {
			return err
		}
	}
	return nil
}

func attempt(s *Store, role string, won int) (bool, error) {
	me := loop.Lock{Iteration: won, StartedAt: time.Now().UTC(),
		Process: proc.Describe(os.Getpid(), "test")}
	held, err := s.Acquire("work", me)
	if err != nil {
		// or a rival without links is kept from writing its own
		if errors.Is(err, ErrLockChanged) || damaged(err) != nil {
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
	wins, err := os.OpenFile(filepath.Join(s.project, "wins"), os.O_CREATE|os.O_APPEND|os.O_WRONLY,
		0o600)
	if err != nil {
		return err
	}
	if !strings.Contains(role, "reaper") { // which dies at a win that no one knows
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
			if crashed := dies && cmd.ProcessState != nil &&
				!cmd.ProcessState.Exited(); err != nil && !crashed {
				t.Errorf("%s: %v: %s", role, err, bytes.TrimSpace(out))
			}
		})
	}
	group.Wait()
}

// TestOneWinner: no two processes ever hold the lock, though holders are killed and their locks are
// reaped.
func TestOneWinner(t *testing.T) {
	for name, roles := range map[string][]string{
		"linked":   {"plain", "plain", "plain", "plain", "crash", "crash", "crash", "crash"},
		"unlinked": {"unlinked", "unlinked", "unlinked", "unlinked crash", "unlinked crash"},
		"mixed":    {"plain", "unlinked", "crash", "unlinked crash", "plain"},
		"lockless": {"lockless", "lockless", "lockless", "lockless crash", "lockless crash",
			"lockless reaper", "lockless reaper"},
		"nothing": {"lockless unlinked", "lockless unlinked", "lockless unlinked crash",
			"lockless unlinked crash", "lockless unlinked reaper"},
		"lying": {"lying", "lying", "lying", "lying crash", "lying crash", "lying reaper",
			"lying reaper"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			rounds, want := 10, 0
			if os.Getenv("HOOKS_WHOLE") != "" {
				rounds = 40
			}
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
	times := 3
	if os.Getenv("HOOKS_WHOLE") != "" {
		times = 10
	}
	for _, role := range []string{"plain", "lockless", "lying"} {
		for range times {
			s := newStore(t)
			put(t, s, "work.lock", strings.Replace(specLock, "12345", "2147483646", 1))
			race(t, s, 1, role, role, role, role, role, role)
			same(t, "files", files(t, s), []string{})
		}
	}
}
