package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets a test start this program as one that appends: APPEND names the ledger.
func TestMain(m *testing.M) {
	path := os.Getenv("APPEND")
	if path == "" {
		os.Exit(m.Run())
	}
	turn, _ := io.ReadAll(os.Stdin)
	if err := Append(path, string(turn)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func appender(path, turn string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "APPEND="+path)
	c.Stdin = strings.NewReader(turn)
	return c
}

// made is a new ledger with a number of turns.
func made(t testing.TB, turns int) string {
	t.Helper()
	root := t.TempDir()
	path, err := New(root, "tasks", "add-login", "")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(root, path)
	var b strings.Builder
	b.WriteString("# Tasks Loop\n")
	for n := range turns {
		fmt.Fprintf(&b, "\n## Turn %d\n\n%s\n\n%s", n+1, strings.Repeat("Did a thing.\n", 30),
			Block)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// L1: of turns that several processes add at once, each is there, whole and once.
func TestAppendsAtOnce(t *testing.T) {
	path := made(t, 1)
	var group sync.WaitGroup
	const writers = 12
	for n := range writers {
		group.Go(func() {
			out, err := appender(path, turn(n)).CombinedOutput()
			if err != nil {
				t.Errorf("%d: %v %s", n, err, out)
			}
		})
	}
	group.Wait()
	text := read(t, path)
	turns := Parse(text)
	if len(turns) != 1+writers || Lint(turns) != nil {
		t.Fatalf("%d turns, %v", len(turns), Lint(turns))
	}
	for n := range writers {
		if strings.Count(text, turn(n)) != 1 {
			t.Errorf("turn %d is there %d times", n, strings.Count(text, turn(n)))
		}
	}
	only(t, path)
}

func turn(n int) string {
	return fmt.Sprintf("Made by %d.\n\n%s\n\nEnd of %d.", n, strings.Repeat("More.\n", 2000), n)
}

// only reports whether nothing but the ledger is in its folder.
func only(t *testing.T, path string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != filepath.Base(path) && runtime.GOOS != "windows" {
			t.Errorf("%s was left", e.Name())
		}
	}
}

// L28: an append that is killed at any moment leaves the old text or the new one, and the next one
// works.
func TestAppendKilled(t *testing.T) {
	path := made(t, 500)
	before := 0
	for n := range 20 {
		c := appender(path, turn(n))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(n) * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
		turns := Parse(read(t, path))
		if found := Lint(turns); found != nil {
			t.Fatalf("kill %d left %v", n, found)
		}
		last := turns[len(turns)-1].Agent
		if len(turns) > 500+before && last != turn(n) {
			t.Fatalf("kill %d left half a turn", n)
		}
		before = len(turns) - 500
	}
	if err := Append(path, "At last."); err != nil {
		t.Fatal(err)
	}
	only(t, path)
}

// Bad input changes nothing.
func TestAppendChangesNothing(t *testing.T) {
	path := made(t, 2)
	dir := filepath.Dir(path)
	text := read(t, path)
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	outside := filepath.Join(t.TempDir(), "tasks.md")
	if err := os.WriteFile(outside, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "specs.md")
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(filepath.Dir(filepath.Dir(dir)), "other")
	if err := errors.Join(os.Mkdir(away, 0o755),
		os.Symlink(filepath.Dir(outside), filepath.Join(away, "loops"))); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"no turn":                 path,
		"a section of its own":    path,
		"no ledger":               outside,
		"another name":            put("notes.md", text),
		"a link":                  link,
		"a folder that is a link": filepath.Join(away, "loops", "tasks.md"),
		"a ledger that is absent": filepath.Join(dir, "proposal.md"),
		"a change that is absent": filepath.Join(filepath.Dir(away), "none", "loops", "tasks.md"),
		"a folder":                filepath.Join(dir, "plan-01.md"),
		"a turn that is not closed": put("reconcile.md",
			strings.TrimSuffix(text, "---\n")),
	} {
		if name == "a folder" {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		turn := "Did it."
		switch name {
		case "no turn":
			turn = "\n"
		case "a section of its own":
			turn = "x\n" + Block
		}
		was, _ := os.ReadFile(path)
		if err := Append(path, turn); err == nil {
			t.Errorf("%s: was taken", name)
		}
		if now, _ := os.ReadFile(path); string(now) != string(was) {
			t.Errorf("%s: the file changed", name)
		}
	}
}

// A file keeps its mode, its BOM and its line ends (L29).
func TestAppendKeeps(t *testing.T) {
	path := made(t, 0)
	old := "\ufeff" + strings.ReplaceAll("# Tasks Loop\n\nOne.\n\n"+Block, "\n", "\r\n")
	err := errors.Join(os.WriteFile(path, []byte(old), 0o600), os.Chmod(path, 0o640))
	if err != nil {
		t.Fatal(err)
	}
	if err := Append(path, "Two."); err != nil {
		t.Fatal(err)
	}
	now := read(t, path)
	if !strings.HasPrefix(now, old) || strings.Count(now, "\n") != strings.Count(now, "\r\n") {
		t.Errorf("%q", now)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// L15: a ledger of any length takes a turn, and its end alone is read.
func TestAppendToALongLedger(t *testing.T) {
	path := made(t, 4000)
	info, err := os.Stat(path)
	if err != nil || info.Size() <= maxEnd {
		t.Fatalf("%v, %v", info, err)
	}
	if err := Append(path, "At last."); err != nil {
		t.Fatal(err)
	}
	if turns := Parse(read(t, path)); len(turns) != 4001 || Lint(turns) != nil {
		t.Errorf("%d turns, %v", len(turns), Lint(turns))
	}
}

func TestNew(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct{ phase, change, number, path, text string }{
		{"ideation", "add-login", "", "changes/add-login/loops/ideation.md", "# Ideation Loop\n"},
		{"plan", "add-login", "3", "changes/add-login/loops/plan-03.md", "# Plan Loop: Task 03\n"},
		{"implement", "b", "12", "changes/b/loops/implement-12.md", "# Implementation: Task 12\n"},
	} {
		path, err := New(root, c.phase, c.change, c.number)
		if err != nil || filepath.ToSlash(path) != c.path ||
			read(t, filepath.Join(root, path)) != c.text {
			t.Errorf("%v: %s, %v", c, path, err)
		}
		if _, err := New(root, c.phase, c.change, c.number); err == nil {
			t.Errorf("%v was made twice", c)
		}
	}
	for _, change := range []string{"", ".", "..", "a/b", `a\b`, "-x", ".x", "/a", "a\nb"} {
		if path, err := New(root, "tasks", change, ""); err == nil {
			t.Errorf("%q: %s", change, path)
		}
	}
	if list, err := os.ReadDir(filepath.Join(root, "changes")); err != nil || len(list) != 2 {
		t.Errorf("%v %v", list, err)
	}
}

func TestRoot(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "repo", "src", "x")
	err := errors.Join(os.MkdirAll(deep, 0o755), os.MkdirAll(filepath.Join(top, "changes"), 0o755),
		os.Mkdir(filepath.Join(top, "repo", ".git"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	if got := Root(deep); got != filepath.Join(top, "repo") {
		t.Errorf("without changes/: %s", got)
	}
	if got := Root(top); got != top {
		t.Errorf("in the root: %s", got)
	}
	if err := os.Mkdir(filepath.Join(top, "repo", "changes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Root(deep); got != filepath.Join(top, "repo") {
		t.Errorf("with changes/: %s", got)
	}
}

// L15: an append to 10 turns and to 10,000, and the check of both.
func BenchmarkAppend(b *testing.B) {
	for _, turns := range []int{10, 10_000} {
		path := made(b, turns)
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			for b.Loop() {
				if err := Append(path, "Did it."); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLint(b *testing.B) {
	for _, turns := range []int{10, 10_000} {
		path := made(b, turns)
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			for b.Loop() {
				if found := Lint(Parse(read(b, path))); found != nil {
					b.Fatal(found)
				}
			}
		})
	}
}
