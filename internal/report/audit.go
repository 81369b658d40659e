package report

import (
	"fmt"
	"slices"
	"strconv"

	"hooks/internal/english"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// Audited is an audit loop with its findings.
type Audited struct {
	Run      *loop.Budget    `json:"-"`
	Plan     []byte          `json:"-"` // the plan as it was when the loop began
	Findings []audit.Finding `json:"findings"`
}

// draw lists the auditors' findings, open ones first.
func (a Audited) Draw(p *page.Text) {
	r := audit.Of(a.Run)
	p.Line(page.Plain, "%s", r.Result())
	if list := byState(r); len(list) > 0 {
		p.Table(findingTable(list))
	}
}

// byState returns the findings of a run: open, accepted, then resolved.
func byState(r *audit.Run) []audit.Finding {
	return slices.Concat(r.Which(audit.OpenFinding), r.Which(audit.AcceptedFinding),
		r.Which(audit.ResolvedFinding))
}

// block writes the result of a phase.
func (b auditLoop) block(t *text, l *loop.Iteration) {
	r := b.run
	if a := audit.LineOf(l); a != nil {
		name := a.Phase.In(a.Section, len(r.Sections))
		t.line("Phase: %s — %s", name, &a.Judgement)
	}
	t.line("Audit: %s", r.Result())
}

// ended returns the lines of the final report. must holds the result, the last verdict with its
// commit, and the summary of the post action. more holds the open and then the accepted findings
// (A58, A74).
func (b auditLoop) ended() (must, more []string) {
	r := b.run
	must = []string{fmt.Sprintf("Audit: %s (%s)", r.Result(), b.StatusWord())}
	if v := r.Verdict; v != nil {
		must = append(must, "Last verdict: "+v.Said(b.head))
	}
	if r.Post != nil && r.Post.Summary != "" {
		must = append(must, "Post action: "+r.Post.Summary)
	}
	for _, f := range r.Which(audit.OpenFinding) {
		more = append(more, "Open: "+f.String())
	}
	for _, f := range r.Which(audit.AcceptedFinding) {
		more = append(more, "Accepted by a person: "+f.String())
	}
	return must, more
}

// stand draws the progress of the loop through its plan.
func (b auditLoop) stand() (list page.Facts) {
	r := b.run
	list.Row("done", page.Plain, "%s", r.Result())
	if r.Phase != audit.Complete {
		name := r.UnderWay()
		known := r.Section >= 0 && r.Section < len(r.Sections) // the run's file may be edited
		if known && (r.Phase == audit.Coding || r.Phase == audit.Auditing) {
			name += ": " + r.Sections[r.Section]
		}
		list.Row("under way", page.Plain, "%s", name)
	}
	if r.Reason != "" {
		list.Row("last phase", page.Warn, "%s", r.Reason)
	}
	return append(list, b.audits()...)
}

// audits returns the results of the audits.
func (b auditLoop) audits() (list page.Facts) {
	r, f := b.run, b.run.Found
	if f.Bugs+f.Warnings+f.Accepted+f.Resolved > 0 {
		list.Given("findings", fmt.Sprintf("%s, %s, %d accepted, %d resolved",
			english.Plural(f.Bugs, "open bug"), english.Plural(f.Warnings, "open warning"),
			f.Accepted, f.Resolved))
	}
	if v := r.Verdict; v != nil {
		list.Given("audits", fmt.Sprintf("%d, the last %s", r.Audits, v.Said(b.head)))
	}
	return list
}

// card draws the sections of the plan with their states (A40), and the findings.
func (b auditLoop) card(c *cardPage) {
	r := b.run
	t := page.Table{Columns: []page.Column{{Name: "#", Right: true, Class: "num"},
		{Name: "section", Class: "text"}, {Name: "state", Class: "out", Tag: true}}}
	for i, title := range r.Sections {
		style, state := page.Faint, "to do"
		switch {
		case i < r.Clean():
			style, state = page.Good, "clean"
		case i == r.Section:
			style, state = page.Warn, string(r.Phase)
		}
		t.Add(strconv.Itoa(i+1), title, state).Style = style
	}
	c.Section("Audit", r.Plan+", "+r.Result(), "")
	c.Table(t)
	if found := findingTable(byState(r)); len(found.Rows) > 0 {
		c.Table(found)
	}
	facts := b.audits()
	if r.Post != nil {
		facts.Given("post action", r.Post.Summary)
	}
	c.Facts(facts)
}

// findingTable returns a table of findings with their states.
func findingTable(list []audit.Finding) page.Table {
	t := page.Table{Columns: []page.Column{{Name: "state", Class: "out", Tag: true},
		{Name: "section"}, {Name: "finding", Class: "text", Loose: true}}}
	for _, f := range list {
		style := page.Good
		switch {
		case f.State == audit.OpenFinding && f.Severity == audit.Bug:
			style = page.Bad
		case f.State != audit.ResolvedFinding:
			style = page.Warn
		}
		t.Add(string(f.State), fmt.Sprintf("section %d", f.Section), f.String()).Style = style
	}
	return t
}

// phaseOrder returns the position of a phase in a run, or -1.
func phaseOrder(phase string) int { return slices.Index(audit.Phases[:], audit.Phase(phase)) }
