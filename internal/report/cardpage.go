package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/loop"
)

// CardText writes a card for a terminal.
func CardText(s Screen, c Card) string {
	p := newPage(s)
	for _, b := range c.blocks(s) {
		b.draw(p)
	}
	return p.String()
}

// PageHTML writes the cards as one HTML document.
func PageHTML(s Screen, cards []Card) string {
	var title []string
	var pages [][]block
	for _, c := range cards {
		title = append(title, string(c.Run.Skill))
		pages = append(pages, c.blocks(s))
	}
	switch len(cards) {
	case 0:
		pages = [][]block{{head{sentence: "No loop has run in this project."}}}
	case 1:
		title = append(title, base(cards[0].Folder))
	default:
		pages = slices.Insert(pages, 0, index(cards))
	}
	return document(s, strings.Join(append(title, "report card"), " · "), pages)
}

// CardIndex lists cards, those that need a person first.
func CardIndex(s Screen, cards []Card) string {
	p := newPage(s)
	for _, b := range index(cards) {
		b.draw(p)
	}
	return p.String()
}

// SortCards puts the cards that need a person first.
func SortCards(cards []Card) {
	slices.SortStableFunc(cards, func(a, b Card) int {
		switch aWaits, bWaits := a.needs() != "", b.needs() != ""; {
		case aWaits == bWaits:
			return 0
		case aWaits:
			return -1
		}
		return 1
	})
}

// needs returns the name of the first gate that waits for a person. It is empty if no gate waits.
func (c *Card) needs() string {
	for _, w := range c.Waiting {
		if w.unanswered() {
			return w.Gate.Name
		}
	}
	return ""
}

// index returns a table of cards, in HTML with a link to each.
func index(cards []Card) []block {
	t := table{columns: []column{{name: "needs you", class: "keep"}, {name: "dollars", right: true},
		{name: "project", class: "text"}, {name: "loop", class: "text", loose: true}}}
	for i, c := range cards {
		t.rows = append(t.rows, row{style: endStyle(c.Run), cells: []cell{words(c.needs()),
			words("$" + c.Run.DollarsEstimate.String()), words(cmp.Or(c.Project, base(c.Folder))),
			{{text: c.sentence(), link: fmt.Sprintf("#run%d", i+1)}}}})
	}
	return []block{section{name: "Loops"}, t}
}

