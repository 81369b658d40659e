package doctor

import (
	"fmt"

	"hooks/internal/report"
	"hooks/internal/store"
)

// notes is what a check writes down, as people and programs read it. Its worst problem is its
// status.
type notes struct {
	check
	report.Check
	state   *store.Store // the loop state, of a check that needs it
	repairs []repair
	unfixed []error // what --fix could not do
}

// repair is what --fix does about a problem.
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
