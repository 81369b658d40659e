package store

import (
	"testing"

	"hooks/internal/kind/backlog"
)

// The run on record is the one that the pointer names.
func TestOtherBudgetFile(t *testing.T) {
	s := newStore(t)
	l := line(1)
	l.RunID, l.Budget.RunID = "my own", "my own"
	ok(t, s.saveBudget("my own.json", &l.Budget))
	other := must(s.Other(backlog.Work, DefaultBudgetPath(backlog.Work)))
	same(t, "path", other.Path, "my own.json")
	same(t, "run", other.Run.RunID, "my own")
	same(t, "none beside it", must(s.Other(backlog.Work, "./my own.json")).Run == nil, true)
}
