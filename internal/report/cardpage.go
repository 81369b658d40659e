package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/kind/audit"
	"hooks/internal/loop"
)

func (c Card) draw(p *page) { c.drawOn(p, p.Screen) }

// Index lists cards.
type Index []Card

func (cards Index) draw(p *page) { index(p, cards) }

// PageHTML writes the cards as one HTML document, with an index of several.
func PageHTML(s Screen, cards []Card) string {
	var title []string
	var pages, m markup
	switch len(cards) {
	case 0:
		pages.page(0, func(to sheet) { to.heading(warn, "No loop has run in this project.") })
	case 1:
	default:
		pages.page(0, func(to sheet) { index(to, cards) })
	}
	for i, c := range cards {
		title = append(title, string(c.Run.Skill))
		pages.page(i+1, func(to sheet) { c.drawOn(to, s) })
	}
	if len(cards) == 1 {
		title = append(title, base(cards[0].Folder))
	}
	m.put(pageFrame, raw(PageMark), strings.Join(append(title, "report card"), " · "),
		raw(pageStyle), raw(pages.String()), s.Now.Format("January 2, 2006, 15:04 MST"))
	return m.String()
}

// SortCards puts the cards that need a person first.
func SortCards(cards []Card) {
	rank := func(c Card) int { return min(len(unanswered(c.Waiting)), 1) }
	slices.SortStableFunc(cards, func(a, b Card) int { return rank(b) - rank(a) })
}

// index draws a table of cards, in HTML with a link to each.
func index(to sheet, cards []Card) {
	t := table{columns: []column{{name: "needs you", class: "keep"}, {name: "dollars", right: true},
		{name: "project", class: "text"}, {name: "loop", class: "text", loose: true}}}
	for i, c := range cards {
		var needs cell
		if waits := unanswered(c.Waiting); len(waits) > 0 {
			needs = words(waits[0].Gate.Name)
		}
		t.rows = append(t.rows, row{style: c.style, cells: []cell{needs,
			words("$" + c.Run.DollarsEstimate.String()), words(cmp.Or(c.Project, base(c.Folder))),
			{{text: c.title, link: fmt.Sprintf("#run%d", i+1)}}}})
	}
	to.section("Loops", "", "")
	to.table(t)
}