// base returns the last element of a path. It also accepts backslashes, because a project may have
// been recorded on another system.
func base(folder string) string { return path.Base(strings.ReplaceAll(folder, `\`, "/")) }

// blocks returns the parts of a card, the most urgent first.
func (c *Card) blocks(s Screen) []block {
	kind := kindOf(c.Run, c.Head)
	page := []block{c.head(s)}
	page = append(page, c.todo()...)
	page = append(page, kind.card(c)...)
	works := c.Run.Drive() == "" // on issues and PRs
	if !works {
		page = append(page, c.evidence(kind))
	}
	page = append(page, c.spent()...)
	page = append(page, c.iterations(s)...)
	page = append(page, c.asked()...)
	page = append(page, c.left()...)
	if works {
		page = append(page, c.evidence(kind))
	}
	return append(page, c.dollars(s)...)
}

// head is the top of a page, with the result of the run.
type head struct {
	style           string
	sentence        string
	about           []string // project, command and run
	why, at         string
	used            []string
	lastError, span string
	project         string // if it is not the reader's
	notes           []string
}

func (c *Card) head(s Screen) head {
	b := c.Run
	h := head{style: endStyle(b), sentence: c.sentence(),
		about: []string{base(c.Folder), invocation(b), "run " + cmp.Or(b.RunID, "unknown")},
		used: []string{loop.Plural(b.IterationsUsed, "iteration"),
			fmt.Sprintf("%d min", b.MinutesElapsed), "$" + b.DollarsEstimate.String(),
			kindOf(b, c.Head).count()},
		span: "since " + s.dated(b.StartedAt), project: c.Project}
	if st := c.Stopped; st != nil {
		h.why, h.lastError = st.Text, st.LastError
		h.at = strings.Join([]string{st.where(), s.dated(st.Since), st.Cause}, ", ")
		h.span = s.dated(b.StartedAt) + " to " + s.dated(st.Since)
	} else if c.Next == "" {
		h.style = warn
	}
	if b.Replaced > 0 {
		h.notes = append(h.notes, "written again "+loop.Plural(b.Replaced, "time")+
			": somebody had changed the run's files")
	}
	for _, n := range c.Unread {
		h.notes = append(h.notes, "Not all of the history could be read: "+n)
	}
	return h
}

func (h head) draw(p *page) {
	p.line(h.style, "%s", h.sentence)
	p.blank()
	if h.why != "" {
		p.row("stopped", plain, "%s", h.why)
		p.row("   at", plain, "%s", h.at)
	}
	p.given("last error", plain, h.lastError)
	p.given("project", plain, h.project)
	p.given("loop", plain, strings.Join(h.about, ", "))
	p.given("used", plain, strings.Join(append(h.used, h.span), ", "))
	p.rows("note", warn, h.notes)
}

func (h head) html(m *markup) {
	m.put(`<header class="%s"><p class="eyebrow">%s</p>`+"\n<h1>%s</h1>\n", tone(h.style, ""),
		strings.Join(h.about, " · "), h.sentence)
	if h.why != "" {
		m.put(`<p class="lede">%s <span class="dim">%s</span></p>`+"\n", h.why, h.at)
	}
	if h.lastError != "" {
		m.put(`<p class="lede">Last error: %s</p>`+"\n", h.lastError)
	}
	m.put(`<p class="facts">`)
	for _, text := range h.used {
		m.put("<b>%s</b> ", text)
	}
	m.put(`<span class="dim">%s</span></p>`+"\n", h.span)
	for _, n := range h.notes {
		m.put(`<p class="note">%s</p>`+"\n", n)
	}
	m.put("</header>\n")
}

// endStyle returns the style of a run's end. A ceiling and a person's interrupt are warnings, not
// failures.
func endStyle(b *loop.Budget) string {
	switch {
	case b.Status == loop.Active || loop.Completes(b.StopCause):
		return good
	case stopCode(b) == CodeFailed && b.StopCause != "user_interrupt":
		return bad
	}
	return warn
}

// sentence describes the state of the run, with the reason if it has stopped.
func (c *Card) sentence() string {
	b, asks := c.Run, slices.ContainsFunc(c.Waiting, Waiting.unanswered)
	name := "The " + string(b.Skill) + " loop "
	switch {
	case c.Stopped == nil && c.Next != "" && c.Open:
		return name + "is running an iteration."
	case c.Stopped == nil && c.Next != "":
		return name + "is between two iterations."
	case c.Stopped == nil && c.Present:
		return name + "has not stopped, but its session is gone."
	case c.Stopped == nil:
		return name + "was cut off and is archived."
	case b.Status == loop.Paused && asks:
		return name + "is paused because a question waits for you."
	case b.Status == loop.Paused:
		return name + "is paused until you resume it."
	}
	if why := because(b); why != "" {
		return name + "stopped because " + why + "."
	}
	return name + "stopped."
}

// because returns a stop cause as the end of a sentence. It is empty if the cause has only its
// recorded text.
func because(b *loop.Budget) string {
	if b.NearStopped() {
		return "a ceiling is near, and --near-limit stop ends it there"
	}
	c := b.Ceilings
	switch b.StopCause {
	case "pr_terminal":
		return fmt.Sprintf("PR #%d is not open any more", b.SinglePR)
	case "iteration_budget":
		return fmt.Sprintf("it used its %s", loop.Plural(c.Iterations, "iteration"))
	case "prs_touched_budget":
		return fmt.Sprintf("it touched the %s it may touch", loop.Plural(c.PRs, "PR"))
	case "wall_clock_budget":
		return fmt.Sprintf("it used its %s", loop.Plural(c.Minutes, "minute"))
	case "cost_budget":
		return "it spent its " + ceiling(c.Dollars)
	}
	condition, _ := loop.ConditionOf(b.StopCause)
	return condition.Because
}

// todo returns the questions that wait, and then the step that continues the run.
func (c *Card) todo() (list []block) {
	if len(c.Waiting) > 0 {
		list = append(list, section{name: "Waits for you"})
	}
	for _, w := range c.Waiting {
		list = append(list, ask{w})
	}
	list = append(list, section{name: "Next"})
	switch {
	case c.Next != "":
		return append(list, facts{{name: "next tick", value: words(c.Next)}})
	case c.Resume != "":
		place := "the client’s session"
		if c.Run.Drive() == loop.DriveProcess {
			place = "a terminal"
		}
		return append(list, command{"type", "To continue, type in " + place + ":", c.Resume})
	case c.Stopped != nil && len(c.Stopped.Do) > 0:
		var do facts
		for _, text := range c.Stopped.Do {
			do.given("next", words(text))
		}
		return append(list, do)
	}
	return append(list, line{plain, "Nothing is left to do for this run."})
}

// ask draws a question that waits. In HTML the answering command comes before the options.
type ask struct{ Waiting }

func (a ask) draw(p *page) { p.waiting([]Waiting{a.Waiting}, true) }

func (a ask) html(m *markup) {
	m.put(`<div class="ask"><p><b>%s</b> <span class="dim">%s</span></p>`+"\n", a.Gate.Question,
		a.Gate.Name)
	switch {
	case !a.unanswered():
		m.put("<p>Answered %s</p>\n", a.Answer)
	case a.Paused:
		command{lead: "Answer in a terminal:", text: a.Answer}.html(m)
	default:
		m.put("<p>Answer %s.</p>\n", a.Answer)
	}
	var options facts
	for _, o := range a.Gate.Options {
		options = append(options, fact{name: o.Label, value: words(o.Description)})
	}
	options.html(m)
	if a.Link != "" {
		m.put(`<p><a href="%s" rel="noreferrer">%s</a></p>`+"\n", a.Link, a.Gate.Target)
	}
	m.put("</div>\n")
}

// spent returns the spend curve and the use of each ceiling.
func (c *Card) spent() []block {
	list := []block{section{name: "Spend"}}
	if len(c.Rows) > 0 {
		list = append(list, curve{c.Rows, c.Run.Ceilings.Dollars})
	}
	list = append(list, budgets(c.Budgets))
	var others facts
	others.given("outside", words(outside(c.Run)))
	others.given("in advance", words(c.Run.Policy.Words()))
	if len(others) > 0 {
		list = append(list, others)
	}
	if c.Raise != "" {
		list = append(list, command{"raise", "Raise what is near in a terminal:", c.Raise})
	}
	return list
}

// budgets draws the ceilings, in HTML with bars.
type budgets []Axis

func (b budgets) draw(p *page) {
	for _, a := range b {
		p.row(a.Name, a.style(), "%s", a.standing()+a.rest(false))
	}
}

func (b budgets) html(m *markup) {
	t := table{class: "ceilings", columns: []column{{name: "budget"}, {name: "used", right: true},
		{name: "ceiling", right: true}, {bar: true, class: "wide"}, {name: "pace"}}}
	for _, a := range b {
		used, limit, _ := strings.Cut(a.standing(), "/")
		t.rows = append(t.rows, row{style: a.style(), cells: []cell{words(a.Name), words(used),
			words(cmp.Or(limit, "none")), {{share: percent(int64(a.Used), int64(a.Ceiling))}},
			words(strings.TrimSpace(a.rest(false)))}})
	}
	t.html(m)
}

// maxRows bounds the iterations on a page. It shows the last ones.
const maxRows = 60

func (c *Card) iterations(s Screen) []block {
	list := []block{section{name: "Iterations"}}
	if len(c.Rows) == 0 {
		return append(list, line{faint, "No iteration has ended."})
	}
	if more := len(c.Rows) - maxRows; more > 0 {
		list = append(list, line{faint, fmt.Sprintf("%s before these: hooks history --run %s",
			thousands(int64(more)), c.Run.RunID)})
	}
	shown := c.Rows[max(0, len(c.Rows)-maxRows):]
	var most loop.USD
	for _, l := range shown {
		most = max(most, l.Dollars)
	}
	t := table{class: "iterations"}
	t.columns, _ = s.iteration(shown[0])
	t.columns = append(t.columns, column{name: "PRs", class: "prs", spare: 2},
		column{name: "refused", class: "ref", spare: 1},
		column{name: "remarks", class: "more", notes: true})
	for _, l := range shown {
		t.rows = append(t.rows, c.iteration(s, l, most))
	}
	return append(list, t)
}

// maxRemarks bounds the remarks of one iteration, and its PRs.
const maxRemarks = 8

func (c *Card) iteration(s Screen, l *loop.Iteration, most loop.USD) row {
	_, cells := s.iteration(l)
	cells[len(cells)-1][0].share = percent(int64(l.Dollars), int64(most))
	var prs cell
	for _, name := range l.PRsTouched {
		shown := word{text: name}
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
			shown = c.ref(n)
		}
		prs = append(prs, shown)
	}
	if more := len(prs) - maxRemarks; more > 0 {
		prs = append(prs[:maxRemarks], word{text: fmt.Sprintf("and %d more", more)})
	}
	notes := remarks(l)
	if more := len(notes) - maxRemarks; more > 0 {
		notes = append(notes[:maxRemarks], fmt.Sprintf("and %d more", more))
	}
	return row{style: outcomeStyle(l.Outcome), cells: append(cells, prs, words(refused(l.Denied))),
		notes: notes}
}

func remarks(l *loop.Iteration) (list []string) {
	for _, cause := range l.Fired {
		list = append(list, "stopped by "+cause)
	}
	if l.Overrun != nil {
		list = append(list, "$"+l.Overrun.Over.String()+" past the ceiling")
	}
	if own := loop.TaskOf(l); own != nil {
		list = append(list, own.Judgement.Why)
	}
	list = append(list, findingsOf(loop.PhaseOf(l))...)
	if own := loop.PhaseOf(l); own != nil && own.Judgement.Seen != nil {
		list = append(list, own.Judgement.Seen.String())
	}
	list = append(list, answered(l)...)
	if l.Facts != "" && l.Ran() {
		list = append(list, "the skill reported nothing")
	}
	list = append(list, l.Notes...)
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// answered returns the gates of an iteration, each with its answer.
func answered(l *loop.Iteration) (list []string) {
	for _, g := range l.Gates {
		list = append(list, g.Name+": "+g.Answer)
	}
	return list
}

// refused counts refused calls in words, merges apart, as in "2 merges, 1 call". It is empty if no
// call was refused.
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
	return strings.Join(parts, ", ")
}

// maxListedRows bounds each list of PRs, answers, failures, findings and worktrees on a page.
const maxListedRows = 100

// of returns which iterations a section covers. It is empty if the section covers all.
func (c *Card) of(what string) string {
	if c.Earlier == 0 {
		return ""
	}
	return what + "of the last " + loop.Plural(len(c.Iterations), "iteration")
}

// asked returns the tables of questions and of refused calls.
func (c *Card) asked() (list []block) {
	gates := table{columns: []column{{name: "#", right: true, class: "num"},
		{name: "question", notes: true, class: "text"}, {name: "gate", class: "gate"},
		{name: "answer", class: "text"}}}
	for _, g := range c.Gates {
		answer := words(g.Answer)
		if g.Origin == loop.OriginFlag {
			answer = append(answer, word{text: "by a flag", look: "dim"})
		}
		gates.rows = append(gates.rows, row{cells: []cell{words(strconv.Itoa(g.Iteration)), nil,
			words(g.Name), answer}, notes: []string{g.Question}})
	}
	calls := table{columns: []column{{name: "times", right: true, class: "num"},
		{name: "refused call", class: "call", code: true}, {name: "rule", class: "keep"}}}
	for _, d := range c.Denied {
		calls.add(strconv.Itoa(d.Times), refusedCall(d), d.Rule)
	}
	if len(gates.rows) > 0 {
		list = append(list, section{"Asked", c.of("")}, gates.last(maxListedRows))
	}
	if len(calls.rows) > 0 {
		list = append(list, section{"Refused", c.of("")}, calls)
	}
	return list
}

// left lists the PRs, commits and worktrees that the run leaves for a person to look at.
func (c *Card) left() (list []block) {
	prs := table{class: "prlist", columns: []column{{name: "PR", class: "text", notes: true},
		{name: "state"},
		{name: "branch", class: "text", code: true, spare: 1}, {name: "commit"}}}
	for _, p := range c.PRs {
		from := cmp.Or(when(p.Told, "by the tracker"), when(p.Merged, "merge seen"),
			when(p.Seen, "seen"), "claimed")
		var commit cell
		if p.SHA != "" {
			commit = cell{c.commit(p.SHA), {text: cmp.Or(when(p.Head, "on the remote"), "claimed"),
				look: "dim"}}
		}
		r := row{cells: []cell{{c.ref(p.Number)}, {{text: cmp.Or(p.State, "unknown")},
			{text: from, look: "dim"}}, words(p.Branch), commit}}
		if p.Title != "" {
			r.notes = []string{p.Title}
		}
		prs.rows = append(prs.rows, r)
	}
	if len(prs.rows) > 0 {
		list = append(list, prs.last(maxListedRows))
	}
	if more := len(prs.rows) - maxListedRows; more > 0 {
		list = append(list, line{faint, loop.Plural(more, "PR") + " before these are left out."})
	}
	var others facts
	for _, w := range c.Worktrees[max(0, len(c.Worktrees)-maxListedRows):] {
		others.given("worktree", cell{{text: w.Path, look: "code"},
			{text: "branch " + cmp.Or(w.Branch, "unknown")}})
	}
	if len(others) > 0 {
		list = append(list, others)
	}
	if len(list) > 0 {
		name := section{name: "Pull requests and commits", remark: c.of("states and commits ")}
		list = append([]block{name}, list...)
	}
	return list
}

// ref returns the number of a PR, with a link if the forge is known.
func (c *Card) ref(pr int) word {
	w := word{text: fmt.Sprintf("#%d", pr)}
	if c.Links.PR != "" {
		w.link = fmt.Sprintf("%s%d", c.Links.PR, pr)
	}
	return w
}

// refs returns the last maxListedRows PRs.
func (c *Card) refs(prs []int) (list cell) {
	for _, n := range prs[max(0, len(prs)-maxListedRows):] {
		list = append(list, c.ref(n))
	}
	return list
}

func (c *Card) commit(sha string) word {
	w := word{text: shortSHA(sha), look: "code"}
	if c.Links.Commit != "" && strings.Trim(sha, "0123456789abcdef") == "" && len(sha) >= 7 {
		w.link = c.Links.Commit + sha
	}
	return w
}

// evidence draws the facts that the program observed beside those that were only reported.
type evidence struct {
	remark, by        string // by names the source of the claims
	verified, claimed facts
}

func (c *Card) evidence(kind kind) evidence {
	e := kind.evidence(c)
	v := c.Verified
	e.remark = when(c.Run.Drive() == "", c.of("dollars, workers and merges of the run, the rest "))
	e.verified = append(facts{
		{name: "dollars", value: words(fmt.Sprintf(
			"$%s (API-equivalent), counted from the transcripts", v.Dollars))}}, e.verified...)
	if v.Agents > 0 {
		workers := fact{name: "workers", value: words(fmt.Sprintf("%d dispatched", v.Agents))}
		e.verified = slices.Insert(e.verified, 1, workers)
	}
	if len(e.claimed) == 0 {
		e.claimed.given("nothing", words("was claimed without being seen"))
	}
	return e
}

func (e evidence) draw(p *page) {
	p.section("Verified: seen by the program itself")
	e.verified.draw(p)
	p.section("Claimed: " + e.by + ", not verified")
	e.claimed.draw(p)
}

func (e evidence) html(m *markup) {
	section{name: "Verified and claimed", remark: e.remark}.html(m)
	m.put(`<div class="pair"><div class="card"><h3>Verified</h3>` +
		`<p class="by">seen by the program itself</p>`)
	e.verified.html(m)
	m.put(`</div><div class="card claimed"><h3>Claimed</h3><p class="by">%s, not verified</p>`,
		e.by)
	e.claimed.html(m)
	m.put("</div></div>\n")
}

// maxCosts bounds the models or days on a page. It lists the last ones.
const maxCosts = 15

// dollars returns two tables of the run's dollars, by model and by day. Each has the total.
func (c *Card) dollars(s Screen) (list []block) {
	models, days := Cost{By: "model"}, Cost{By: "day"}
	for model, t := range c.Run.TokensByModel {
		models.Rows = append(models.Rows, CostRow{Model: model, Tokens: t})
	}
	slices.SortFunc(models.Rows, CostRow.Compare)
	models.Total = loop.Sum(c.Run.TokensByModel)
	models.rest("recorded without a model", Unmodelled(c.Run))
	for _, l := range c.Rows {
		days.add(l.EndedAt.In(s.Now.Location()).Format(time.DateOnly), l.Dollars)
	}
	days.add(s.Now.Format(time.DateOnly), c.OpenDollars)
	days.rest("outside of iterations",
		loop.Tokens{Dollars: max(0, c.Run.DollarsEstimate-days.Total.Dollars)})
	for _, cost := range []Cost{models, days} {
		if len(cost.Rows) > 0 {
			t := cost.table(loop.USD.String).last(maxCosts)
			t.drop(func(i int, c column) bool { return c.spare > 0 && t.zeros(i) })
			list = append(list, section{name: "Dollars by " + cost.By}, t)
		}
	}
	return list
}

// add adds dollars to a day. Days must be added in order.
func (c *Cost) add(day string, dollars loop.USD) {
	if n := len(c.Rows); dollars > 0 && (n == 0 || c.Rows[n-1].Day != day) {
		c.Rows = append(c.Rows, CostRow{Day: day})
	}
	if dollars > 0 {
		c.Rows[len(c.Rows)-1].Dollars += dollars
		c.Total.Dollars += dollars
	}
}

// rest adds a row for tokens that no other row covers, unless t is zero.
func (c *Cost) rest(name string, t loop.Tokens) {
	if t != (loop.Tokens{}) {
		c.Rows, c.Total = append(c.Rows, CostRow{Rest: name, Tokens: t}), c.Total.Add(t)
	}
}
