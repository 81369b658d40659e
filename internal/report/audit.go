package report

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Audited is an audit loop with its findings.
type Audited struct {
	Run      *loop.Budget   `json:"-"`
	Project  string         `json:"-"`
	Findings []loop.Finding `json:"findings"`
}

// Findings lists what the auditors found, open ones first.
func Findings(s Screen, a Audited) string {
	var t text
	t.line("%s", a.Run.Audit.Result())
	for _, f := range byState(a.Run.Audit) {
		t.line("%-8s  section %d  %s", f.State, f.Section, f)
	}
	return Fit(s, t.String())
}

// byState are the findings, open ones first, then those that a person accepted.
func byState(r *loop.AuditRun) []loop.Finding {
	return slices.Concat(r.Which(loop.OpenFinding), r.Which(loop.AcceptedFinding),
		r.Which(loop.ResolvedFinding))
}

// block writes the end of a phase.
func (b auditLoop) block(t *text, l *loop.Iteration) {
	r := b.Audit
	if a := l.Audit; a != nil {
		name := a.Phase.In(a.Section, len(r.Sections))
		t.line("Phase: %s — %s%s", name, a.Judgement.Verdict, prefixed(": ", a.Judgement.Why))
	}
	t.line("Audit: %s", r.Result())
}

// maxFindings bounds the findings that a text lists one by one.
const maxFindings = 30

// unresolved are the findings that are left, one line each: open ones, then those that a person
// accepted.
func unresolved(r *loop.AuditRun) (lines []string) {
	for _, f := range r.Which(loop.OpenFinding) {
		lines = append(lines, "Open: "+f.String())
	}
	for _, f := range r.Which(loop.AcceptedFinding) {
		lines = append(lines, "Accepted by a person: "+f.String())
	}
	if more := len(lines) - maxFindings; more > 0 {
		lines = append(lines[:maxFindings:maxFindings], fmt.Sprintf(
			"… and %s: hooks audit findings", loop.Plural(more, "further finding")))
	}
	return lines
}

// ended writes what a person reads at the end: the last verdict with its commit, what is left as it
// is, and the words of the post action (A58, A74).
func (b auditLoop) ended(t *text) {
	r := b.Audit
	t.line("Audit: %s (%s)", r.Result(), b.AuditStatus())
	if v := r.Verdict; v != nil {
		t.line("Last verdict: %s", v.Said(b.head))
	}
	for _, line := range unresolved(r) {
		t.line("%s", line)
	}
	if r.Post != nil && r.Post.Summary != "" {
		t.line("Post action: %s", r.Post.Summary)
	}
}

// stand draws how far the loop is with its plan.
func (b auditLoop) stand(p *page) {
	r := b.Audit
	p.row("done", plain, "%s", r.Result())
	if r.Phase != loop.Complete {
		name := r.UnderWay()
		if r.Phase == loop.Coding || r.Phase == loop.Auditing {
			name += ": " + r.Sections[r.Section]
		}
		p.row("under way", plain, "%s", name)
	}
	p.given("last phase", warn, r.Reason)
	p.audits(b)
}

// audits draws what the audits found, and how fast the sections become clean.
func (p *page) audits(b auditLoop) {
	r, f := b.Audit, b.Audit.Found
	if f.Bugs+f.Warnings+f.Accepted+f.Resolved > 0 {
		p.row("findings", plain, "%s, %s, %d accepted, %d resolved",
			loop.Plural(f.Bugs, "open bug"), loop.Plural(f.Warnings, "open warning"), f.Accepted,
			f.Resolved)
	}
	if v := r.Verdict; v != nil {
		p.row("audits", plain, "%d, the last %s", r.Audits, v.Said(b.head))
	}
	if clean := r.Clean(); clean > 0 {
		each := b.IterationsUsed * 10 / clean
		p.row("pace", plain, "%d.%d iterations and $%s a section", each/10, each%10,
			b.DollarsEstimate/loop.USD(clean))
	}
}

// sections lists the sections of the plan with what became of each (A40).
func (p *page) sections(r *loop.AuditRun) {
	for i, title := range r.Sections {
		_, state := section(r, i)
		p.row(fmt.Sprintf("section %d", i+1), plain, "%s: %s", title, state)
	}
}

