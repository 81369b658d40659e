package doctor

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"hooks/internal/report"
)

// check is a row of the table.
type check struct {
	group, name string
	look        func(*machine, *notes)
}

// checkTime bounds one check; the slowest start a few dozen children.
const checkTime = 30 * time.Second

// causes are checks whose failure makes others fail too, which then have nothing of their own to
// say.
func causes() map[string][]string {
	return map[string][]string{
		"home":        {"settings-files", "hooks-registered", "seal", "workspace-trust"},
		"hook-binary": {"must-deny", "must-allow", "self-test", "live", "path"},
		"repository":  {"state-hidden"},
		"git":         {"repository", "state-hidden", "push-settings", "git-aliases"},
	}
}

// sayOnce takes the problems of a failed check out of those that only follow from it.
func sayOnce(results []*notes) {
	failed := map[string]bool{}
	for _, n := range results {
		failed[n.name] = slices.ContainsFunc(n.problems, func(p *problem) bool {
			return p.Status == report.Broken
		})
	}
	for cause, names := range causes() {
		for _, n := range results {
			if failed[cause] && slices.Contains(names, n.name) && len(n.problems) > 0 {
				n.problems, n.found = nil, nil
				n.skip("see %s", cause)
			}
		}
	}
}

// limit is the most a check may take. A live session is bounded by itself.
func (c check) limit() time.Duration {
	if c.name == "live" {
		return liveTime + checkTime
	}
	return checkTime
}

// lookAt runs the checks: the groups side by side, the checks of a group one after the other.
func (m *machine) lookAt(list []check) []*notes {
	results := make([]*notes, len(list))
	var groups sync.WaitGroup
	for from := 0; from < len(list); {
		first, to := from, from
		for to < len(list) && list[to].group == list[from].group {
			to++
		}
		groups.Go(func() {
			for i := first; i < to; i++ {
				results[i] = m.examine(list[i], list[i].limit())
			}
		})
		from = to
	}
	groups.Wait()
	return results
}

// examine runs one check. One that does not come to its end is left behind: what it still writes is nobody's.
func (m *machine) examine(c check, limit time.Duration) *notes {
	began, done := time.Now(), make(chan *notes, 1)
	go func() {
		n := &notes{check: c}
		defer func() {
			if p := recover(); p != nil {
				n.fail("tell the maintainers what stands here", "the check itself broke: %v", p)
			}
			done <- n
		}()
		c.look(m, n)
	}()
	var n *notes
	select {
	case n = <-done:
	case <-time.After(limit):
		n = &notes{check: c}
		n.fail("see what this machine is busy with, and run hooks doctor again", "the check did not end within %v", limit)
	}
	n.took = time.Since(began)
	return n
}

// mend repairs what can be repaired and then looks at everything again: one mend may set several checks right.
func (m *machine) mend(results []*notes) []*notes {
	fixed, errs, any := make([][]string, len(results)), make([][]error, len(results)), false
	var list []check
	for i, n := range results {
		fixed[i], errs[i] = n.mend()
		any = any || len(fixed[i])+len(errs[i]) > 0
		list = append(list, n.check)
	}
	if !any {
		return results
	}
	fresh := m.machine()
	fresh.self = m.self
	again := fresh.lookAt(list)
	for i, n := range again {
		n.fixed = fixed[i]
		for _, err := range errs[i] {
			n.fail("mend it by hand", "--fix did not succeed: %v", err)
		}
	}
	return again
}

// notes is what a check writes down.
type notes struct {
	check
	found    []string
	problems []*problem
	fixed    []string
	skipped  bool
	took     time.Duration
}

type problem struct {
	report.Problem
	// mend repairs it and says what it did; nil where a person must.
	mend func() (string, error)
}

// say notes a fact.
func (n *notes) say(format string, args ...any) {
	n.found = append(n.found, fmt.Sprintf(format, args...))
}

// skip notes why there is nothing to look at.
func (n *notes) skip(format string, args ...any) {
	n.skipped = true
	n.say(format, args...)
}

// warn notes what a person should know or decide.
func (n *notes) warn(way, format string, args ...any) *problem {
	return n.add(report.Doubt, way, fmt.Sprintf(format, args...))
}

// fail notes what keeps the program from its work.
func (n *notes) fail(way, format string, args ...any) *problem {
	return n.add(report.Broken, way, fmt.Sprintf(format, args...))
}

func (n *notes) add(status report.Health, way, text string) *problem {
	p := &problem{Problem: report.Problem{Status: status, Text: text, Way: way}}
	n.problems = append(n.problems, p)
	return p
}

// mend runs the repairs of a check.
func (n *notes) mend() (fixed []string, errs []error) {
	for _, p := range n.problems {
		if p.mend == nil {
			continue
		}
		if said, err := p.mend(); err != nil {
			errs = append(errs, err)
		} else {
			fixed = append(fixed, said)
		}
	}
	return fixed, errs
}

// result is the check as people and programs read it.
func (n *notes) result() report.Check {
	k := report.Check{
		Group: n.group, Name: n.name, Status: report.Fine, Found: append([]string{}, n.found...),
		Problems: []report.Problem{}, Fixed: append([]string{}, n.fixed...), Millis: n.took.Milliseconds(),
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
