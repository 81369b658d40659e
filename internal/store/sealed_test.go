package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hooks/internal/kind"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// sealedIn makes active budgets of a run whose record is in that folder.
func sealedIn(dir seal.Dir) func(n int) *loop.Budget {
	return func(n int) *loop.Budget {
		b := at(n)
		b.SealedIn, b.Status = dir.Path(), loop.Active
		return b
	}
}

// TestRecordOlderThanItsFiles: after a power cut the record may be older than what was synced, and
// that is no tampering. Without one, a line that the record does not know is somebody else's.
func TestRecordOlderThanItsFiles(t *testing.T) {
	for _, rebooted := range []bool{true, false} {
		s := newStore(t)
		dir, boot := seal.At(t.TempDir()), "b1"
		s.Seal(dir, func() string { return boot })
		sealed := sealedIn(dir)
		ok(t, s.saveBudget("", sealed(0)))
		_, err := s.commit(line(1), "", sealed(1))
		ok(t, err)
		older, err := dir.Find(at(1).SessionID)
		ok(t, err)
		_, err = s.commit(line(2), "", sealed(2))
		ok(t, err)
		older.Loops[0].State.Budget = seal.Trim([]byte(content(t, s, "work.budget.json")))
		ok(t, dir.Save(older))
		if rebooted {
			boot = "b2"
		}
		for range 2 {
			_, err = s.load(at(1).SessionID, "work", true)
			same(t, "believed", err == nil, rebooted)
		}
		_, err = s.commit(line(3), "", sealed(3))
		ok(t, err)
	}
}

// A power cut loses the last notes of a record, at whatever step of an iteration.
func TestRecordWithoutItsLastNotes(t *testing.T) {
	for files := range 4 {
		for record := range files + 1 {
			s := newStore(t)
			dir, boot := seal.At(t.TempDir()), "b1"
			s.Seal(dir, func() string { return boot })
			sealed := sealedIn(dir)
			_, err := s.Acquire("work", *lock(1))
			ok(t, err)
			path, kept := seal.SwitchPath(dir.Path(), at(1).SessionID), []byte(nil)
			for n, change := range []func() error{
				func() error { return s.saveBudget("", sealed(0)) },
				func() error { return s.saveTick(tick(1)) },
				func() error { _, err := s.commit(line(1), "", sealed(1)); return err },
				func() error { return s.saveTick(tick(2)) },
			}[:files+1] {
				ok(t, change())
				if n == record {
					kept, err = os.ReadFile(path)
					ok(t, err)
				}
			}
			ok(t, os.WriteFile(path, kept, 0o600))
			_, err = s.load(at(1).SessionID, "work", true)
			same(t, "believed in the same boot", err == nil, record == files)
			boot = "b2"
			for range 2 {
				_, err = s.load(at(1).SessionID, "work", true)
				ok(t, err)
			}
		}
	}
}

// sealedStore is a store in the boot "b1" with an empty folder of records.
func sealedStore(t *testing.T) (*Store, seal.Dir) {
	t.Helper()
	s, dir := newStore(t), seal.At(t.TempDir())
	s.Seal(dir, func() string { return "b1" })
	return s, dir
}

