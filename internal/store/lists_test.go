package store

import (
	"os"
	"strings"
	"testing"

	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
)

// R118, R130: a line does not repeat a list that the budget on disk has, and a kill after the line
// loses none, whether the budget is there or not.
func TestALineRepeatsNoList(t *testing.T) {
	s := newStore(t)
	commit := func(n int, jobs ...loop.Job) {
		it, b := line(n), at(n)
		b.DeferredTargets, b.Jobs = []string{"#7"}, jobs
		it.Budget = *b
		_, err := s.commit(it, "", b)
		ok(t, err)
	}
	commit(1, loop.Job{ID: "a"})
	commit(2, loop.Job{ID: "a"})
	before := content(t, s, "work.budget.json")
	commit(3)
	commit(4)
	history := strings.TrimSpace(content(t, s, "work.history.jsonl"))
	for i, text := range strings.Split(history, "\n") {
		if got := strings.Contains(text, `"deferred_targets":`); got != (i == 0) {
			t.Errorf("line %d: %s", i+1, text)
		}
		if got := strings.Contains(text, `"jobs":`); got != (i == 0 || i == 2) {
			t.Errorf("line %d: %s", i+1, text)
		}
	}
	restored := func() {
		t.Helper()
		st, err := s.recover(backlog.Work)
		ok(t, err)
		if b := st.Budget; b.Seq != 4 || len(b.DeferredTargets) != 1 || len(b.Jobs) != 0 {
			t.Errorf("restored: %+v", b)
		}
	}
	put(t, s, "work.budget.json", before)
	restored()
	ok(t, s.saveTick(tick(5)))
	ok(t, os.Remove(path(s, "work.budget.json")))
	restored()
}
