package store

import (
	"testing"

	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
)

// A run whose budget is in a file of its own is found by its lines when nothing else points to it.
func TestRunsAreFoundByTheirLines(t *testing.T) {
	s := newStore(t)
	for n, path := range []string{"my own.json", "other.json"} {
		l := line(n + 1)
		l.RunID, l.Budget.RunID = path, path
		l.Budget.Flags = "iterations=9 " + loop.BudgetFileFlag + path
		grow(t, s, l)
		ok(t, s.saveBudget(path, &l.Budget))
	}
	ok(t, s.saveBudget("", at(3)))
	var found []string
	for _, st := range must(s.Runs(backlog.Work)) {
		found = append(found, st.Budget.RunID)
	}
	same(t, "runs", found, []string{"run-1", "my own.json", "other.json"})
}
