package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

const history = "work.history.jsonl"

func grow(t *testing.T, s *Store, lines ...*loop.Iteration) {
	t.Helper()
	for _, l := range lines {
		_, err := s.appendHistory(l)
		ok(t, err)
	}
}

// seqs reads the whole history: the lines' seqs, and the damage.
func seqs(s *Store) (got []int, damage []string) {
	for l, err := range lines(s, "work") {
		if err != nil {
			damage = append(damage, err.Error())
		} else {
			got = append(got, l.Seq)
		}
	}
	return got, damage
}

func newest(t *testing.T, s *Store) int {
	t.Helper()
	l, err := s.Last("work", func(*loop.Iteration) bool { return true })
	ok(t, err)
	if l == nil {
		return 0
	}
	return l.Seq
}

func TestAppendAndRead(t *testing.T) {
	s := newStore(t)
	same(t, "newest of nothing", newest(t, s), 0)
	got, damage := seqs(s)
	same(t, "lines of nothing", len(got)+len(damage), 0)
	for n := 1; n <= 3; n++ {
		created, err := s.appendHistory(line(n))
		ok(t, err)
		same(t, "created", created, n == 1)
	}
	got, damage = seqs(s)
	same(t, "seqs", got, []int{1, 2, 3})
	same(t, "damage", damage, nil)
	same(t, "lines", strings.Count(content(t, s, history), "\n"), 3)
	first, err := s.Last("work", func(l *loop.Iteration) bool { return l.Seq == 1 })
	ok(t, err)
	same(t, "the line", diff(line(1), first), "")
	none, err := s.Last("work", func(l *loop.Iteration) bool { return false })
	ok(t, err)
	same(t, "no line", none, nil)
	for range lines(s, "work") {
		break // a reader may stop early
	}
}

func TestEmptyListsAreLists(t *testing.T) {
	s := newStore(t)
	it := &loop.Iteration{Skill: "work", Outcome: loop.OK, Budget: *budget()}
	it.Budget.PRsTouched = nil
	grow(t, s, it)
	if got := content(t, s, history); strings.Contains(got, "null") {
		t.Errorf("the line holds a null: %s", got)
	}
}

func TestTornTail(t *testing.T) {
	whole := string(must(codec.Encode(line(2))))
	pile := strings.Repeat("\x00", 5<<20)
	tests := map[string]struct {
		tail string
		seqs []int // after the next append of line 3
	}{
		"nothing torn":                 {whole + "\n", []int{1, 2, 3}},
		"only the newline is missing":  {whole, []int{1, 2, 3}},
		"half a line":                  {whole[:100], []int{1, 3}},
		"one byte":                     {"{", []int{1, 3}},
		"all but one byte":             {whole[:len(whole)-1], []int{1, 3}},
		"broken with a newline":        {whole[:100] + "\n", []int{1, 3}},
		"zeros of a power cut":         {"\x00\x00\x00", []int{1, 3}},
		"megabytes of zeros":           {pile, []int{1, 3}},
		"a number, maybe half of one":  {"1", []int{1, 3}},
		"an empty line":                {"\n", []int{1, 3}},
		"longer than the block's size": {`{"x":"` + strings.Repeat("y", 200<<10), []int{1, 3}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			grow(t, s, line(1))
			put(t, s, history, content(t, s, history)+tt.tail)
			before, damage := seqs(s)
			same(t, "damage seen by a reader", damage, nil)
			same(t, "lines before", before, tt.seqs[:len(tt.seqs)-1])
			same(t, "newest before", newest(t, s), before[len(before)-1])
			grow(t, s, line(3))
			got, damage := seqs(s)
			same(t, "lines", got, tt.seqs)
			same(t, "damage", damage, nil)
			same(t, "files", files(t, s), []string{history})
		})
	}
}

func TestDamagedMiddle(t *testing.T) {
	s := newStore(t)
	grow(t, s, line(1))
	good := content(t, s, history)
	put(t, s, history, good+"garbage\n"+"{}\n"+`{"version":9}`+"\n\n"+`"`+
		strings.Repeat("x", maxLine)+"\"\n"+good)
	grow(t, s, line(2))
	got, damage := seqs(s)
	same(t, "lines", got, []int{1, 1, 2})
	same(t, "damage", damage, []string{
		".sdd/loop/work.history.jsonl line 2 is damaged: it is not valid JSON",
		".sdd/loop/work.history.jsonl line 3 is damaged: field iteration is missing",
		".sdd/loop/work.history.jsonl has format version 9, which this program does not know: " +
			"upgrade hooks",
		".sdd/loop/work.history.jsonl line 6 is damaged: it is over 4 MiB",
	})
	same(t, "newest", newest(t, s), 2)
	_, err := s.Last("work", func(l *loop.Iteration) bool { return l.Seq == 9 })
	if damaged(err) == nil {
		t.Errorf("a search through the damage says %v", err)
	}
	if !strings.HasPrefix(content(t, s, history), good+"garbage\n") {
		t.Error("damage was rewritten")
	}
}

