package store

import (
	"errors"
	"testing"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// TestRecordOlderThanItsFiles: after a power cut the record may be older than what was synced, and
// that is no tampering. Without one, a line that the record does not know is somebody else's.
func TestRecordOlderThanItsFiles(t *testing.T) {
	for _, rebooted := range []bool{true, false} {
		s := newStore(t)
		dir, boot := seal.At(t.TempDir()), "b1"
		s.Seal(dir, func() string { return boot })
		sealed := func(n int) *loop.Budget {
			b := at(n)
			b.SealedIn, b.Status = dir.Path(), loop.Active
			return b
		}
		ok(t, s.SaveBudget("", sealed(0)))
		_, err := s.Commit(line(1), "", sealed(1))
		ok(t, err)
		older, err := dir.Find(at(1).SessionID)
		ok(t, err)
		_, err = s.Commit(line(2), "", sealed(2))
		ok(t, err)
		older.Loops[0].State.Budget = seal.Trim([]byte(content(t, s, "work.budget.json")))
		ok(t, dir.Save(older))
		if rebooted {
			boot = "b2"
		}
		for range 2 {
			_, err = s.RecoverSealed(at(1).SessionID, "work")
			same(t, "believed", err == nil, rebooted)
		}
		_, err = s.Commit(line(3), "", sealed(3))
		ok(t, err)
	}
}

// A crash after the line leaves a change that the next event completes, also when it is the
// history's first line.
func TestChangeIsCompletedAfterItsLine(t *testing.T) {
	s := newStore(t)
	dir := seal.At(t.TempDir())
	s.Seal(dir, func() string { return "b1" })
	for n := range 3 {
		b := at(n)
		b.SealedIn = dir.Path()
		if n == 0 {
			ok(t, s.SaveBudget("", b))
			continue
		}
		s.disk.fail = func(label string) error {
			if label == "rename work.budget.json" {
				return errTaken
			}
			return nil
		}
		if _, err := s.Commit(line(n), "", b); !errors.Is(err, ErrClosed) {
			t.Fatalf("line %d: %v", n, err)
		}
		s.disk.fail = nil
		st, err := s.RecoverSealed(b.SessionID, "work")
		ok(t, err)
		same(t, "seq", st.Budget.Seq, n)
	}
}
