package doctor

import (
	"fmt"
	"time"

	"hooks/internal/report"
	"hooks/internal/store"
)

// notes is what a check writes down.
type notes struct {
	check
	state    *store.Store // the loop state, of a check that needs it
	found    []string
	problems []*problem
	skipped  bool
	fixed    []string // what --fix did
	unfixed  []error  // what it could not do
	took     time.Duration
}

// problem is a finding that something is wrong, with a hint and sometimes a repair.
type problem struct {
	report.Problem
	fixed string // what the repair does, as people read it afterwards
	fix   func() error
}

// note notes a fact.
func (n *notes) note(format string, args ...any) {
	n.found = append(n.found, fmt.Sprintf(format, args...))
}

// skip notes why there is nothing to look at.
func (n *notes) skip(format string, args ...any) {
	n.skipped = true
	n.note(format, args...)
}

// warn notes what a person should know or decide.
func (n *notes) warn(hint, format string, args ...any) *problem {
	return n.add(report.Doubt, hint, fmt.Sprintf(format, args...))
}

// fail notes what keeps the program from its work.
func (n *notes) fail(hint, format string, args ...any) *problem {
	return n.add(report.Broken, hint, fmt.Sprintf(format, args...))
}

func (n *notes) add(status report.Health, hint, text string) *problem {
	p := &problem{Problem: report.Problem{Status: status, Text: text, Way: hint}}
	n.problems = append(n.problems, p)
	return p
}

// noteIfFine notes a fact if the check found no problem.
func (n *notes) noteIfFine(format string, args ...any) {
	if len(n.problems) == 0 {
		n.note(format, args...)
	}
}

// repaired says how --fix repairs a problem, and what it prints then.
func (p *problem) repaired(fixed string, fix func() error) { p.fixed, p.fix = fixed, fix }

// repair runs the repairs of a check. It reports whether there was any.
func (n *notes) repair() (tried bool) {
	for _, p := range n.problems {
		if p.fix == nil {
			continue
		}
		tried = true
		if err := p.fix(); err != nil {
			n.unfixed = append(n.unfixed, err)
		} else {
			n.fixed = append(n.fixed, p.fixed)
		}
	}
	return tried
}

// result is the check as people and programs read it. The worst problem is its status.
func (n *notes) result() report.Check {
	k := report.Check{
		Group: n.group, Name: n.name, Status: report.Fine, Millis: n.took.Milliseconds(),
		Found: append([]string{}, n.found...), Fixed: append([]string{}, n.fixed...),
		Problems: []report.Problem{},
	}
	if n.skipped {
		k.Status = report.Skipped
	}
	for _, p := range n.problems {
		k.Problems = append(k.Problems, p.Problem)
		if k.Status != report.Broken {
			k.Status = p.Status
		}
	}
	return k
}
