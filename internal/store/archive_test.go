package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hooks/internal/loop"
)

// full is a store with every file of run-1.
func full(t *testing.T, s *Store, budgetPath string) *Store {
	t.Helper()
	grow(t, s, line(1))
	ok(t, s.saveBudget(budgetPath, at(1)))
	ok(t, s.saveTick(tick(2)))
	ok(t, s.saveClaim(&loop.Claim{Skill: "work", SessionID: "s", PromptID: "p", Since: noon}))
	return s
}

// inArchive are the archived files of a run, apart from unfinished ones.
func inArchive(t *testing.T, s *Store, run string) []string {
	t.Helper()
	names := []string{}
	for _, e := range must(os.ReadDir(path(s, "archive/"+run))) {
		if !strings.HasSuffix(e.Name(), ".tmp") {
			names = append(names, e.Name())
		}
	}
	return names
}

var all = []string{"work.budget.json", "work.claim.json", "work.history.jsonl", "work.tick.json"}

func TestArchive(t *testing.T) {
	s := full(t, newStore(t), "")
	same(t, "archives before", len(must(s.Archives())), 0)
	_, err := s.Acquire("work", *lock(1))
	ok(t, err)
	ok(t, s.Archive("work", "run-1"))
	same(t, "files left", files(t, s), []string{"archive", "work.lock"})
	same(t, "archived", inArchive(t, s, "run-1"), all)
	same(t, "archives", must(s.Archives()), []string{"run-1"})
	old, err := s.Archived("run-1")
	ok(t, err)
	defer old.Close()
	st, err := old.Load("work")
	ok(t, err)
	same(t, "archived seq", st.Budget.Seq, 1)
	same(t, "archived line", newest(t, old), 1)
	ok(t, s.Archive("work", "run-1")) // nothing left to move
	st, err = s.Load("work")
	ok(t, err)
	same(t, "budget", st.Budget, nil)
}

// A run takes no file of another kind of loop with it into the archive.
func TestArchiveTakesTheKindsOwnFiles(t *testing.T) {
	s := full(t, newStore(t), "")
	copies := []string{ProgressCopy.of("task"), ViewCopy.of("task")}
	for _, name := range append(copies, findingsName("audit", "run-1")) {
		ok(t, os.WriteFile(path(s, name), []byte("kept"), 0o600))
	}
	ok(t, s.Archive("work", "run-1"))
	same(t, "archived", inArchive(t, s, "run-1"), all)
	ok(t, s.Archive("task", "run-1"))
	same(t, "archived", inArchive(t, s, "run-1")[:2], copies)
	same(t, "files left", files(t, s), []string{"archive", findingsName("audit", "run-1")})
}

func TestArchiveOverwritesNothing(t *testing.T) {
	s := newStore(t)
	for range 3 {
		ok(t, full(t, s, "").Archive("work", "run-1"))
	}
	same(t, "archived", inArchive(t, s, "run-1"), []string{
		"work-2.budget.json", "work-2.claim.json", "work-2.history.jsonl", "work-2.tick.json",
		"work-3.budget.json", "work-3.claim.json", "work-3.history.jsonl", "work-3.tick.json",
		"work.budget.json", "work.claim.json", "work.history.jsonl", "work.tick.json",
	})
}

func TestArchiveOfDamagedFiles(t *testing.T) {
	s := newStore(t)
	for _, name := range all {
		put(t, s, name, "{")
	}
	ok(t, s.Archive("work", ""))
	same(t, "archived", inArchive(t, s, "unnamed"), all)
}

// TestArchiveOfADamagedPointer: what a person is told to do about it does it.
func TestArchiveOfADamagedPointer(t *testing.T) {
	for _, text := range []string{"", "a\nb\n", ".sdd/loop/work.lock\n"} {
		s := newStore(t)
		put(t, s, "work.budget-file", text)
		if _, err := s.Load("work"); err == nil {
			t.Errorf("the pointer %q is taken", text)
		}
		ok(t, s.Archive("work", "run-1"))
		same(t, "archived", inArchive(t, s, "run-1"), []string{"work.budget-file"})
		st, err := s.Load("work")
		ok(t, err)
		same(t, "budget", st.Budget, nil)
	}
}

func TestArchiveLeavesAnotherRunAlone(t *testing.T) {
	s := full(t, newStore(t), "")
	ok(t, s.Archive("work", "run-2"))
	same(t, "files left", files(t, s),
		[]string{"archive", "work.budget.json", "work.history.jsonl", "work.tick.json"})
}

func TestArchiveOfABudgetElsewhere(t *testing.T) {
	s := full(t, newStore(t), "b.json")
	ok(t, s.Archive("work", "run-1"))
	same(t, "files left", files(t, s), []string{"archive"})
	same(t, "archived", inArchive(t, s, "run-1"), all)
	_, err := os.Stat(filepath.Join(s.project, "b.json"))
	same(t, "the original is gone", os.IsNotExist(err), true)
}

// TestArchiveLeavesForeignFiles: what --budget-file named and is not this run's budget may be
// anybody's.
func TestArchiveLeavesForeignFiles(t *testing.T) {
	for name, text := range map[string]string{"not a budget": `{"name":"x"}`, "damaged": "{"} {
		s := newStore(t)
		put(t, s, "work.budget-file", "b.json\n")
		foreign := filepath.Join(s.project, "b.json")
		ok(t, os.WriteFile(foreign, []byte(text), 0o600))
		ok(t, s.Archive("work", "run-1"))
		same(t, name, string(must(os.ReadFile(foreign))), text)
		same(t, "files left", files(t, s), []string{"archive"})
	}
}

func TestArchiveThatLeadsOut(t *testing.T) {
	s := full(t, newStore(t), "")
	ok(t, os.Symlink(t.TempDir(), path(s, "archive")))
	if err := s.Archive("work", "run-1"); err == nil {
		t.Error("archived through a symlink that leads out")
	}
}