// An event loads a run without the guard and again under it. Under the guard it has what another
// process wrote in between, and restores what somebody else changed before or in between.
func TestWhatChangesBeforeTheGuard(t *testing.T) {
	open := func(t *testing.T, findings ...audit.Finding) (*Store, seal.Dir) {
		s, dir := sealedStore(t)
		b := audited(1, findings...)
		b.SealedIn, b.Pending = dir.Path(), []loop.Gate{{Name: audit.RecurringGate, Target: "F1"}}
		ok(t, s.saveBudget("", b))
		_, err := s.Acquire("work", loop.Lock{Process: loop.Process{PID: 5}, Iteration: 2,
			StartedAt: noon, SessionID: "s-1", RunID: "run-1"})
		ok(t, err)
		ok(t, s.saveTick(tick(2)))
		return s, dir
	}
	under := func(t *testing.T, s *Store) State {
		tx, err := s.Begin(t.Context())
		ok(t, err)
		st, err := tx.State("s-1", "work")
		ok(t, errors.Join(err, tx.End()))
		return st
	}
	for _, name := range []string{"work.budget.json", "work.tick.json", "work.lock"} {
		s, _ := open(t)
		must(s.LoadSealed("s-1", "work"))
		ok(t, os.Remove(path(s, name)))
		under(t, s)
		_, err := os.Stat(path(s, name))
		ok(t, err)
		same(t, name+": told", len(s.Healed()), 1)
	}
	for _, before := range []bool{true, false} {
		s, _ := open(t, bug(1), bug(2))
		name := findingsName("work", "run-1")
		text := content(t, s, name)
		if !before {
			must(s.LoadSealed("s-1", "work"))
		}
		put(t, s, name, text[:len(text)/2])
		if before {
			must(s.LoadSealed("s-1", "work"))
		}
		same(t, "findings", len(audit.Of(under(t, s).Budget).Findings), 2)
		same(t, "in the file", content(t, s, name), text)
		same(t, "findings: told", len(s.Healed()), 1)
	}
	s, dir := open(t)
	must(s.LoadSealed("s-1", "work"))
	other := must(Open(s.project))
	defer other.Close()
	other.Seal(seal.At(dir.Path()), s.boot)
	b, l := at(2), line(2)
	b.SealedIn = dir.Path()
	must(other.commit(l, "", b))
	st := under(t, s)
	same(t, "iterations", st.Budget.IterationsUsed, 2)
	same(t, "tick", st.Tick, nil)
	same(t, "told", s.Healed(), nil)
}

// The copy of a run whose original was reset, and whose session still waits for a prompt, has the
// original's ceilings too.
func TestForkOfAResetRun(t *testing.T) {
	s, dir := sealedStore(t)
	b := at(1)
	b.SealedIn = dir.Path()
	ok(t, s.saveBudget("", b))
	copied := newStore(t)
	copied.Seal(dir, s.boot)
	text := strings.Replace(content(t, s, "work.budget.json"), `"max_iterations": 5`,
		`"max_iterations": 500`, 1)
	put(t, copied, "work.budget.json", text)
	session, err := s.Hold("work", "run-1", func(*loop.Budget) bool { return true })
	ok(t, err)
	same(t, "blocked session", session, "s-1")
	ok(t, s.Archive("work", "run-1"))
	ok(t, copied.Fork("work", "", "run-2"))
	b = must(copied.LoadRun("work")).Budget
	same(t, "run", b.RunID, "run-2")
	same(t, "iterations", b.IterationsUsed, 1)
	same(t, "at most", b.Ceilings.Iterations, 5)
}

// A crash after the line leaves a change that the next event completes, also when it is the
// history's first line.
func TestChangeIsCompletedAfterItsLine(t *testing.T) {
	s, dir := sealedStore(t)
	for n := range 3 {
		b := at(n)
		b.SealedIn = dir.Path()
		if n == 0 {
			ok(t, s.saveBudget("", b))
			continue
		}
		s.disk.fail = func(label string) error {
			if label == "rename work.budget.json" {
				return errTaken
			}
			return nil
		}
		if _, err := s.commit(line(n), "", b); !errors.Is(err, ErrClosed) {
			t.Fatalf("line %d: %v", n, err)
		}
		s.disk.fail = nil
		st, err := s.load(b.SessionID, "work", true)
		ok(t, err)
		same(t, "seq", st.Budget.Seq, n)
	}
	// The record's copy of the lines is complete, too: no later healing loses one.
	want := content(t, s, history)
	put(t, s, history, "")
	_, err := s.LoadSealed(at(1).SessionID, "work")
	ok(t, err)
	same(t, "the history", content(t, s, history), want)
}

