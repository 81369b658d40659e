package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
)

func (c Card) Draw(p *page.Text) { c.drawOn(p, p.Screen) }

// Index is a list of cards, drawn as a table.
type Index []Card

func (cards Index) Draw(p *page.Text) { index(p, cards) }

// PageHTML returns the cards as one HTML document, with an index if there are several.
func PageHTML(s page.Screen, cards []Card) string {
	title := each(cards, func(c Card) string { return string(c.Run.Skill) })
	var pages, m page.HTML
	if len(cards) != 1 {
		pages.Page(0, func(to page.Sheet) { index(to, cards) })
	}
	for i, c := range cards {
		pages.Page(i+1, func(to page.Sheet) { c.drawOn(to, s) })
	}
	if len(cards) == 1 {
		title = append(title, base(cards[0].Folder))
	}
	m.Put(pageFrame, page.Raw(PageMark), strings.Join(append(title, "report card"), " · "),
		page.Raw(pageStyle), page.Raw(pages.String()), s.Now.Format("January 2, 2006, 15:04 MST"))
	return m.String()
}

// SortCards puts the cards that need a person first.
func SortCards(cards []Card) {
	rank := func(c Card) int { return min(len(unanswered(c.Waiting)), 1) }
	slices.SortStableFunc(cards, func(a, b Card) int { return rank(b) - rank(a) })
}

// index draws a table of cards. In HTML, each row links to its card.
func index(to page.Sheet, cards []Card) {
	if len(cards) == 0 {
		to.Heading(page.Warn, "No loop has run in this project.")
		return
	}
	t := page.Table{Columns: []page.Column{{Name: "needs you", Class: "keep"},
		{Name: "dollars", Right: true}, {Name: "project", Class: "text"},
		{Name: "loop", Class: "text", Loose: true}}}
	for i, c := range cards {
		needs := ""
		if waits := unanswered(c.Waiting); len(waits) > 0 {
			needs = waits[0].Gate.Name
		}
		r := t.Add(needs, "$"+c.Run.DollarsEstimate.String(), cmp.Or(c.Project, base(c.Folder)), "")
		style, title := c.stand.title()
		r.Style, r.Cells[3] = style, page.Cell{{Text: title, Link: fmt.Sprintf("#run%d", i+1)}}
	}
	to.Section("Loops", "", "")
	to.Table(t)
}

