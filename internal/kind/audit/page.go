package audit

import (
	"fmt"
	"slices"
	"strconv"

	"hooks/internal/english"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// Listing holds the run's findings, as shown by `hooks audit findings` (A30).
type Listing struct {
	Findings []Finding `json:"findings"`
	run      *Run
}

func (r *Run) Listing() page.Page { return Listing{r.Findings, r} }

// Draw lists the findings, open ones first.
func (l Listing) Draw(p *page.Text) {
	p.Line(page.Plain, "%s", l.run.Result())
	if found := l.run.found(); len(found.Rows) > 0 {
		p.Table(found)
	}
}

// Part returns a section of the plan as it was when the loop began. Numbers start at 1; 0 selects
// the current section (A43).
func (r *Run) Part(plan string, number int) (string, error) {
	if number == 0 {
		number = r.Section + 1
	}
	_, list, err := Split(plan)
	switch {
	case err != nil || loop.Digest([]byte(plan)) != r.PlanSum:
		return "", hint.New("read the section in "+r.Plan,
			"the saved copy of the plan is missing or was changed")
	case number < 1 || number > len(list):
		return "", hint.New("give a number from 1 to "+strconv.Itoa(len(list)),
			"the plan has no section %d", number)
	}
	return list[number-1].Text, nil
}

// Block returns a line about the phase that ended, and a summary of the run.
func (r *Run) Block(_ *loop.Budget, l *loop.Iteration) (list []string) {
	if own := LineOf(l); own != nil {
		list = append(list, fmt.Sprintf("Phase: %s — %s",
			own.Phase.In(own.Section, len(r.Sections)), &own.Judgement))
	}
	return append(list, "Audit: "+r.Result())
}

// Final returns the lines of the final report. must holds the result, the last verdict with its
// commit, and the post action's summary. more holds the open findings, then the accepted ones (A58,
// A74).
func (r *Run) Final(s loop.Shown) (must, more []string) {
	must = []string{fmt.Sprintf("Audit: %s (%s)", r.Result(), s.Run.StatusWord())}
	if v := r.Verdict; v != nil {
		must = append(must, "Last verdict: "+v.Said(s.Head))
	}
	if r.Post != nil && r.Post.Summary != "" {
		must = append(must, "Post action: "+r.Post.Summary)
	}
	for _, f := range r.Which(OpenFinding) {
		more = append(more, "Open: "+f.String())
	}
	for _, f := range r.Which(AcceptedFinding) {
		more = append(more, "Accepted by a person: "+f.String())
	}
	return must, more
}

// Stand returns the loop's progress through its plan.
func (r *Run) Stand(s loop.Shown) (list page.Facts) {
	list.Row("done", page.Plain, "%s", r.Result())
	if r.Phase != Complete {
		name := r.UnderWay()
		if title := r.title(); title != "" && (r.Phase == Coding || r.Phase == Auditing) {
			name += ": " + title
		}
		list.Row("under way", page.Plain, "%s", name)
	}
	if r.Reason != "" {
		list.Row("last phase", page.Warn, "%s", r.Reason)
	}
	return append(list, r.audits(s.Head)...)
}

func (r *Run) audits(head string) (list page.Facts) {
	f := r.Found
	if f.Bugs+f.Warnings+f.Accepted+f.Resolved > 0 {
		list.Given("findings", fmt.Sprintf("%s, %s, %d accepted, %d resolved",
			english.Plural(f.Bugs, "open bug"), english.Plural(f.Warnings, "open warning"),
			f.Accepted, f.Resolved))
	}
	if v := r.Verdict; v != nil {
		list.Given("audits", fmt.Sprintf("%d, the last %s", r.Audits, v.Said(head)))
	}
	return list
}

// Card draws the plan's sections with their states (A40), and the findings.
func (r *Run) Card(to page.Sheet, s loop.Shown, _ func(sha string) page.Word) {
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
	to.Section("Audit", r.Plan+", "+r.Result(), "")
	to.Table(t)
	if found := r.found(); len(found.Rows) > 0 {
		to.Table(found)
	}
	facts := r.audits(s.Head)
	if r.Post != nil {
		facts.Given("post action", r.Post.Summary)
	}
	to.Facts(facts)
}

// Evidence explains a clean verdict.
func (r *Run) Evidence() (seen, said page.Facts) {
	said.Given("verdicts", "clean means that the auditor found no bug")
	return seen, said
}

// found returns a table of the findings: open, accepted, then resolved.
func (r *Run) found() page.Table {
	t := page.Table{Columns: []page.Column{{Name: "state", Class: "out", Tag: true},
		{Name: "section"}, {Name: "finding", Class: "text", Loose: true}}}
	for _, f := range slices.Concat(r.Which(OpenFinding), r.Which(AcceptedFinding),
		r.Which(ResolvedFinding)) {
		style := page.Good
		switch {
		case f.State == OpenFinding && f.Severity == Bug:
			style = page.Bad
		case f.State != ResolvedFinding:
			style = page.Warn
		}
		t.Add(string(f.State), fmt.Sprintf("section %d", f.Section), f.String()).Style = style
	}
	return t
}