// section returns the state of a section of the plan, with its style.
func section(r *loop.AuditRun, i int) (style, state string) {
	switch {
	case i < r.Clean():
		return good, "clean"
	case i == r.Section:
		return warn, string(r.Phase)
	}
	return faint, "to do"
}

func (b auditLoop) card(p *page, _ Card) {
	r := b.Audit
	p.section("Audit")
	p.row("plan", plain, "%s, %s", r.Plan, r.Result())
	p.sections(r)
	if v := r.Verdict; v != nil {
		p.row("verdict", plain, "%s", v.Said(b.head))
	}
	p.audits(b)
	p.rows("finding", plain, unresolved(r))
	if r.Post != nil {
		p.given("post action", plain, r.Post.Summary)
	}
}

func (auditLoop) facts(c *Card, _ refs) facts {
	return facts{by: "by the auditors", verified: []fact{{"fresh", c.Verified.fresh("phase")}},
		claimed: []fact{{"verdicts", "clean means that the auditor found no bug"}}}
}

// article writes the sections of the plan, what the auditors found, and which evidence there is.
func (b auditLoop) article(d *drawing) {
	r := b.Audit
	d.section("Audit", r.Plan+", "+r.Result())
	d.put(`<table class="rows"><thead><tr><th class="n">#<th>Section<th>State</thead><tbody>`)
	for i, title := range r.Sections {
		style, state := section(r, i)
		d.put(`<tr><td class="n num">%d<td class="text">%s<td class="out"><b class="tag %s">%s</b>`+
			"\n", i+1, brief(title), tone(style, ""), state)
	}
	d.put("</tbody></table>\n")
	d.findings(r)
	if v := r.Verdict; v != nil {
		d.put("<p>Last verdict: <b>%s</b> about %s%s</p>\n", v.Word, d.commit(v.SHA),
			v.About(b.head))
	}
	if r.Post != nil && r.Post.Summary != "" {
		d.put("<p>Post action: %s</p>\n", brief(r.Post.Summary))
	}
}

func (b auditLoop) count() string {
	return fmt.Sprintf("%d of %s", b.Audit.Clean(), loop.Plural(len(b.Audit.Sections), "section"))
}

func (d *drawing) findings(r *loop.AuditRun) {
	list := byState(r)
	if len(list) == 0 {
		return
	}
	d.put(`<table class="rows"><thead><tr><th>Finding<th>State</thead><tbody>`)
	for _, f := range list[:min(len(list), maxListedRows)] {
		style := good
		switch {
		case f.State == loop.OpenFinding && f.Severity == loop.Bug:
			style = bad
		case f.State != loop.ResolvedFinding:
			style = warn
		}
		d.put(`<tr><td class="text">%s<td class="out"><b class="tag %s">%s</b>`+"\n",
			brief(f.String()), tone(style, ""), string(f.State))
	}
	d.put("</tbody></table>\n")
	if more := len(list) - maxListedRows; more > 0 {
		d.put(`<p class="dim">%s after these: <code>hooks audit findings</code></p>`+"\n",
			loop.Plural(more, "finding"))
	}
}

// phaseEnded is a phase of an audit loop with its end, as in "auditing 2: dirty, opened F1 F2".
func phaseEnded(l *loop.AuditLine) string {
	text := phaseName(l) + prefixed(": ", spaced(string(l.Judgement.Verdict)))
	text += prefixed(", opened ", strings.Join(l.Opened, " "))
	text += prefixed(", resolved ", strings.Join(l.Resolved, " "))
	if l.Judgement.Seen != nil {
		text += ", " + l.Judgement.Seen.String()
	}
	return text
}

// phaseName is as in "auditing 2".
func phaseName(l *loop.AuditLine) string {
	if l.Phase == loop.Coding || l.Phase == loop.Auditing {
		return fmt.Sprintf("%s %d", l.Phase, l.Section)
	}
	return spaced(string(l.Phase))
}

// spaced is a word of the files as people read it.
func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }
