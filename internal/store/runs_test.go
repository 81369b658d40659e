package store

import (
	"testing"

	"hooks/internal/kind/backlog"
)

// The run on record is the one that the pointer names, and a budget in the default place is a run,
// too.
func TestRunsOfTwoBudgetFiles(t *testing.T) {
	s := newStore(t)
	l := line(1)
	l.RunID, l.Budget.RunID = "my own", "my own"
	ok(t, s.saveBudget("", at(3)))
	ok(t, s.saveBudget("my own.json", &l.Budget))
	var found []string
	for _, st := range must(s.Runs(backlog.Work)) {
		found = append(found, st.Budget.RunID)
	}
	same(t, "runs", found, []string{"my own", "run-1"})
	other := must(s.Other(backlog.Work, DefaultBudgetPath(backlog.Work)))
	same(t, "path", other.Path, "my own.json")
	same(t, "run", other.Run.RunID, "my own")
	same(t, "none beside it", must(s.Other(backlog.Work, "./my own.json")).Run == nil, true)
}