// base returns the last element of a path. It also accepts backslashes, because a project may have
// been recorded on another system.
func base(folder string) string { return path.Base(strings.ReplaceAll(folder, `\`, "/")) }

// cardPage is a card that is drawn on a sheet.
type cardPage struct {
	sheet
	Screen
	*Card
}

// drawOn draws a card, the most urgent parts first.
func (c *Card) drawOn(to sheet, s Screen) {
	p := cardPage{to, s, c}
	p.head()
	p.todo()
	kindOf(c.Run, c.Head).card(&p)
	p.spent()
	p.iterations()
	p.asked()
	p.leftBehind()
	p.evidence()
}

// head draws the result of the run.
func (c *cardPage) head() {
	b := c.Run
	var about facts
	ran := "since " + c.dated(b.StartedAt)
	if st := c.Stopped; st != nil {
		about.given("last error", words(st.LastError))
		ran = commas(c.dated(b.StartedAt)+" to "+c.dated(st.Since), st.where())
	}
	about.given("project", words(c.Project))
	about.given("loop", words(commas(base(c.Folder), "run "+cmp.Or(b.RunID, "unknown"), ran)))
	if b.Replaced > 0 {
		about.row("note", warn, "restored %s after another program changed the run's files",
			loop.Plural(b.Replaced, "time"))
	}
	for _, n := range c.Unread {
		about.row("note", warn, "Not all of the history could be read: %s", n)
	}
	c.heading(c.style, c.title)
	c.facts(about)
}

// endStyle returns the style of a run's end. A ceiling and a person's interrupt are warnings, not
// failures.
func endStyle(b *loop.Budget) string {
	switch {
	case b.Status == loop.Active || loop.Completes(b.StopCause):
		return good
	case StopCode(b) == CodeFailed && b.StopCause != "user_interrupt":
		return bad
	}
	return warn
}

// todo draws the questions that wait, and then the step that continues the run.
func (c *cardPage) todo() {
	if len(c.Waiting) > 0 {
		c.section("Waits for you", "", "")
	}
	for _, w := range c.Waiting {
		c.facts(w.facts())
	}
	c.section("Next", "", "")
	var next facts
	switch {
	case c.Next != "":
		next.given("next tick", words(c.Next))
	case c.Resume != "":
		next.command("type", c.Resume)
	case c.Stopped != nil && len(c.Stopped.Do) > 0:
		next.rows("next", plain, c.Stopped.Do)
	default:
		c.line(plain, "Nothing is left to do for this run.")
		return
	}
	c.facts(next)
}

// spent draws the spend curve and the use of each ceiling.
func (c *cardPage) spent() {
	c.section("Spend", "", "")
	if len(c.Iterations) > 0 {
		c.curve(c.Run.Ceilings.Dollars, c.Iterations)
	}
	c.facts(c.spending(c.Run, c.Budgets, c.Raise))
}

// iterations draws a table of the last iterations.
func (c *cardPage) iterations() {
	c.section("Iterations", "", "")
	if len(c.Iterations) == 0 {
		c.line(faint, "No iteration has ended.")
		return
	}
	if c.Earlier > 0 {
		c.line(faint, "%s before these: hooks history --run %s; "+
			"the rest of the page is about these", thousands(int64(c.Earlier)), c.Run.RunID)
	}
	most := slices.MaxFunc(c.Iterations, func(a, b loop.Iteration) int {
		return cmp.Compare(a.Dollars, b.Dollars)
	}).Dollars
	t := table{class: "iterations"}
	t.columns, _ = c.iteration(&c.Iterations[0])
	t.columns = append(t.columns, column{name: "PRs", class: "prs", spare: 2},
		column{name: "refused", class: "ref", spare: 1},
		column{name: "remarks", class: "more", notes: true})
	for i := range c.Iterations {
		l := &c.Iterations[i]
		_, cells := c.iteration(l)
		dollars := &cells[len(cells)-1][0]
		dollars.part, dollars.whole = int64(l.Dollars), int64(most)
		var prs cell
		for _, name := range l.PRsTouched {
			if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
				prs = append(prs, c.ref(n))
			} else {
				prs = append(prs, word{text: name})
			}
		}
		t.rows = append(t.rows, row{style: outcomeStyle(l.Outcome),
			cells: append(cells, prs, words(refused(l.Denied)), nil),
			notes: append(remarks(l), l.Notes...)})
	}
	c.table(t)
}

// remarks returns the events of an iteration that have no column on a card, but for its notes.
func remarks(l *loop.Iteration) (list []string) {
	for _, cause := range l.Fired {
		list = append(list, "stopped by "+cause)
	}
	if l.Overrun != nil {
		list = append(list, "$"+l.Overrun.Over.String()+" past the ceiling")
	}
	if j := l.Judged(); j != nil {
		list = append(append(list, l.Own.Changes()...), j.Why)
		if j.Seen != nil {
			list = append(list, j.Seen.String())
		}
	}
	if l.Facts != "" && l.Ran() {
		list = append(list, "the skill reported nothing")
	}
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// refused counts refused calls in words, with merges counted separately, as in "2 merges, 1 call".
// It is empty if no call was refused.
func refused(list []loop.Denial) string {
	merges := 0
	for _, d := range list {
		if d.Rule == loop.MergeGate {
			merges += d.Times
		}
	}
	var parts []string
	if merges > 0 {
		parts = append(parts, loop.Plural(merges, "merge"))
	}
	if calls := loop.Refusals(list) - merges; calls > 0 {
		parts = append(parts, loop.Plural(calls, "call"))
	}
	return commas(parts...)
}

// asked draws the tables of questions and of refused calls.
func (c *cardPage) asked() {
	gates := table{columns: []column{{name: "#", right: true, class: "num"},
		{name: "question", notes: true, class: "text"}, {name: "gate", class: "gate"},
		{name: "answer", class: "text"}}}
	for _, g := range c.Gates {
		answer := words(g.Answer)
		if g.Origin == loop.OriginFlag {
			answer = append(answer, word{text: "by a flag", look: small})
		}
		gates.rows = append(gates.rows, row{cells: []cell{words(strconv.Itoa(g.Iteration)), nil,
			words(g.Name), answer}, notes: []string{g.Question}})
	}
	c.titled("Asked", gates)
	calls := table{columns: []column{{name: "times", right: true, class: "num"},
		{name: "refused call", class: "call"}, {name: "rule", class: "keep"}}}
	for _, d := range c.Denied {
		calls.rows = append(calls.rows, row{cells: []cell{words(strconv.Itoa(d.Times)),
			{{text: refusedCall(d), look: code}}, words(d.Rule)}})
	}
	c.titled("Refused", calls)
}

// titled draws a table below its heading. It draws nothing if the table has no rows.
func (c *cardPage) titled(name string, t table) {
	if len(t.rows) > 0 {
		c.section(name, "", "")
		c.table(t)
	}
}

// leftBehind lists the issues, PRs, commits and worktrees that the run leaves for a person.
func (c *cardPage) leftBehind() {
	issues := table{columns: []column{{name: "issue"}, {name: "title", class: "text", loose: true}}}
	for _, i := range c.Issues {
		issues.rows = append(issues.rows,
			row{cells: []cell{{numberLink(c.Links.Issue, i.Number)}, words(i.Title)}})
	}
	c.titled("Issues", issues)
	if len(c.PRs)+len(c.Worktrees) > 0 {
		c.section("Pull requests and commits", "", "")
	}
	prs := table{class: "prlist", columns: []column{{name: "PR", class: "text", notes: true},
		{name: "state"}, {name: "branch", class: "text", spare: 1}, {name: "commit"}}}
	for _, p := range c.PRs {
		from := cmp.Or(when(p.Told, "by the tracker"), when(p.Merged, "merge seen"),
			when(p.Seen, "seen"), "claimed")
		r := row{cells: []cell{{c.ref(p.Number)},
			{{text: cmp.Or(p.State, "unknown")}, {text: from, look: small}}, nil, nil}}
		if p.Branch != "" {
			r.cells[2] = cell{{text: p.Branch, look: code}}
		}
		if p.SHA != "" {
			r.cells[3] = cell{c.commit(p.SHA),
				{text: cmp.Or(when(p.Head, "on the remote"), "claimed"), look: small}}
		}
		if p.Title != "" {
			r.notes = []string{p.Title}
		}
		prs.rows = append(prs.rows, r)
	}
	if len(prs.rows) > 0 {
		c.table(prs)
	}
	var trees facts
	for _, w := range c.Worktrees {
		trees.given("worktree", cell{{text: w.Path, look: code},
			{text: "branch " + cmp.Or(w.Branch, "unknown")}})
	}
	if len(trees) > 0 {
		c.facts(trees)
	}
}

// ref returns the number of a PR, with a link if the forge is known.
func (c *Card) ref(pr int) word { return numberLink(c.Links.PR, pr) }

// numberLink returns a number as in "#142", with a link if the first part of its address is known.
func numberLink(address string, n int) word {
	number := strconv.Itoa(n)
	return word{text: "#" + number, link: when(address != "", address+number)}
}

// refs returns the numbers of PRs, with links.
func (c *Card) refs(prs []int) (list cell) {
	for _, n := range prs {
		list = append(list, c.ref(n))
	}
	return list
}

func (c *Card) commit(sha string) word {
	w := word{text: loop.Short(sha), look: code}
	if c.Links.Commit != "" && strings.Trim(sha, "0123456789abcdef") == "" && len(sha) >= 7 {
		w.link = c.Links.Commit + sha
	}
	return w
}

// evidence draws the facts that the program observed beside those that were only reported. The
// table of PRs has the sources of states and commits.
func (c *cardPage) evidence() {
	v, d := c.Verified, c.Claimed
	var seen, said facts
	seen.row("dollars", plain, "$%s (API-equivalent), counted from the transcripts", v.Dollars)
	seen.given("workers", counted(v.Agents))
	seen.given("tasks", tasksOf(c.Tasks, loop.Verified))
	seen.given("not broken", tasksOf(c.Tasks, loop.Unbroken))
	seen.given("PRs", c.refs(v.PRs))
	seen.given("merged", c.refs(v.Merged))
	seen.given("merge tries", counted(v.Attempts))
	seen.given("comments", counted(v.Comments))
	if v.Tried > 0 {
		seen.row("fresh", plain, "%d of %s began with an empty context", v.Fresh,
			loop.Plural(v.Tried, "attempt"))
	}
	seen.row("progress", plain, "%s", v.Progress)

	said.given("tasks", tasksOf(c.Tasks, loop.Claimed))
	if c.Tasks != nil {
		said.given("criteria", words("of every task; no check sees whether all of them are met"))
	}
	if audit.Of(c.Run) != nil {
		said.given("verdicts", words("clean means that the auditor found no bug"))
	}
	said.given("PRs", c.refs(d.PRs))
	said.given("ended PRs", c.refs(d.States))
	said.given("comments", counted(d.Comments))
	said.given("outcomes", counted(d.Outcomes))
	for _, f := range d.Failures {
		said.row("failure", warn, "%s: %s", f.Subject(), f.Cause)
	}
	if len(said) == 0 {
		said.given("nothing", words("was claimed without being seen"))
	}
	c.section("Verified: seen by the program itself", "", "verified")
	c.facts(seen)
	c.section("Claimed: reported, not verified", "", "claimed")
	c.facts(said)
}

// counted returns a number as a cell, which is empty for 0.
func counted(n int) cell {
	if n == 0 {
		return nil
	}
	return words(strconv.Itoa(n))
}

// tasksOf returns the numbers of the tasks with the given verdict.
func tasksOf(rows []TaskRow, verdict loop.TaskDone) (list cell) {
	for _, r := range rows {
		if r.Verdict == verdict {
			list = append(list, word{text: strconv.Itoa(r.Number)})
		}
	}
	return list
}