// TestCrashesLeaveDamage: a line is damage wherever it was cut, zeroed or joined to another.
func TestCrashesLeaveDamage(t *testing.T) {
	good := string(must(codec.Encode(line(1))))
	for i := range len(good) {
		zeros := good[:i] + strings.Repeat("\x00", min(8, len(good)-i)) + good[min(len(good), i+8):]
		texts := map[string]string{"cut": good[:i], "zeros": zeros}
		if i > 0 {
			texts["joined"] = good[:i] + good
		}
		for name, text := range texts {
			if _, err := (RawLine{JSON: []byte(text)}).Skim(); damaged(err) == nil {
				t.Errorf("%s at %d is no damage: %v: %s", name, i, err, text)
			}
		}
	}
	for from, to := range map[string]string{
		`"outcome":"ok",`: ``, `"iteration":1,`: `"iteration":"1",`,
		`"skill":"work",`: `"skill":"work","skill":"work",`,
	} {
		text := strings.Replace(good, from, to, 1)
		if text == good {
			t.Fatalf("no %s in %s", from, good)
		}
		if _, err := (RawLine{JSON: []byte(text)}).Skim(); damaged(err) == nil {
			t.Errorf("%s instead of %s is no damage: %v", to, from, err)
		}
	}
	text := strings.Replace(good, `"version":1`, `"version":9`, 1)
	if _, err := (RawLine{JSON: []byte(text)}).Skim(); newer(err) == nil {
		t.Errorf("a newer line: %v", err)
	}
}

func TestAnIterationIsCommittedOnce(t *testing.T) {
	s := newStore(t)
	grow(t, s, line(1), line(2))
	for _, n := range []int{1, 2} {
		if _, err := s.appendHistory(line(n)); !errors.Is(err, errCommitted) {
			t.Errorf("seq %d again: %v", n, err)
		}
	}
	skip := line(2)
	skip.Outcome = loop.SkippedLock
	grow(t, s, skip) // a skipped tick commits nothing
	other := line(1)
	other.RunID = "run-2"
	grow(t, s, other)
	got, _ := seqs(s)
	same(t, "lines", got, []int{1, 2, 2, 1})
}

// TestAFailedAppendLeavesNoTrace: what was reported as failed is not there, not even in part.
func TestAFailedAppendLeavesNoTrace(t *testing.T) {
	for _, op := range []string{"write ", "sync "} {
		s := newStore(t)
		grow(t, s, line(1))
		before := content(t, s, history)
		s.disk.fail = func(label string) error {
			if label == op+history {
				return errors.New("no space")
			}
			return nil
		}
		if _, err := s.appendHistory(line(2)); err == nil {
			t.Errorf("a failed %sis no error", op)
		}
		same(t, "history after a failed "+op, content(t, s, history), before)
	}
}

func TestLineThatCannotBeReadIsNotWritten(t *testing.T) {
	s := newStore(t)
	long, empty := line(1), line(1)
	long.Facts = strings.Repeat("x", maxLine)
	empty.Budget = loop.Budget{Status: "bored"}
	for _, l := range []*loop.Iteration{long, empty} {
		if _, err := s.appendHistory(l); err == nil {
			t.Errorf("appended %.100v", l)
		}
	}
	same(t, "files", files(t, s), []string{})
}

// TestAppendsOfManyProcesses: every line is there, whole, whoever else appended.
func TestAppendsOfManyProcesses(t *testing.T) {
	s := newStore(t)
	race(t, s, 25, "append", "append", "append", "append")
	got, damage := seqs(s)
	same(t, "lines", len(got), 100)
	same(t, "damage", damage, nil)
	same(t, "files", files(t, s), []string{history})
}

func TestLinesRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := rapid.MakeCustom[loop.Iteration](Values()).Draw(rt, "line")
		it.Version, it.Budget.Version = 1, 1
		s := &Store{disk: disk{shown: Dir}}
		body, err := s.lineOf(&it, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if n := bytes.Count(body, []byte("\n")); n != 1 {
			rt.Fatalf("%d newlines", n)
		}
		got, err := parseLine("x", bytes.TrimSpace(body))
		if err != nil {
			rt.Fatal(err)
		}
		if d := diff(&it, got); d != "" {
			rt.Fatal(d)
		}
	})
}

// FuzzHistory: reading forwards and backwards says the same, and after a repair nothing that was
// whole is gone.
func FuzzHistory(f *testing.F) {
	good := string(must(codec.Encode(line(1))))
	f.Add([]byte(good + "\n" + good[:50]))
	f.Add([]byte("\n\n{}\n" + good))
	f.Add([]byte("\x00\r\n" + good + "\r\n"))
	dir := f.TempDir()
	s := must(Create(dir))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, name := range files(t, s) {
			ok(t, os.Remove(filepath.Join(dir, Dir, name)))
		}
		put(t, s, history, string(body))
		before, _ := seqs(s)
		last, err := s.Last("work", func(*loop.Iteration) bool { return true })
		if err == nil && (last == nil) != (len(before) == 0) {
			t.Fatalf("forwards %v, backwards %v", before, last)
		}
		it := line(1)
		it.RunID = "run-fuzz"
		if _, err := s.appendHistory(it); err != nil {
			if newer(err) == nil {
				t.Fatal(err)
			}
			return
		}
		after, _ := seqs(s)
		if len(after) != len(before)+1 {
			t.Fatalf("%d lines before, %d after", len(before), len(after))
		}
	})
}
