package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"hooks/internal/codec"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
)

// view is everything a reader can tell about a skill, on one line.
func view(t *testing.T, project string) string {
	t.Helper()
	s, err := Open(project)
	if errors.Is(err, os.ErrNotExist) {
		return "nothing"
	}
	ok(t, err)
	defer s.Close()
	st, err := s.recover("work")
	ok(t, err)
	lines, damage := seqs(s)
	same(t, "damaged lines", damage, nil)
	out := fmt.Sprintf("lines%v", lines)
	if st.Budget != nil {
		out += fmt.Sprintf(" budget%d", st.Budget.Seq)
		if r := audit.Of(st.Budget); r != nil {
			out += fmt.Sprintf(" open%d", r.Found.Bugs)
			for _, f := range r.Findings {
				out += fmt.Sprintf(" %s-%s", f.ID, f.State)
			}
		}
	}
	if st.Tick != nil {
		out += fmt.Sprintf(" tick%d", st.Tick.Iteration)
	}
	if st.Claim != nil {
		out += " claim"
	}
	if st.Lock != nil {
		out += fmt.Sprintf(" lock%d", st.Lock.Iteration)
	}
	return out
}

// deeds are what a hook does to the state. Each begins from the state that before makes.
var deeds = map[string]struct {
	before func(*testing.T, *Store)
	do     func(*Store) error
}{
	"first budget": {do: func(s *Store) error { return s.saveBudget("", at(0)) }},
	"budget": {
		before: func(t *testing.T, s *Store) { ok(t, s.saveBudget("", at(0))) },
		do:     func(s *Store) error { return s.saveBudget("", at(1)) },
	},
	"budget elsewhere": {
		before: func(t *testing.T, s *Store) { ok(t, s.saveBudget("b.json", at(0))) },
		do:     func(s *Store) error { return s.saveBudget("b.json", at(1)) },
	},
	"first budget elsewhere": {do: func(s *Store) error { return s.saveBudget("b.json", at(0)) }},
	"tick":                   {do: func(s *Store) error { return s.saveTick(tick(1)) }},
	"next tick": {
		before: func(t *testing.T, s *Store) { ok(t, s.saveTick(tick(1))) },
		do:     func(s *Store) error { return s.saveTick(tick(2)) },
	},
	"claim": {do: func(s *Store) error {
		return s.saveClaim(&loop.Claim{Skill: "work", SessionID: "s", PromptID: "p", Since: noon})
	}},
	"tick removed": {
		before: func(t *testing.T, s *Store) { ok(t, s.saveTick(tick(1))) },
		do:     func(s *Store) error { return s.dropTick("work") },
	},
	"first line": {do: func(s *Store) error { _, err := s.appendHistory(line(1)); return err }},
	"next line": {
		before: func(t *testing.T, s *Store) { grow(t, s, line(1)) },
		do:     func(s *Store) error { _, err := s.appendHistory(line(2)); return err },
	},
	"line after a torn one": {
		before: func(t *testing.T, s *Store) {
			grow(t, s, line(1))
			put(t, s, history, content(t, s, history)+`{"torn":`)
		},
		do: func(s *Store) error { _, err := s.appendHistory(line(2)); return err },
	},
	"line after one without its newline": {
		before: func(t *testing.T, s *Store) {
			put(t, s, history, string(must(codec.Encode(line(1)))))
		},
		do: func(s *Store) error { _, err := s.appendHistory(line(2)); return err },
	},
	"end of an iteration": {
		before: func(t *testing.T, s *Store) {
			grow(t, s, line(1))
			ok(t, s.saveBudget("", at(1)))
			ok(t, s.saveTick(tick(2)))
		},
		do: func(s *Store) error { _, err := s.commit(line(2), "", at(2)); return err },
	},
	"recovery": {
		before: func(t *testing.T, s *Store) {
			grow(t, s, line(1), line(2))
			ok(t, s.saveBudget("", at(1)))
			ok(t, s.saveTick(tick(2)))
		},
		do: func(s *Store) error { _, err := s.recover("work"); return err },
	},
	"first findings": {
		before: func(t *testing.T, s *Store) { ok(t, s.saveBudget("", at(0))) },
		do:     func(s *Store) error { return s.saveBudget("", audited(0, bug(1), bug(2))) },
	},
	"findings": {
		before: func(t *testing.T, s *Store) {
			ok(t, s.saveBudget("", audited(0, bug(1), bug(2))))
		},
		do: resolveFirst,
	},
	"findings of a line that a crash left out": {
		before: func(t *testing.T, s *Store) {
			ok(t, s.saveBudget("", audited(0, bug(1), bug(2))))
			name := findingsName("work", "run-1")
			put(t, s, name, content(t, s, name)+`{"id":"F1","sta`)
		},
		do: resolveFirst,
	},
	"findings at the end of an iteration": {
		before: func(t *testing.T, s *Store) {
			ok(t, s.saveBudget("", audited(0, bug(1))))
			ok(t, s.saveTick(tick(1)))
		},
		do: func(s *Store) error {
			st, err := s.recover("work")
			if err != nil || st.Budget.Seq == 1 {
				return err
			}
			b := audited(1, bug(1), bug(2))
			kept, found := &audit.Of(b).Found, audit.Of(st.Budget).Found
			kept.Bytes, kept.Sum = found.Bytes, found.Sum
			l := line(1)
			l.Budget = *b
			_, err = s.commit(l, "", b)
			return err
		},
	},
	"lock": {do: func(s *Store) error { _, err := s.Acquire("work", *lock(1)); return err }},
	"lock released": {
		before: func(t *testing.T, s *Store) { must(s.Acquire("work", *lock(1))) },
		do:     func(s *Store) error { return s.Release("work", anyLock) },
	},
	"lock reaped": {
		before: func(t *testing.T, s *Store) { must(s.Acquire("work", *lock(1))) },
		do:     func(s *Store) error { return s.Reap("work", lock(1)) },
	},
}

