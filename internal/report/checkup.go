package report

import (
	"cmp"
	"fmt"
	"strings"

	"hooks/internal/english"
	"hooks/internal/ledger"
	"hooks/internal/page"
)

// Health is the status of a check or a problem.
type Health string

// The states of a check, from best to worst. A skipped check did not apply.
const (
	Skipped Health = "skip"
	Fine    Health = "ok"
	Doubt   Health = "warn"
	Broken  Health = "fail"
)

// Checkup holds the doctor's findings.
type Checkup struct {
	Version string  `json:"version"`
	Program string  `json:"program"` // path of this binary
	Project string  `json:"project"`
	OK      bool    `json:"ok"` // no check failed
	Checks  []Check `json:"checks"`
	All     bool    `json:"-"` // show every check, not only problems
}

// Check is the result of one check.
type Check struct {
	Group    string    `json:"group"`
	Name     string    `json:"name"`
	Status   Health    `json:"status"`
	Found    []string  `json:"found"`
	Problems []Problem `json:"problems"`
	Fixed    []string  `json:"fixed"` // repairs made by --fix
	Millis   int64     `json:"millis"`
}

// Problem describes a problem and how to fix it.
type Problem struct {
	Status Health `json:"status"` // warn or fail
	Text   string `json:"text"`
	Way    string `json:"way"`
}

// Draw writes the checks by group. The counts come last, because people read the end first.
func (c Checkup) Draw(p *page.Text) {
	names, group := map[Health][]string{}, ""
	for _, k := range c.Checks {
		names[k.Status] = append(names[k.Status], k.Name)
		asked := k.Name == "live" && k.Status != Skipped
		if !c.All && !asked && len(k.Problems)+len(k.Fixed) == 0 {
			continue
		}
		if k.Group != group {
			group = k.Group
			p.Line(page.Plain, "%s", group)
		}
		k.Draw(p)
	}
	p.Blank()
	p.Line(page.Plain, "%s in %s: %d ok, %d warn, %d fail, %d skip", c.Version, c.Project,
		len(names[Fine]), len(names[Doubt]), len(names[Broken]), len(names[Skipped]))
	for _, h := range []Health{Broken, Doubt} {
		if len(names[h]) > 0 {
			p.Lead(healthStyle(h), string(h)+": ", len("fail: "), page.Plain, commas(names[h]...))
		}
	}
}

func (k Check) Draw(p *page.Text) {
	const status, name = len("  fail "), 22
	lead, indent := fmt.Sprintf("  %-4s %-*s", k.Status, name, k.Name), status+name
	if p.Width < 2*indent {
		lead, indent = fmt.Sprintf("  %-4s %s ", k.Status, k.Name), status
	}
	if len(k.Found) == 0 {
		k.Found = []string{""}
	}
	for _, found := range k.Found {
		p.Lead(healthStyle(k.Status), lead, indent, page.Plain, found)
		lead = strings.Repeat(" ", indent)
	}
	note := func(style, word, text string) {
		p.Put(strings.Repeat(" ", status), status, style, word+": "+text)
	}
	for _, f := range k.Fixed {
		note(page.Plain, "fixed", f)
	}
	for _, o := range k.Problems {
		note(healthStyle(o.Status), cmp.Or(when(o.Status == Broken, "error"), "warning"), o.Text)
		note(page.Plain, "hint", o.Way)
	}
}

func healthStyle(h Health) string {
	return map[Health]string{Fine: page.Good, Doubt: page.Warn, Broken: page.Bad,
		Skipped: page.Faint}[h]
}

// Ledgers is the result of checking ledgers.
type Ledgers struct {
	Checked  int              `json:"checked"` // number of files
	Findings []ledger.Finding `json:"findings"`
}

// Draw writes each finding on a line of the form `file:line: rule: text` (L30).
func (l Ledgers) Draw(p *page.Text) {
	p.Width = page.MaxWidth // editors parse the lines, so they must not wrap
	for _, f := range l.Findings {
		p.Line(page.Plain, "%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Text)
	}
	p.Line(page.Plain, "%s checked, %s", english.Plural(l.Checked, "ledger"),
		english.Plural(len(l.Findings), "finding"))
}
