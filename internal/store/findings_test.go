package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"hooks/internal/kind/audit"
	"hooks/internal/loop"
)

func bug(n int) audit.Finding {
	return audit.Finding{ID: fmt.Sprint("F", n), File: "a.go", Severity: audit.Bug, Section: 1,
		Description: fmt.Sprint("bug ", n), State: audit.OpenFinding}
}

// audited is the budget of an audit loop after n iterations. Its files have the names of any skill.
func audited(n int, findings ...audit.Finding) *loop.Budget {
	b := at(n)
	b.Own = &audit.Run{Plan: "p", Sections: []string{"one"}, Findings: findings}
	audit.Of(b).Tally()
	return b
}

// resolveFirst resolves F1.
func resolveFirst(s *Store) error {
	st, err := s.recover("work")
	if err != nil {
		return err
	}
	audit.Of(st.Budget).Findings[0].State = audit.ResolvedFinding
	audit.Of(st.Budget).Tally()
	return s.saveBudget("", st.Budget)
}

// The findings of a run are neither in its budget nor in a line of its history, and are read with
// the budget.
func TestFindingsLieApart(t *testing.T) {
	s := newStore(t)
	b := audited(0, bug(1), bug(2))
	ok(t, s.saveBudget("", b))
	ok(t, s.saveTick(tick(1)))
	l := line(1)
	b.Seq, l.Budget = 1, *b
	_, err := s.commit(l, "", b)
	ok(t, err)
	for _, name := range []string{"work.budget.json", history} {
		if text := content(t, s, name); strings.Contains(text, "bug 1") {
			t.Errorf("%s has a finding: %s", name, text)
		}
	}
	name := findingsName("work", "run-1")
	same(t, "lines", strings.Count(content(t, s, name), "\n"), 2)
	st := must(s.Load("work"))
	same(t, "counted", audit.Of(st.Budget).Found.Bugs, 2)
	same(t, "findings", audit.Of(st.Budget).Findings, []audit.Finding{bug(1), bug(2)})
	same(t, "lines", strings.Count(content(t, s, name), "\n"), 2)
	ok(t, resolveFirst(s))
	same(t, "lines", strings.Count(content(t, s, name), "\n"), 3)
	ok(t, s.Archive("work", "run-1"))
}

// An audit loop's findings go into the archive with it, where its report card reads them.
func TestFindingsAreArchived(t *testing.T) {
	s := newStore(t)
	b := audited(0, bug(1))
	b.Skill = audit.Name
	ok(t, s.saveBudget("", b))
	ok(t, s.Archive(audit.Name, "run-1"))
	same(t, "files left", files(t, s), []string{"archive"})
	old := must(s.Archived("run-1"))
	defer old.Close()
	b = must(old.Load(audit.Name)).Budget
	same(t, "findings", audit.Of(b).Findings, []audit.Finding{bug(1)})
}

// Findings that somebody else changed are not believed: they are read from their copy, and written
// again. Without a copy they are an error.
func TestChangedFindings(t *testing.T) {
	name := findingsName("work", "run-1")
	for what, change := range map[string]func(text string) string{
		"removed":   func(string) string { return "" },
		"cut":       func(text string) string { return text[:len(text)/2] },
		"rewritten": func(text string) string { return strings.Replace(text, "open", "gone", 1) },
		"one left out": func(text string) string {
			_, rest, _ := strings.Cut(text, "\n")
			return rest + strings.Repeat(" ", len(text)-len(rest)) + "\n"
		},
	} {
		s, dir := sealedStore(t)
		b := audited(0, bug(1), bug(2))
		b.SealedIn = dir.Path()
		ok(t, s.saveBudget("", b))
		text := change(content(t, s, name))
		put(t, s, name, text)
		if text == "" {
			ok(t, os.Remove(path(s, name)))
		}
		b = must(s.LoadSealed("s-1", "work")).Budget
		same(t, what+": by the copy", audit.Of(b).Findings, []audit.Finding{bug(1), bug(2)})
		ok(t, s.guarded(func() error {
			_, err := s.LoadSealed("s-1", "work")
			return err
		}))
		same(t, what+": in the file", newestLines([]byte(content(t, s, name))),
			must(encodeEach(audit.Of(b).Findings)))
		same(t, what+": told", len(s.Healed()), 1)

		ok(t, dir.DropLines(findingsCopy(b.RunID)))
		put(t, s, name, change(content(t, s, name)))
		_, err := s.LoadSealed("s-1", "work")
		if _, changed := errors.AsType[*ChangedError](err); !changed {
			t.Errorf("%s: %v", what, err)
		}
		audit.Of(b).Findings = []audit.Finding{bug(3)}
		if err := s.saveBudget("", b); err == nil {
			t.Errorf("%s: it is written over", what)
		}
	}
}

// FuzzFindings reads any file as a run's findings: it never fails, an id is there once, and a list
// that is written is read again as it was.
func FuzzFindings(f *testing.F) {
	f.Add([]byte(`{"id":"F1","file":"a","severity":"bug","state":"open"}` + "\n"))
	f.Add([]byte(`{"id":"F1","state":"open"}` + "\n" + `{"id":"F1","state":"resolved"}` + "\r\n{"))
	f.Add([]byte("{\"id\":\"F2\",\"line\":-1,\"at\":1e3}\n[]\n{\"id\":1}\n\x00\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list := newestLines(text)
		seen := map[string]bool{}
		for _, line := range list {
			id := gjson.Get(line, "id").Str
			if id == "" || seen[id] {
				t.Errorf("id %q", id)
			}
			seen[id] = true
		}
		same(t, "read again", newestLines([]byte(strings.Join(list, "\n"))), list)
	})
}