// crash is what a killed process leaves: nothing after it runs, no clean-up either.
type crash struct{}

var modes = map[string]func(n int) func(string) error{
	"one failure": func(n int) func(string) error {
		return func(string) error {
			if n--; n == 0 {
				return syscall.ENOSPC
			}
			return nil
		}
	},
	"disk full from there on": func(n int) func(string) error {
		return func(label string) error {
			if n--; n <= 0 && !strings.HasPrefix(label, "read ") {
				return syscall.ENOSPC
			}
			return nil
		}
	},
	"killed": func(n int) func(string) error {
		return func(string) error {
			if n--; n <= 0 {
				panic(crash{})
			}
			return nil
		}
	},
}

// run does a deed on a fresh project with a fault, and says how far it came.
func run(t *testing.T, before func(*testing.T, *Store), do func(*Store) error,
	fault func(string) error) (project string, err error) {
	t.Helper()
	project = t.TempDir()
	s, err := Create(project)
	ok(t, err)
	defer s.Close()
	if before != nil {
		before(t, s)
	}
	s.disk.fail = fault
	if s.elsewhere != nil {
		s.elsewhere.fail = fault
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(crash); !ours {
				panic(r)
			}
			err = errors.New("killed")
		}
	}()
	return project, do(s)
}

// TestEveryFault fails each single operation of each deed in each mode. Afterwards a reader sees
// the state before or the state after, whole; if the deed said that it is done, the state after.
// The next hook then does the deed again, and nothing counts twice.
func TestEveryFault(t *testing.T) {
	for name, deed := range deeds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, err := run(t, deed.before, func(*Store) error { return nil }, nil)
			ok(t, err)
			total := 0
			done, err := run(t, deed.before, deed.do, func(string) error { total++; return nil })
			ok(t, err)
			before, after := view(t, old), view(t, done)
			if total < 2 {
				t.Fatalf("only %d operations", total)
			}
			for mode, fault := range modes {
				for n := 1; n <= total; n++ {
					at := fmt.Sprintf("%s at operation %d of %d", mode, n, total)
					project, err := run(t, deed.before, deed.do, fault(n))
					got := view(t, project)
					if got != after && (err == nil || got != before) {
						t.Errorf("%s: error %v, state %q, was %q, would be %q", at, err, got,
							before, after)
					}
					if err != nil {
						again(t, at, project, deed.do)
						same(t, at+", again", view(t, project), after)
					}
				}
			}
		})
	}
}