// R112: a kill in the middle of a write leaves the beginning of the run's own line. That is a torn
// line, which the next one repairs, and no tampering; a whole one of somebody else is, whatever
// follows it.
func TestTornLineOfTheRunIsNoTampering(t *testing.T) {
	forged := `{"version":1,"run_id":"` + at(1).RunID + `","seq":2}`
	for rest, believed := range map[string]bool{
		`{"version":1,"run_id":"` + at(1).RunID + `","seq":2,"outc`: true,
		forged:             false,
		forged + "\n{":     false,
		forged + "\n\n \n": false,
		forged + "\n" + strings.Repeat("x", maxLine+1): false,
	} {
		s, dir := sealedStore(t)
		sealed := sealedIn(dir)
		ok(t, s.saveBudget("", sealed(0)))
		_, err := s.commit(line(1), "", sealed(1))
		ok(t, err)
		put(t, s, history, content(t, s, history)+rest)
		_, err = s.load(at(1).SessionID, "work", true)
		same(t, rest[:min(len(rest), 99)], err == nil, believed)
		if believed {
			_, err = s.commit(line(2), "", sealed(2))
			ok(t, err)
			_, err = s.load(at(1).SessionID, "work", true)
			ok(t, err)
		}
	}
}

// Where the session's record cannot be read no one knows its loops, so none is left out.
func TestSkillsOfARecordThatCannotBeRead(t *testing.T) {
	s, dir := sealedStore(t)
	same(t, "without a record", s.Skills("s1"), []loop.Skill{})
	path := seal.SwitchPath(dir.Path(), "s1")
	ok(t, os.MkdirAll(filepath.Dir(path), 0o700))
	ok(t, os.WriteFile(path, []byte("{"), 0o600))
	same(t, "with a damaged record", s.Skills("s1"), kind.Skills())
}

// A record of an older program may lack the line that the run had when the record began.
func TestLineFromBeforeTheRecord(t *testing.T) {
	s, dir := sealedStore(t)
	_, err := s.commit(line(1), "", at(1))
	ok(t, err)
	ok(t, s.saveBudget("", sealedIn(dir)(1)))
	r := must(dir.Find(at(1).SessionID))
	same(t, "recorded", r.Loops[0].State.Line != "", true)
	r.Loops[0].State.Line = ""
	ok(t, dir.Save(r))
	want := content(t, s, history)
	ok(t, s.guarded(func() error {
		_, err := s.LoadSealed(at(1).SessionID, "work")
		return err
	}))
	same(t, "healed", s.Healed(), nil)
	same(t, "the history", content(t, s, history), want)
}

// A change that has come to its end leaves its own texts alone as good: the files of before it,
// put back, are a change by somebody else, and undone. That is said each time.
func TestFilesOfBeforeAreUndone(t *testing.T) {
	s, dir := sealedStore(t)
	sealed := sealedIn(dir)
	ok(t, s.saveBudget(DefaultBudgetPath("work"), sealed(0)))
	before := content(t, s, "work.budget.json")
	_, err := s.commit(line(1), DefaultBudgetPath("work"), sealed(1))
	ok(t, err)
	for i, dir := range []seal.Dir{dir, seal.At(dir.Path())} {
		put(t, s, "work.budget.json", before)
		s.Seal(dir, func() string { return "b1" })
		st, err := s.LoadSealed(at(1).SessionID, "work")
		ok(t, err)
		same(t, "seq", st.Budget.Seq, 1)
		same(t, "replaced", st.Budget.Replaced, i+1)
		same(t, "healed", s.Healed(), []string{"hooks: .sdd/loop/work.budget.json was changed; " +
			"restored (the changed files are in .sdd/loop/archive/replaced)"})
	}
}

