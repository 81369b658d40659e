package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

func bug(n int) loop.Finding {
	return loop.Finding{ID: fmt.Sprint("F", n), File: "a.go", Severity: loop.Bug, Section: 1,
		Description: fmt.Sprint("bug ", n), State: loop.OpenFinding}
}

// audited is the budget of an audit loop after n iterations. Its files have the names of any skill.
func audited(n int, findings ...loop.Finding) *loop.Budget {
	b := at(n)
	b.Audit = &loop.AuditRun{Plan: "p", Sections: []string{"one"}, Findings: findings}
	b.Audit.Tally()
	return b
}

// resolveFirst resolves F1.
func resolveFirst(s *Store) error {
	st, err := s.recover("work")
	if err == nil {
		err = s.Findings(st.Budget)
	}
	if err != nil {
		return err
	}
	st.Budget.Audit.Findings[0].State = loop.ResolvedFinding
	st.Budget.Audit.Tally()
	return s.saveBudget("", st.Budget)
}

// The findings of a run are neither in its budget nor in a line of its history, and are read where
// a question about one waits.
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
	name := findingsName("run-1")
	same(t, "lines", strings.Count(content(t, s, name), "\n"), 2)
	st := must(s.Load("work"))
	same(t, "findings read", len(st.Budget.Audit.Findings), 0)
	same(t, "counted", st.Budget.Audit.Found.Bugs, 2)
	b.Pending = []loop.Gate{{Name: loop.RecurringGate, Target: "F1"}}
	ok(t, s.saveBudget("", b))
	st = must(s.Load("work"))
	same(t, "findings", st.Budget.Audit.Findings, []loop.Finding{bug(1), bug(2)})
	same(t, "lines", strings.Count(content(t, s, name), "\n"), 2)
	ok(t, resolveFirst(s))
	same(t, "lines", strings.Count(content(t, s, name), "\n"), 3)
	ok(t, s.Archive("work", "run-1"))
}

// An audit loop's findings go into the archive with it, where its report card reads them.
func TestFindingsAreArchived(t *testing.T) {
	s := newStore(t)
	b := audited(0, bug(1))
	b.Skill = loop.Audit
	ok(t, s.saveBudget("", b))
	ok(t, s.Archive(loop.Audit, "run-1"))
	same(t, "files left", files(t, s), []string{"archive"})
	old := must(s.Archived("run-1"))
	defer old.Close()
	b = must(old.Load(loop.Audit)).Budget
	ok(t, old.Findings(b))
	same(t, "findings", b.Audit.Findings, []loop.Finding{bug(1)})
}

// A budget of an earlier version has its findings in itself. They move out with the next change.
func TestFindingsOfAnEarlierVersion(t *testing.T) {
	s := newStore(t)
	b := audited(0, bug(1), bug(2))
	b.Audit.Found = loop.Tally{}
	put(t, s, "work.budget.json", string(must(codec.Encode(*b))))
	st := must(s.Load("work"))
	same(t, "open", st.Budget.Audit.Found.Bugs, 2)
	ok(t, resolveFirst(s))
	b = must(s.Load("work")).Budget
	same(t, "in the budget", len(b.Audit.Findings), 0)
	ok(t, s.Findings(b))
	same(t, "first", b.Audit.Findings[0].State, loop.ResolvedFinding)
	same(t, "all", len(b.Audit.Findings), 2)
}

// Findings that somebody else changed are not believed, until a person takes them over as they are.
func TestChangedFindings(t *testing.T) {
	name := findingsName("run-1")
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
		err := s.Findings(b)
		if _, changed := errors.AsType[*ChangedError](err); !changed {
			t.Errorf("%s: %v", what, err)
		}
		same(t, what+": runs that changed", len(s.Changed("work")), 1)
		b.Audit.Findings = []loop.Finding{bug(3)}
		if err := s.saveBudget("", b); err == nil {
			t.Errorf("%s: it is written over", what)
		}
		accepted, err := s.Accept("work", func(*loop.Budget) bool { return false })
		ok(t, err)
		same(t, what+": accepted", len(accepted), 1)
		b = must(s.LoadSealed("s-1", "work")).Budget
		ok(t, s.Findings(b))
		open := 0
		for _, f := range b.Audit.Findings {
			if f.State != loop.ResolvedFinding { // an unknown word closes nothing
				open++
			}
		}
		same(t, what+": counted", b.Audit.Found.Bugs, open)
		same(t, what+": left", len(s.Changed("work")), 0)
	}
}

// FuzzFindings reads any file as a run's findings: it never fails, an id is there once, and a list
// that is written is read again as it was.
func FuzzFindings(f *testing.F) {
	f.Add([]byte(`{"id":"F1","file":"a","severity":"bug","state":"open"}` + "\n"))
	f.Add([]byte(`{"id":"F1","state":"open"}` + "\n" + `{"id":"F1","state":"resolved"}` + "\r\n{"))
	f.Add([]byte("{\"id\":\"F2\",\"line\":-1,\"at\":1e3}\n[]\n{\"id\":1}\n\x00\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list := parseFindings(text)
		var again []byte
		seen := map[string]bool{}
		for _, f := range list {
			if f.ID == "" || seen[f.ID] {
				t.Errorf("id %q", f.ID)
			}
			seen[f.ID] = true
			again = append(append(again, must(codec.Encode(f))...), '\n')
		}
		same(t, "read again", parseFindings(again), list)
	})
}