func again(t *testing.T, at, project string, do func(*Store) error) {
	t.Helper()
	s := must(Open(project))
	defer s.Close()
	if err := do(s); err != nil && !errors.Is(err, errCommitted) &&
		!errors.Is(err, ErrLockChanged) {
		t.Errorf("%s, again: %v", at, err)
	}
}

// TestFaultsOfCreate: a half-made folder is finished by the next start.
func TestFaultsOfCreate(t *testing.T) {
	for mode, fault := range modes {
		for n := 1; n <= 14; n++ {
			project := t.TempDir()
			func() {
				defer func() { _ = recover() }()
				if s, err := create(project, fault(n)); err == nil {
					s.Close()
				}
			}()
			view(t, project)
			s, err := Create(project)
			ok(t, err)
			same(t, mode, content(t, s, ".gitignore"), "*\n")
			s.Close()
		}
	}
}

// TestFaultsOfArchive: wherever the move stops, each file is in one of the two places, and a second
// call finishes it.
func TestFaultsOfArchive(t *testing.T) {
	for _, budgetPath := range []string{"", "b.json"} {
		before := func(t *testing.T, s *Store) { full(t, s, budgetPath) }
		archive := func(s *Store) error { return s.Archive("work", "run-1") }
		total := 0
		_, err := run(t, before, archive, func(string) error { total++; return nil })
		ok(t, err)
		for mode, fault := range modes {
			for n := 1; n <= total; n++ {
				at := fmt.Sprintf("%s at operation %d of %d", mode, n, total)
				project, err := run(t, before, archive, fault(n))
				view(t, project) // a recovery in between brings nothing back
				s := must(Open(project))
				if err != nil {
					ok(t, s.Archive("work", "run-1"))
				}
				left := strings.Join(files(t, s), " ")
				if strings.Contains(left, ".json") || strings.Contains(left, "budget-file") {
					t.Errorf("%s: left %s", at, left)
				}
				same(t, at, inArchive(t, s, "run-1"), all)
				s.Close()
			}
		}
	}
}

// TestFaultsOfPublish: wherever it stops, the project has the old text or the new one, whole and
// with its mode, and no file beside it.
func TestFaultsOfPublish(t *testing.T) {
	before := func(t *testing.T, s *Store) {
		ok(t, os.WriteFile(filepath.Join(s.project, "log.md"), []byte("old"), 0o600))
		ok(t, os.Chmod(filepath.Join(s.project, "log.md"), 0o640))
	}
	publish := func(s *Store) error {
		return s.Publish(filepath.Join(s.project, "log.md"), []byte("new"))
	}
	total := 0
	_, err := run(t, before, publish, func(string) error { total++; return nil })
	ok(t, err)
	for mode, fault := range modes {
		for n := 1; n <= total+1; n++ {
			at := fmt.Sprintf("%s at operation %d of %d", mode, n, total)
			project, err := run(t, before, publish, fault(n))
			if names := must(os.ReadDir(project)); len(names) != 2 {
				t.Errorf("%s: left %v", at, names)
			}
			text := string(must(os.ReadFile(filepath.Join(project, "log.md"))))
			if text != "new" && (text != "old" || err == nil) {
				t.Errorf("%s: %q, %v", at, text, err)
			}
			info := must(os.Stat(filepath.Join(project, "log.md")))
			if info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" {
				t.Errorf("%s: mode %v", at, info.Mode())
			}
		}
	}
}

// A guard that cannot be taken is an error or ErrBusy, and never held.
func TestFaultsOfGuard(t *testing.T) {
	for n := 1; n <= 2; n++ {
		s := newStore(t)
		s.disk.fail = modes["one failure"](n)
		if _, err := s.guard(t.Context()); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("operation %d: %v", n, err)
		}
		s.disk.fail = nil
		unlock, err := s.guard(context.Background())
		ok(t, err)
		ok(t, unlock())
	}
}