// A budget that is gone after a reboot is written again from the record. The open iteration that
// the record of before the power cut does not have stays.
func TestMissingBudgetAfterAReboot(t *testing.T) {
	s, dir := newStore(t), seal.At(t.TempDir())
	boot := "b1"
	s.Seal(dir, func() string { return boot })
	ok(t, s.saveBudget(DefaultBudgetPath("work"), sealedIn(dir)(3)))
	before := must(os.ReadFile(seal.SwitchPath(dir.Path(), at(3).SessionID)))
	tick := &loop.Tick{Skill: "work", RunID: at(3).RunID, SessionID: at(3).SessionID, Iteration: 4}
	ok(t, s.saveTick(tick))
	_, err := s.Acquire("work", loop.Lock{RunID: tick.RunID, SessionID: tick.SessionID})
	ok(t, err)
	ok(t, os.WriteFile(seal.SwitchPath(dir.Path(), at(3).SessionID), before, 0o600))
	ok(t, os.Remove(path(s, "work.budget.json")))
	boot = "b2"
	s.Seal(seal.At(dir.Path()), func() string { return boot })
	st, err := s.LoadSealed(at(3).SessionID, "work")
	ok(t, err)
	same(t, "seq", st.Budget.Seq, 3)
	same(t, "iteration", st.Tick.Iteration, 4)
	same(t, "healed", s.Healed(), []string{
		"hooks: .sdd/loop/work.budget.json is missing; restored"})
	same(t, "in the file", strings.Contains(content(t, s, "work.budget.json"), `"seq": 3`), true)
}

// A power cut between the history line and the folder's new names leaves the files of before, under
// a record of any age. The line tells what was committed.
func TestLineOutlivesThePowerCut(t *testing.T) {
	for name, record := range map[string]func(before, after string) string{
		"the record of before": func(before, _ string) string { return before },
		"of the change": func(_, after string) string {
			return after[:strings.LastIndex(after, "\x1e")]
		},
		"of after": func(_, after string) string { return after },
	} {
		s := newStore(t)
		dir, boot := seal.At(t.TempDir()), "b1"
		s.Seal(dir, func() string { return boot })
		sealed := sealedIn(dir)
		commit := func(n int) {
			l := line(n)
			l.Budget = *sealed(n)
			_, err := s.commit(l, "", sealed(n))
			ok(t, err)
		}
		_, err := s.Acquire("work", *lock(1))
		ok(t, err)
		ok(t, s.saveBudget("", sealed(0)))
		ok(t, s.saveTick(tick(1)))
		path := seal.SwitchPath(dir.Path(), at(1).SessionID)
		before, err := os.ReadFile(path)
		ok(t, err)
		budget, open := content(t, s, "work.budget.json"), content(t, s, "work.tick.json")
		commit(1)
		after, err := os.ReadFile(path)
		ok(t, err)
		put(t, s, "work.budget.json", budget)
		put(t, s, "work.tick.json", open)
		kept := record(string(before), string(after))
		ok(t, os.WriteFile(path, []byte(kept), 0o600))
		boot = "b2"
		for range 2 {
			st, err := s.load(at(1).SessionID, "work", true)
			ok(t, err)
			same(t, name, st.Budget.Seq, 1)
			same(t, name, st.Tick == nil, true)
		}
		commit(2)
	}
}

// A power cut may leave a record in which an iteration is just being closed, beside files in which
// the next one is open. What they have beyond the record is not rolled back.
func TestPowerCutRollsNoNewerFilesBack(t *testing.T) {
	s := newStore(t)
	dir, boot := seal.At(t.TempDir()), "b1"
	s.Seal(dir, func() string { return boot })
	sealed := sealedIn(dir)
	_, err := s.Acquire("work", *lock(1))
	ok(t, err)
	ok(t, s.saveBudget("", sealed(0)))
	ok(t, s.saveTick(tick(1)))
	l := line(1)
	l.Budget = *sealed(1)
	_, err = s.commit(l, "", sealed(1))
	ok(t, err)
	path := seal.SwitchPath(dir.Path(), at(1).SessionID)
	record, err := os.ReadFile(path)
	ok(t, err)
	begun := sealed(1)
	begun.IterationsUsed = 2
	ok(t, s.saveBudget("", begun))
	ok(t, s.saveTick(tick(2)))
	ok(t, os.WriteFile(path, record[:bytes.LastIndexByte(record, '\x1e')], 0o600))
	boot = "b2"
	for range 2 {
		st, err := s.load(at(1).SessionID, "work", true)
		ok(t, err)
		if st.Budget.IterationsUsed != 2 || st.Tick == nil || st.Tick.Iteration != 2 {
			t.Errorf("%d iterations, tick %+v", st.Budget.IterationsUsed, st.Tick)
		}
	}
}

