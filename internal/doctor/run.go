package doctor

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"hooks/internal/report"
	"hooks/internal/store"
)

// check is a row of the table.
type check struct {
	group, name string
	// causes are the checks, separated by blanks, whose failure makes this one fail too. Its
	// problems are then left out.
	causes string
	needs  need
	look   func(*machine, *notes)
}

// need reports whether there is anything for a check to look at. If not, it notes why.
type need func(*machine, *notes) bool

// checkTime bounds one check. The slowest ones start a few dozen children.
const checkTime = 30 * time.Second

// walk runs the checks: the groups side by side, the checks of a group one after the other.
func (m *machine) walk(list []check) []*notes {
	results := make([]*notes, len(list))
	groups := map[string][]int{}
	for i, c := range list {
		groups[c.group] = append(groups[c.group], i)
	}
	var all sync.WaitGroup
	for _, rows := range groups {
		all.Go(func() {
			for _, i := range rows {
				results[i] = m.examine(list[i], checkTime)
			}
		})
	}
	all.Wait()
	return results
}

// examine runs one check. What a check writes down after its time is dropped.
func (m *machine) examine(c check, limit time.Duration) *notes {
	if c.name == "live" {
		limit += liveTime
	}
	began, done := time.Now(), make(chan *notes, 1)
	go func() {
		n := c.notes()
		defer func() {
			if p := recover(); p != nil {
				n.fail("tell the maintainers this text", "the check itself broke: %v", p)
			}
			if n.state != nil {
				n.state.Close()
			}
			done <- n
		}()
		if c.needs == nil || c.needs(m, n) {
			c.look(m, n)
		}
	}()
	var n *notes
	select {
	case n = <-done:
	case <-time.After(limit):
		n = c.notes()
		n.fail("see what this machine is busy with, and try again",
			"the check did not end within %v", limit)
	}
	n.Millis = time.Since(began).Milliseconds()
	return n
}

// reportOnce drops the problems of checks that only follow from another failed check.
func reportOnce(results []*notes) {
	failed := map[string]bool{}
	for _, n := range results {
		failed[n.Name] = n.Status == report.Broken
	}
	for _, n := range results {
		for cause := range strings.FieldsSeq(n.causes) {
			if failed[cause] && len(n.Problems) > 0 {
				n.Problems, n.Found = []report.Problem{}, nil
				n.skip("see %s", cause)
			}
		}
	}
}

// repair repairs what can be repaired. Then it checks everything again, because one repair may set
// several checks right.
func (m *machine) repair(results []*notes) []*notes {
	var list []check
	tried := 0
	for _, n := range results {
		list, tried = append(list, n.check), tried+len(n.repairs)
		n.repair()
	}
	if tried == 0 {
		return results
	}
	fresh := m.machine()
	fresh.self = m.self
	again := fresh.walk(list)
	for i, n := range again {
		n.Fixed = results[i].Fixed
		for _, err := range results[i].unfixed {
			n.fail("repair it by hand", "--fix did not succeed: %v", err)
		}
	}
	return again
}

// notes collects the results of a check for people and programs. Its status is that of its worst
// problem.
type notes struct {
	check
	report.Check
	state   *store.Store // the loop state, of a check that needs it
	repairs []repair
	unfixed []error // what --fix could not do
}

// repair is the fix that --fix makes for a problem.
type repair struct {
	fixed string // what it did, as people read it
	do    func() error
}

func (c check) notes() *notes {
	return &notes{check: c, Check: report.Check{Group: c.group, Name: c.name, Status: report.Fine,
		Found: []string{}, Problems: []report.Problem{}, Fixed: []string{}}}
}

// note notes a fact.
func (n *notes) note(format string, args ...any) {
	n.Found = append(n.Found, fmt.Sprintf(format, args...))
}

// skip notes why there is nothing to look at.
func (n *notes) skip(format string, args ...any) {
	n.Status = report.Skipped
	n.note(format, args...)
}

// warn notes what a person should know or decide.
func (n *notes) warn(hint, format string, args ...any) *notes {
	return n.add(report.Doubt, hint, fmt.Sprintf(format, args...))
}

// fail notes what keeps the program from its work.
func (n *notes) fail(hint, format string, args ...any) *notes {
	return n.add(report.Broken, hint, fmt.Sprintf(format, args...))
}

func (n *notes) add(status report.Health, hint, text string) *notes {
	n.Problems = append(n.Problems, report.Problem{Status: status, Text: text, Way: hint})
	if n.Status != report.Broken {
		n.Status = status
	}
	return n
}

// noteIfFine notes a fact if the check found no problem.
func (n *notes) noteIfFine(fact string) {
	if len(n.Problems) == 0 {
		n.note("%s", fact)
	}
}

// repaired says how --fix repairs a problem, and what it prints then.
func (n *notes) repaired(fixed string, do func() error) {
	n.repairs = append(n.repairs, repair{fixed, do})
}

// repair runs the repairs of a check.
func (n *notes) repair() {
	for _, r := range n.repairs {
		if err := r.do(); err != nil {
			n.unfixed = append(n.unfixed, err)
		} else {
			n.Fixed = append(n.Fixed, r.fixed)
		}
	}
}
