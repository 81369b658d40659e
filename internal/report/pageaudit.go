package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

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
	d.end()
	d.verified("", "transcripts, commits, the check command")
	d.sent()
	d.fact("Fresh", d.Verified.fresh("phase"))
	d.claimed("the auditors said it")
	d.fact("Verdicts", unseenBugs)
	d.endPair()
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

// unseenBugs is what no evidence covers.
const unseenBugs = "clean means that the auditor found no bug"

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
