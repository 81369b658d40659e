package report

import (
	"fmt"
	"slices"
	"strconv"

	"hooks/internal/kind/audit"
	"hooks/internal/loop"
)

// Audited is an audit loop with its findings.
type Audited struct {
	Run      *loop.Budget    `json:"-"`
	Plan     []byte          `json:"-"` // the plan as it was when the loop began
	Findings []audit.Finding `json:"findings"`
}

// draw lists the auditors' findings, open ones first.
func (a Audited) draw(p *page) {
	r := audit.Of(a.Run)
	p.line(plain, "%s", r.Result())
	if list := byState(r); len(list) > 0 {
		p.table(findingTable(list))
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
func (b auditLoop) stand() (list facts) {
	r := b.run
	list.row("done", plain, "%s", r.Result())
	if r.Phase != audit.Complete {
		name := r.UnderWay()
		known := r.Section >= 0 && r.Section < len(r.Sections) // the run's file may be edited
		if known && (r.Phase == audit.Coding || r.Phase == audit.Auditing) {
			name += ": " + r.Sections[r.Section]
		}
		list.row("under way", plain, "%s", name)
	}
	if r.Reason != "" {
		list.row("last phase", warn, "%s", r.Reason)
	}
	return append(list, b.audits()...)
}

// audits returns the results of the audits.
func (b auditLoop) audits() (list facts) {
	r, f := b.run, b.run.Found
	if f.Bugs+f.Warnings+f.Accepted+f.Resolved > 0 {
		list.given("findings", words(fmt.Sprintf("%s, %s, %d accepted, %d resolved",
			loop.Plural(f.Bugs, "open bug"), loop.Plural(f.Warnings, "open warning"), f.Accepted,
			f.Resolved)))
	}
	if v := r.Verdict; v != nil {
		list.given("audits", words(fmt.Sprintf("%d, the last %s", r.Audits, v.Said(b.head))))
	}
	return list
}

// card draws the sections of the plan with their states (A40), and the findings.
func (b auditLoop) card(c *cardPage) {
	r := b.run
	t := table{columns: []column{{name: "#", right: true, class: "num"},
		{name: "section", class: "text"}, {name: "state", class: "out", tag: true}}}
	for i, title := range r.Sections {
		style, state := faint, "to do"
		switch {
		case i < r.Clean():
			style, state = good, "clean"
		case i == r.Section:
			style, state = warn, string(r.Phase)
		}
		t.rows = append(t.rows, row{style: style, cells: []cell{words(strconv.Itoa(i + 1)),
			words(title), words(state)}})
	}
	c.section("Audit", r.Plan+", "+r.Result(), "")
	c.table(t)
	if found := findingTable(byState(r)); len(found.rows) > 0 {
		c.table(found)
	}
	facts := b.audits()
	if r.Post != nil {
		facts.given("post action", words(r.Post.Summary))
	}
	c.facts(facts)
}

// findingTable returns a table of findings with their states.
func findingTable(list []audit.Finding) table {
	t := table{columns: []column{{name: "state", class: "out", tag: true},
		{name: "section"}, {name: "finding", class: "text", loose: true}}}
	for _, f := range list {
		style := good
		switch {
		case f.State == audit.OpenFinding && f.Severity == audit.Bug:
			style = bad
		case f.State != audit.ResolvedFinding:
			style = warn
		}
		t.rows = append(t.rows, row{style: style, cells: []cell{words(string(f.State)),
			words(fmt.Sprintf("section %d", f.Section)), words(f.String())}})
	}
	return t
}

// phaseOrder returns the position of a phase in a run, or -1.
func phaseOrder(phase string) int { return slices.Index(audit.Phases[:], audit.Phase(phase)) }
