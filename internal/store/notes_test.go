package store

import (
	"os"
	"testing"

	"hooks/internal/kind/backlog"
)

// A kill in the middle of an append takes that line and no other (design §6).
func TestTornLine(t *testing.T) {
	s := newStore(t)
	tear := func(name string) {
		t.Helper()
		f, err := os.OpenFile(path(s, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		ok(t, err)
		defer f.Close()
		_, err = f.WriteString(`{"session":"s1","by":"l1","ca`)
		ok(t, err)
	}
	for _, what := range []string{"gh pr merge 1", "gh pr merge 2"} {
		n := Note{Session: "s1", Denied: &NotedDenial{Tool: "gh", What: what}}
		ok(t, AppendNote(s.project, n))
		tear(notesName)
	}
	list, err := s.TakeNotes("s1")
	ok(t, err)
	if len(list) != 2 || list[1].Denied.What != "gh pr merge 2" {
		t.Errorf("notes: %+v", list)
	}
	tear(usedName.of(backlog.Work))
	for _, by := range []string{"l2", "l3"} {
		first, err := s.UsePass(backlog.Work, "c1", 7, by)
		ok(t, err)
		if first != (by == "l2") {
			t.Errorf("%s uses the pass up: %v", by, first)
		}
	}
}