// base returns the last element of a path. It also accepts backslashes, because a project may have
// been recorded on another system.
func base(folder string) string { return path.Base(strings.ReplaceAll(folder, `\`, "/")) }

// cardPage draws a card on a sheet.
type cardPage struct {
	page.Sheet
	page.Screen
	*Card
}

// drawOn draws the card with the most urgent parts first.
func (c *Card) drawOn(to page.Sheet, s page.Screen) {
	p := cardPage{to, s, c}
	p.head()
	p.todo()
	kindOf(c.Run).Card(to, c.stand.shown(), c.commit)
	p.spent()
	p.iterations()
	p.asked()
	p.leftBehind()
	p.evidence()
}

// head draws the run's state and basic facts.
func (c *cardPage) head() {
	b := c.Run
	var about page.Facts
	ran := "since " + c.Dated(b.StartedAt)
	if st := c.Stopped; st != nil {
		about.Given("last error", st.LastError)
		ran = commas(c.Dated(b.StartedAt)+" to "+c.Dated(st.Since), st.where())
	}
	about.Given("project", c.Project)
	about.Given("loop", commas(base(c.Folder), "run "+cmp.Or(b.RunID, "unknown"), ran))
	if b.Replaced > 0 {
		about.Row("note", page.Warn, "restored %s after another program changed the run's files",
			english.Plural(b.Replaced, "time"))
	}
	about.Rows("note", page.Warn, each(c.Unread, func(why string) string {
		return "Not all of the history could be read: " + why
	}))
	c.Heading(c.stand.title())
	c.Facts(about)
}

// endStyle returns the style for a run's status. A reached ceiling or a person's interrupt is a
// warning, not a failure.
func endStyle(b *loop.Budget) string {
	switch {
	case b.Status == loop.Active || loop.Completes(b.StopCause):
		return page.Good
	case StopCode(b) == CodeFailed && b.StopCause != "user_interrupt":
		return page.Bad
	}
	return page.Warn
}

// todo draws the pending questions and then the next step.
func (c *cardPage) todo() {
	if len(c.Waiting) > 0 {
		c.Section("Waits for you", "", "")
	}
	for _, w := range c.Waiting {
		c.Facts(w.facts())
	}
	c.Section("Next", "", "")
	var next page.Facts
	switch {
	case c.Next != "":
		next.Given("next tick", c.Next)
	case c.Resume != "":
		next.Command("type", c.Resume)
	case c.Stopped != nil && len(c.Stopped.Do) > 0:
		next.Rows("next", page.Plain, c.Stopped.Do)
	default:
		c.Line(page.Plain, "Nothing is left to do for this run.")
		return
	}
	c.Facts(next)
}

// spent draws the spend curve and the use of each ceiling.
func (c *cardPage) spent() {
	c.Section("Spend", "", "")
	if len(c.Iterations) > 0 {
		c.Figure(func(m *page.HTML) { curve(m, c.Run.Ceilings.Dollars, c.Iterations) })
	}
	c.Facts(spending(c.Screen, c.Run, c.Budgets, c.Raise))
}

// iterations draws a table of the most recent iterations.
func (c *cardPage) iterations() {
	c.Section("Iterations", "", "")
	if len(c.Iterations) == 0 {
		c.Line(page.Faint, "No iteration has ended.")
		return
	}
	if c.Earlier > 0 {
		c.Line(page.Faint, "Earlier iterations, not shown: %s; `hooks history --run %s` lists them",
			thousands(int64(c.Earlier)), c.Run.RunID)
	}
	most := slices.MaxFunc(c.Iterations, func(a, b loop.Iteration) int {
		return cmp.Compare(a.Dollars, b.Dollars)
	}).Dollars
	t := page.Table{Class: "iterations"}
	t.Columns, _ = iterationCells(c.Screen, &c.Iterations[0])
	t.Columns = append(t.Columns, page.Column{Name: "PRs", Class: "prs", Spare: 2},
		page.Column{Name: "refused", Class: "ref", Spare: 1},
		page.Column{Name: "remarks", Class: "more", Notes: true})
	for i := range c.Iterations {
		l := &c.Iterations[i]
		_, cells := iterationCells(c.Screen, l)
		dollars := &cells[len(cells)-1][0]
		dollars.Part, dollars.Whole = int64(l.Dollars), int64(most)
		var prs page.Cell
		for _, name := range l.PRsTouched {
			if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
				prs = append(prs, c.ref(n))
			} else {
				prs = append(prs, page.Word{Text: name})
			}
		}
		t.Rows = append(t.Rows, page.Row{Style: outcomeStyle(l.Outcome),
			Cells: append(cells, prs, page.Words(refused(l.Denied)), nil),
			Notes: append(remarks(l), l.Notes...)})
	}
	c.Table(t)
}

// remarks describes an iteration's events that have no column on a card. It omits the notes.
func remarks(l *loop.Iteration) []string {
	list := each(l.Fired, func(cause string) string { return "stopped by " + cause })
	if l.Overrun != nil {
		list = append(list, "$"+l.Overrun.Over.String()+" past the ceiling")
	}
	if j := l.Judged(); j != nil {
		list = append(append(list, l.Own.Changes()...), j.Why)
		if j.Seen != nil {
			list = append(list, j.Seen.String())
		}
	}
	list = append(list, when(l.Facts != "" && l.Ran(), "the skill reported nothing"))
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// refused describes how many calls were refused, counting merges separately, for example "2 merges,
// 1 call". It returns "" if no call was refused.
func refused(list []loop.Denial) string {
	merges := 0
	for _, d := range list {
		if d.Rule == loop.MergeGate {
			merges += d.Times
		}
	}
	calls := loop.Refusals(list) - merges
	return strings.Trim(commas(when(merges > 0, english.Plural(merges, "merge")),
		when(calls > 0, english.Plural(calls, "call"))), ", ")
}

// asked draws a table of questions and a table of refused calls.
func (c *cardPage) asked() {
	gates := page.Table{Columns: []page.Column{{Name: "#", Right: true, Class: "num"},
		{Name: "question", Notes: true, Class: "text"}, {Name: "gate", Class: "gate"},
		{Name: "answer", Class: "text"}}}
	for _, g := range c.Gates {
		r := gates.Add(strconv.Itoa(g.Iteration), "", g.Name, g.Answer)
		r.Notes = []string{g.Question}
		if g.Origin == loop.OriginFlag {
			r.Cells[3] = append(r.Cells[3], page.Word{Text: "by a flag", Look: page.Small})
		}
	}
	c.titled("Asked", gates)
	calls := page.Table{Columns: []page.Column{{Name: "times", Right: true, Class: "num"},
		{Name: "refused call", Class: "call"}, {Name: "rule", Class: "keep"}}}
	for _, d := range c.Denied {
		r := calls.Add(strconv.Itoa(d.Times), "", d.Rule)
		r.Cells[1] = page.Cell{{Text: refusedCall(d), Look: page.Code}}
	}
	c.titled("Refused", calls)
}

// titled draws a heading with a table below it, or nothing if the table has no rows.
func (c *cardPage) titled(name string, t page.Table) {
	if len(t.Rows) > 0 {
		c.Section(name, "", "")
		c.Table(t)
	}
}

// leftBehind lists the issues, PRs, commits and worktrees that the run leaves behind.
func (c *cardPage) leftBehind() {
	issues := page.Table{Columns: []page.Column{{Name: "issue"},
		{Name: "title", Class: "text", Loose: true}}}
	for _, i := range c.Issues {
		issues.Add("", i.Title).Cells[0] = page.Cell{numberLink(c.Links.Issue, i.Number)}
	}
	c.titled("Issues", issues)
	if len(c.PRs)+len(c.Worktrees) > 0 {
		c.Section("Pull requests and commits", "", "")
	}
	prs := page.Table{Class: "prlist", Columns: []page.Column{
		{Name: "PR", Class: "text", Notes: true}, {Name: "state"},
		{Name: "branch", Class: "text", Spare: 1}, {Name: "commit"}}}
	for _, p := range c.PRs {
		from := cmp.Or(when(p.Told, "from the tracker"), when(p.Merged, "merge seen"),
			when(p.Seen, "seen"), "claimed")
		r := prs.Add("", cmp.Or(p.State, "unknown"), "", "")
		r.Cells[0] = page.Cell{c.ref(p.Number)}
		r.Cells[1] = append(r.Cells[1], page.Word{Text: from, Look: page.Small})
		if p.Branch != "" {
			r.Cells[2] = page.Cell{{Text: p.Branch, Look: page.Code}}
		}
		if p.SHA != "" {
			r.Cells[3] = page.Cell{c.commit(p.SHA),
				{Text: cmp.Or(when(p.Head, "on the remote"), "claimed"), Look: page.Small}}
		}
		if p.Title != "" {
			r.Notes = []string{p.Title}
		}
	}
	if len(prs.Rows) > 0 {
		c.Table(prs)
	}
	var trees page.Facts
	for _, w := range c.Worktrees {
		trees.GivenCell("worktree", page.Cell{{Text: w.Path, Look: page.Code},
			{Text: "branch " + cmp.Or(w.Branch, "unknown")}})
	}
	if len(trees) > 0 {
		c.Facts(trees)
	}
}

// ref returns a PR number, linked to the PR if the forge is known.
func (c *Card) ref(pr int) page.Word { return numberLink(c.Links.PR, pr) }

// numberLink formats n as in "#142". If address is set, it adds a link to address followed by n.
func numberLink(address string, n int) page.Word {
	number := strconv.Itoa(n)
	return page.Word{Text: "#" + number, Link: when(address != "", address+number)}
}

func (c *Card) commit(sha string) page.Word {
	w := page.Word{Text: attempt.Short(sha), Look: page.Code}
	if c.Links.Commit != "" && strings.Trim(sha, "0123456789abcdef") == "" && len(sha) >= 7 {
		w.Link = c.Links.Commit + sha
	}
	return w
}

// evidence draws the observed facts and then the facts that were only reported. The PR table gives
// the source of each state and commit.
func (c *cardPage) evidence() {
	v, d := c.Verified, c.Claimed
	kindSeen, said := kindOf(c.Run).Evidence()
	var seen page.Facts
	seen.Row("dollars", page.Plain, "$%s (API-equivalent), counted from the transcripts", v.Dollars)
	seen.Given("workers", counted(v.Agents))
	seen = append(seen, kindSeen...)
	seen.GivenCell("PRs", each(v.PRs, c.ref))
	seen.GivenCell("merged", each(v.Merged, c.ref))
	seen.Given("merge tries", counted(v.Attempts))
	seen.Given("comments", counted(v.Comments))
	if v.Tried > 0 {
		seen.Row("fresh", page.Plain, "%d of %s began with an empty context", v.Fresh,
			english.Plural(v.Tried, "attempt"))
	}
	seen.Row("progress", page.Plain, "%s", v.Progress)

	said.GivenCell("PRs", each(d.PRs, c.ref))
	said.GivenCell("ended PRs", each(d.States, c.ref))
	said.Given("comments", counted(d.Comments))
	said.Given("outcomes", counted(d.Outcomes))
	for _, f := range d.Failures {
		said.Row("failure", page.Warn, "%s: %s", f.Subject(), f.Cause)
	}
	if len(said) == 0 {
		said.Given("claims", "none")
	}
	c.Section("Verified: seen by the program itself", "", "verified")
	c.Facts(seen)
	c.Section("Claimed: reported, not verified", "", "claimed")
	c.Facts(said)
}

// counted formats n. It returns "" if n is 0.
func counted(n int) string { return when(n != 0, strconv.Itoa(n)) }

// PageMark is the beginning of every page. It identifies files written by this program.
const PageMark = "<!doctype html><!-- hooks report-card -->"

// pageFrame is the format of a self-contained HTML document, with no scripts and no network
// requests. Its verbs stand for the mark, the title, the style sheet, the pages and the time.
//
//go:embed page.html
var pageFrame string

//go:embed page.css
var pageStyle string

// pointTitle returns the tooltip for an iteration's point on the curve.
func pointTitle(l *loop.Iteration) string {
	return fmt.Sprintf("iteration %s: $%s, $%s in total%s%s", thousands(int64(l.Iteration)),
		l.Dollars, l.Budget.DollarsEstimate,
		when(len(l.Denied) > 0, "; "+refused(l.Denied)+" refused"),
		when(len(l.Gates) > 0, "; "+english.Plural(len(l.Gates), "question")+" asked"))
}

// curve draws the total spend after each iteration and, if there is one, the ceiling. The picture
// is stretched to the page width, so strokes do not scale, each point is the round cap of a very
// short line, and the labels are HTML beside the picture.
func curve(m *page.HTML, limit loop.USD, list []loop.Iteration) {
	first, last := &list[0], &list[len(list)-1]
	before := max(0, first.Budget.DollarsEstimate-first.Dollars)
	total := last.Budget.DollarsEstimate
	top, about := total, ""
	switch {
	case limit == 0:
		about = "no dollar ceiling"
	case total < limit/8: // on a scale with the ceiling, the curve would look flat
		about, limit = fmt.Sprintf("the ceiling of %s is off the chart", ceiling(limit)), 0
	default:
		about, top = "the ceiling is "+ceiling(limit), max(top, limit)
	}
	about = fmt.Sprintf("Spend by iteration: $%s in total; %s", total, about)
	step := scale(max(top, loop.Cent))
	top = max(step, (top+step-1)/step*step)
	y := func(u loop.USD) float64 { return 100 - page.Percent(int64(u), int64(top)) }
	var grid, line, dots page.HTML
	m.Put(`<figure><div class="chart"><div class="ys">`)
	for at := loop.USD(0); at <= top; at += step {
		m.Put(`<span style="top:%.1f%%">%s</span>`, y(at), ceiling(at))
		grid.Put("M0 %.2fH100", y(at))
	}
	line.Put("M0 %.2f", y(before))
	for i := range list {
		l := &list[i]
		x, y := page.Percent(int64(i+1), int64(len(list))), y(l.Budget.DollarsEstimate)
		line.Put("L%.2f %.2f", x, y)
		dots.Put(`<path class="point" d="M%.2f %.2fh.01" tabindex="0" role="img">`+
			"<title>%s</title></path>\n", x, y, pointTitle(l))
	}
	drawn := page.Raw(line.String())
	m.Put(`</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="group">`+
		`<title>%s</title><path class="grid" d="%s"/><path class="area" d="%sV100H0Z"/>`+
		`<path class="line" d="%s"/>`, about, page.Raw(grid.String()), drawn, drawn)
	if limit > 0 {
		m.Put(`<path class="limit" d="M0 %.2fH100"/>`, y(limit))
	}
	m.Put("\n%s</svg>", page.Raw(dots.String()))
	if limit > 0 {
		m.Put(`<span class="cap" style="top:%.1f%%">ceiling %s</span>`, y(limit), ceiling(limit))
	}
	from := when(first.Iteration > 1, "iteration "+thousands(int64(first.Iteration)))
	m.Put(`</div><div class="xs"><span>%s</span><span>iteration %s</span></div>`+
		"<figcaption>%s</figcaption></figure>\n", cmp.Or(from, "start"),
		thousands(int64(last.Iteration)), about)
}

// scale returns the smallest round step that reaches top in at most five steps.
func scale(top loop.USD) loop.USD {
	for step := loop.Cent; ; step *= 10 {
		for _, n := range []loop.USD{1, 2, 5} {
			if top <= 5*n*step {
				return n * step
			}
		}
	}
}