// A reboot makes no edit of the budget count: what a person sets is as the record has it, and no
// counter is lower. Later counters than those of the record are what a power cut took from it.
func TestNoEditOutlivesAReboot(t *testing.T) {
	for name, c := range map[string]struct {
		edit   func(b *loop.Budget)
		undone bool
	}{
		"more iterations": {func(b *loop.Budget) { b.Ceilings.Iterations = 500 }, true},
		"merges unasked":  {func(b *loop.Budget) { b.Policy.Merges = loop.MergesFeedback }, true},
		"a client flag":   {func(b *loop.Budget) { b.Client = []string{"--x"} }, true},
		"a forged answer": {func(b *loop.Budget) {
			b.Pending = slices.Clone(b.Pending)
			b.Pending[0].Answer, b.Pending[0].Origin = "merge", loop.OriginTerminal
		}, true},
		"a lower counter":  {func(b *loop.Budget) { b.CommentsPushed = 0 }, true},
		"a higher counter": {func(b *loop.Budget) { b.CommentsPushed = 9 }, false},
	} {
		s, dir := newStore(t), seal.At(t.TempDir())
		boot := "b1"
		s.Seal(dir, func() string { return boot })
		own := sealedIn(dir)(3)
		own.CommentsPushed, own.Policy.Merges = 5, loop.MergesAsk
		own.Pending = []loop.Gate{{Name: "post-feedback-merge", Target: "PR #5", HeadSHA: "abc"}}
		ok(t, s.saveBudget(DefaultBudgetPath("work"), own))
		edited := *own
		c.edit(&edited)
		ok(t, s.overwrite(DefaultBudgetPath("work"), &edited))
		boot = "b2"
		s.Seal(seal.At(dir.Path()), func() string { return boot })
		for i := range 2 {
			st, err := s.LoadSealed(own.SessionID, "work")
			ok(t, err)
			b := st.Budget
			same(t, name, b.Ceilings, own.Ceilings)
			same(t, name, b.Policy, own.Policy)
			same(t, name, b.Client, own.Client)
			same(t, name, b.Pending[0].Answer, own.Pending[0].Answer)
			same(t, name, b.CommentsPushed, max(own.CommentsPushed, edited.CommentsPushed))
			same(t, name, len(s.Healed()) > 0, c.undone && i == 0)
		}
	}
}

// What was removed between two boots is written again as well. The files that are there are newer
// than the record, or as old: the open iteration is the one that they have.
func TestHealingAcrossTwoBoots(t *testing.T) {
	s := newStore(t)
	dir, boot := seal.At(t.TempDir()), "b1"
	s.Seal(dir, func() string { return boot })
	sealed := sealedIn(dir)
	_, err := s.Acquire("work", *lock(1))
	ok(t, err)
	ok(t, s.saveBudget("", sealed(0)))
	for n := 1; n <= 2; n++ {
		ok(t, s.saveTick(tick(n)))
		l := line(n)
		l.Budget = *sealed(n)
		_, err := s.commit(l, "", sealed(n))
		ok(t, err)
	}
	path := seal.SwitchPath(dir.Path(), at(1).SessionID)
	before, err := os.ReadFile(path)
	ok(t, err)
	ok(t, s.saveTick(tick(3)))
	ok(t, os.WriteFile(path, before, 0o600)) // the power cut takes the last notes
	lines := content(t, s, history)
	first, _, _ := strings.Cut(lines, "\n")
	put(t, s, history, first+"\n")
	boot = "b2"
	for i := range 2 {
		s.Seal(seal.At(dir.Path()), func() string { return boot })
		ok(t, s.guarded(func() error {
			st, err := s.load(at(1).SessionID, "work", true)
			ok(t, err)
			same(t, "seq", st.Budget.Seq, 2)
			same(t, "iteration", st.Tick.Iteration, 3)
			return nil
		}))
		same(t, "the history", content(t, s, history), lines)
		same(t, "said", len(s.Healed()), 1-i)
	}
}
