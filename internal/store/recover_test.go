package store

import (
	"os"
	"strings"
	"testing"
	"time"

	"hooks/internal/loop"
)

func recovered(t *testing.T, s *Store) State {
	t.Helper()
	st, err := s.recover("work")
	ok(t, err)
	again, err := s.recover("work")
	ok(t, err)
	if d := diff(st, again); d != "" {
		t.Errorf("recovering again changes the state:\n%s", d)
	}
	return st
}

// TestCrashBetweenTheStepsOfAnEnd: wherever it stops after the history line, the iteration counts.
func TestCrashBetweenTheStepsOfAnEnd(t *testing.T) {
	for after := range 4 {
		s := newStore(t)
		ok(t, s.saveBudget("", at(1)))
		grow(t, s, line(1))
		ok(t, s.saveTick(tick(2)))
		steps := []func() error{
			func() error { _, err := s.appendHistory(line(2)); return err },
			func() error { return s.saveBudget("", at(2)) },
			func() error { return s.dropTick("work") },
		}
		for _, step := range steps[:after] {
			ok(t, step())
		}
		st := recovered(t, s)
		want := 2
		if after == 0 {
			want = 1
		}
		same(t, "seq", st.Budget.Seq, want)
		same(t, "used", st.Budget.IterationsUsed, want)
		same(t, "an open tick", st.Tick != nil, after == 0)
	}
}

func TestCommit(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveTick(tick(1)))
	syncs := 0
	s.disk.fail = func(label string) error {
		if label == "sync folder" {
			syncs++
		}
		return nil
	}
	created, err := s.commit(line(1), "", at(1))
	ok(t, err)
	same(t, "created", created, true)
	same(t, "syncs with a new history", syncs, 2)
	ok(t, s.saveTick(tick(2)))
	syncs = 0
	created, err = s.commit(line(2), "", at(2))
	ok(t, err)
	same(t, "created", created, false)
	same(t, "syncs", syncs, 1)
	st := recovered(t, s)
	same(t, "seq", st.Budget.Seq, 2)
	same(t, "files", files(t, s), []string{"work.budget.json", history})
}

func TestWhichTickALineClosed(t *testing.T) {
	ended := func(change func(*loop.Tick, *loop.Iteration)) (*loop.Tick, *loop.Iteration) {
		tk, l := tick(2), line(2)
		change(tk, l)
		return tk, l
	}
	tests := map[string]struct {
		change func(*loop.Tick, *loop.Iteration)
		open   bool
	}{
		"its own": {func(*loop.Tick, *loop.Iteration) {}, false},
		"its own, by prompt": {func(tk *loop.Tick, l *loop.Iteration) {
			tk.Prompts, l.Budget.LastPrompts = []string{"a", "b"}, []string{"b"}
		}, false},
		"of a skipped tick": {func(_ *loop.Tick, l *loop.Iteration) {
			l.Outcome = loop.SkippedLock
		}, true},
		"of another run": {func(tk *loop.Tick, _ *loop.Iteration) {
			tk.RunID = "run-0"
		}, true},
		"of the iteration before": {func(tk *loop.Tick, _ *loop.Iteration) {
			tk.Iteration = 3
		}, true},
		"resumed with that number": {func(tk *loop.Tick, _ *loop.Iteration) {
			tk.StartedAt = noon.Add(time.Hour)
		}, true},
		"resumed in that second": {func(tk *loop.Tick, l *loop.Iteration) {
			tk.Prompts, l.Budget.LastPrompts = []string{"c"}, []string{"b"}
		}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			tk, l := ended(tt.change)
			ok(t, s.saveBudget("", at(2)))
			grow(t, s, l)
			ok(t, s.saveTick(tk))
			same(t, "open", recovered(t, s).Tick != nil, tt.open)
		})
	}
}

// TestSkipAfterTheCrash: a skipped tick's line is behind the one that committed, and must not
// hide it.
func TestSkipAfterTheCrash(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveBudget("", at(1)))
	ok(t, s.saveTick(tick(2)))
	grow(t, s, line(1), line(2))
	skip, other := line(1), line(9)
	skip.Outcome, other.RunID, other.Budget.RunID = loop.SkippedLock, "run-2", "run-2"
	grow(t, s, skip, other)
	st := recovered(t, s)
	same(t, "seq", st.Budget.Seq, 2)
	same(t, "run", st.Budget.RunID, "run-1")
	same(t, "an open tick", st.Tick != nil, false)
}

func TestVanishedBudget(t *testing.T) {
	prepare := func(status loop.Status, open bool) *Store {
		s := newStore(t)
		l := line(1)
		l.Budget.Status = status
		grow(t, s, l)
		if open {
			ok(t, s.saveTick(tick(2)))
		}
		return s
	}
	st := recovered(t, prepare(loop.Active, true))
	same(t, "restored seq", st.Budget.Seq, 1)
	same(t, "the tick stays", st.Tick != nil, true)
	for _, s := range []*Store{prepare(loop.Active, false), prepare(loop.Halted, true),
		prepare(loop.Paused, true)} {
		if st := recovered(t, s); st.Budget != nil {
			t.Errorf("restored %+v", st.Budget)
		}
	}
}

func TestVanishedBudgetElsewhere(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveBudget("b.json", at(1)))
	grow(t, s, line(1))
	ok(t, s.saveTick(tick(2)))
	ok(t, os.Remove(s.project+"/b.json"))
	st := recovered(t, s)
	same(t, "path", st.BudgetPath, "b.json")
	_, err := os.Stat(s.project + "/b.json")
	ok(t, err)
}

// TestSnapshotThatSaysLessThanItsLine is taken once, not again and again over what was saved since.
func TestSnapshotThatSaysLessThanItsLine(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveBudget("", at(0)))
	l := line(3)
	l.Budget.Seq = 0
	grow(t, s, l)
	same(t, "seq", recovered(t, s).Budget.Seq, 3)
}

func TestRecoverKeepsUnknownFields(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveBudget("", at(1)))
	put(t, s, "work.budget.json",
		strings.Replace(content(t, s, "work.budget.json"), "{", `{"mine":7,`, 1))
	grow(t, s, line(2))
	same(t, "seq", recovered(t, s).Budget.Seq, 2)
	holds(t, "budget", content(t, s, "work.budget.json"), `"mine": 7`)
}

func TestRecoverTouchesNothingDamaged(t *testing.T) {
	for _, name := range []string{"work.budget.json", "work.tick.json", "work.budget-file"} {
		s := newStore(t)
		ok(t, s.saveBudget("", at(1)))
		ok(t, s.saveTick(tick(2)))
		grow(t, s, line(2))
		put(t, s, name, `{"torn`+"\n"+"x")
		if _, err := s.recover("work"); damaged(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
		same(t, name, content(t, s, name), `{"torn`+"\nx")
	}
}
