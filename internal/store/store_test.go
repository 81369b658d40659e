package store

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAbsentStateIsLeftAbsent(t *testing.T) {
	project := t.TempDir()
	if Exists(project) {
		t.Error("state exists in an empty folder")
	}
	if _, err := Open(project); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening it: %v", err)
	}
	if _, err := Create(filepath.Join(project, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("creating it in a project that is not there: %v", err)
	}
	entries, err := os.ReadDir(project)
	ok(t, err)
	same(t, "the folder afterwards", len(entries), 0)
}

func TestCreate(t *testing.T) {
	project := t.TempDir()
	for range 2 { // the second time everything is there
		s, err := Create(project)
		ok(t, err)
		if !Exists(project) {
			t.Error("created state does not exist")
		}
		same(t, ".gitignore", content(t, s, ".gitignore"), "*\n")
		s.Close()
	}
	s, err := Open(project)
	ok(t, err)
	s.Close()
	if out, err := exec.Command("git", "init", project).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ok(t, os.WriteFile(filepath.Join(project, Dir, "work.lock"), []byte("x"), 0o600))
	out, err := exec.Command("git", "-C", project, "status", "--porcelain").Output()
	ok(t, err)
	same(t, "what git would commit", string(out), "")
}

// TestModes: what people said to their loops is no one else's business, whatever the umask and
// whatever was there.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no such modes")
	}
	project := t.TempDir()
	ok(t, os.MkdirAll(filepath.Join(project, Dir), 0o777))
	ok(t, os.WriteFile(filepath.Join(project, Dir, "work.budget.json"), []byte(specBudget), 0o666))
	s, err := Create(project)
	ok(t, err)
	unlock, err := s.guard(t.Context())
	ok(t, err)
	_, err = s.commit(line(1), "", at(1))
	ok(t, err)
	ok(t, s.saveTick(tick(2)))
	_, err = s.Acquire("work", *lock(1))
	ok(t, err)
	ok(t, s.Archive("work", "run-1"))
	_, err = s.commit(line(1), "", at(1))
	ok(t, err)
	ok(t, unlock())
	ok(t,
		filepath.WalkDir(filepath.Join(project, Dir),
			func(path string, e fs.DirEntry, err error) error {
				info, ierr := e.Info()
				ok(t, errors.Join(err, ierr))
				if want := map[bool]fs.FileMode{true: 0o700,
					false: 0o600}[e.IsDir()]; info.Mode().Perm() != want {
					t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
				}
				return nil
			}))
}

func TestSymlinks(t *testing.T) {
	link := func(t *testing.T, to, from string) {
		t.Helper()
		if err := os.Symlink(to, from); err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
	}
	outside := t.TempDir()
	ok(t, os.MkdirAll(filepath.Join(outside, "loop"), 0o700))
	t.Run("sdd leads out", func(t *testing.T) {
		project := t.TempDir()
		link(t, outside, filepath.Join(project, ".sdd"))
		_, err := Create(project)
		holds(t, "the refusal", errText(err), "escapes from parent")
		_, err = Open(project)
		holds(t, "the refusal", errText(err), "escapes from parent")
	})
	t.Run("loop leads out", func(t *testing.T) {
		project := t.TempDir()
		ok(t, os.Mkdir(filepath.Join(project, ".sdd"), 0o700))
		link(t, outside, filepath.Join(project, ".sdd", "loop"))
		_, err := Create(project)
		holds(t, "the refusal", errText(err), "escapes from parent")
	})
	t.Run("inside the project is fine", func(t *testing.T) {
		project := t.TempDir()
		ok(t, os.Mkdir(filepath.Join(project, "elsewhere"), 0o700))
		link(t, "elsewhere", filepath.Join(project, ".sdd"))
		s, err := Create(project)
		ok(t, err)
		ok(t, s.saveBudget("", budget()))
	})
	t.Run("a state file", func(t *testing.T) {
		s := newStore(t)
		victim := filepath.Join(outside, "victim")
		ok(t, os.WriteFile(victim, []byte(specBudget), 0o600))
		for _, name := range []string{"work.budget.json", "work.tick.json", "work.lock",
			"work.claim.json", "work.history.jsonl", guardName} {
			link(t, victim, path(s, name))
		}
		_, err := s.Load("work")
		same(t, "loading says", damaged(err) != nil, true)
		_, gerr := s.guard(t.Context())
		_, aerr := s.appendHistory(line(1))
		_, qerr := s.Acquire("work", *lock(1))
		for what, err := range map[string]error{
			"budget": s.saveBudget("", budget()), "tick": s.saveTick(tick(1)), "history": aerr,
			"lock": qerr, "guard": gerr,
		} {
			holds(t, what, errText(err), "not a regular file")
		}
		got, err := os.ReadFile(victim)
		ok(t, err)
		same(t, "the file outside", string(got), specBudget)
	})
	same(t, "files outside", len(must(os.ReadDir(filepath.Join(outside, "loop")))), 0)
}

func errText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
