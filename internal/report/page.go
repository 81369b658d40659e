package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Page is a card with every iteration of its run in short.
type Page struct {
	Card
	Project string // its folder
	Rows    []*loop.Iteration
	Links   Links
	Notes   []string // what could not be read
}

// Links are the first parts of web addresses, empty where the repository's forge is not known.
type Links struct {
	PR     string // to be completed by a number
	Commit string // to be completed by a commit
}

// PageMark begins every page, so that a file can be known as one.
const PageMark = "<!doctype html><!-- hooks report-card -->"

// Rows that a page shows one by one at each end of a run; those between are summed up in one.
const (
	firstRows = 10
	lastRows  = 50
)

//go:embed page.css
var pageStyle string

// PageHTML writes one self-contained HTML document: no script, nothing from the network.
func PageHTML(s Screen, pages []Page) string {
	var m markup
	m.put("%s\n", raw(PageMark))
	m.put(`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>%s</title>
<style>
%s</style></head><body>
`, pageTitle(pages), raw(pageStyle))
	for i := range pages {
		d := drawing{Screen: s, markup: &m, Page: &pages[i], id: i}
		d.article()
	}
	if len(pages) == 0 {
		m.put("<main><h1>No loop has run in this project.</h1></main>\n")
	}
	m.put(`<footer><p>Dollars are API-equivalent, which is what the API would charge; a subscription
is billed otherwise. Treat this page as secret: it may hold issue texts and answers.</p>
<p>Written by <code>hooks report-card</code> on %s.</p></footer>
</body></html>
`, s.Now.Format("January 2, 2006, 15:04 MST"))
	return m.String()
}

func pageTitle(pages []Page) string {
	var parts []string
	for i := range pages {
		parts = append(parts, string(pages[i].Run.Skill))
	}
	if len(pages) > 0 {
		parts = append(parts, path.Base(pages[0].Project))
	}
	return strings.Join(append(parts, "report card"), " · ")
}

// drawing is one run being drawn. id keeps its anchors apart from those of another run.
type drawing struct {
	Screen
	*markup
	*Page
	id int
}

// article writes the sections of a run, the most urgent first.
func (d *drawing) article() {
	d.put("<main>\n")
	d.head()
	d.waits()
	kindOf(d.Run, d.Head).article(d)
	d.curve()
	d.timeline()
	d.asked()
	works := d.Run.Drive() == "" // on issues and PRs
	if works || len(d.PRs)+len(d.Worktrees) > 0 {
		d.prs()
	}
	if works {
		d.evidence()
	}
	d.dollars()
	d.ceilings()
	d.put("</main>\n")
}

// section begins a part of the page.
func (d *drawing) section(title, remark string) {
	d.put("<section>\n<h2>%s%s</h2>\n", title,
		raw(when(remark != "", string(sprint(" <small>%s</small>", remark)))))
}

func (d *drawing) end() { d.put("</section>\n") }

func (d *drawing) head() {
	b := d.Run
	tone := "good"
	if st := d.Stopped; st != nil {
		tone = cmp.Or(when(b.Status == loop.Paused, "warn"), "bad")
		if loop.Completes(b.StopCause) {
			tone = "good"
		}
	} else if d.Next == "" {
		tone = "warn"
	}
	d.put(`<header class="%s"><p class="eyebrow">%s · %s · run %s</p>`+"\n<h1>%s</h1>\n", tone,
		path.Base(strings.ReplaceAll(d.Project, `\`, "/")), invocation(b),
		cmp.Or(b.RunID, "unknown"), d.sentence())
	if st := d.Stopped; st != nil {
		d.put(`<p class="lede">%s <span class="dim">%s, %s, %s</span></p>`+"\n", st.Text,
			st.where(), d.at(st.Since), st.Cause)
		if st.LastError != "" {
			d.put(`<p class="lede">Last error: %s</p>`+"\n", st.LastError)
		}
	}
	d.put(`<p class="facts"><b>%s</b> <b>%d min</b> <b>$%s</b> <b>%s</b>`+
		`<span class="dim">since %s</span></p>`+"\n",
		loop.Plural(b.IterationsUsed, "iteration"), b.MinutesElapsed, b.DollarsEstimate,
		kindOf(d.Run, d.Head).count(), d.at(b.StartedAt))
	for _, n := range d.Notes {
		d.put(`<p class="note">Not all of the history could be read: %s</p>`+"\n", n)
	}
	d.goingOn()
	d.put("</header>\n")
}

// goingOn writes the exact words that continue the run.
func (d *drawing) goingOn() {
	switch {
	case d.Next != "":
		d.put(`<p class="go">Next tick: %s</p>`+"\n", d.Next)
	case d.Resume != "":
		place := "the client’s session"
		if d.Run.Drive() == loop.DriveProcess {
			place = "a terminal"
		}
		d.put(`<div class="go"><p>To continue, type in %s:</p><pre>%s</pre></div>`+"\n", place,
			d.Resume)
	case d.Stopped != nil && len(d.Stopped.Do) > 0:
		d.put(`<p class="go">Next: %s</p>`+"\n", strings.Join(d.Stopped.Do, "; "))
	default:
		d.put(`<p class="go">Nothing is left to do for this run.</p>` + "\n")
	}
}

// sentence is why the run stopped, or that it has not.
func (d *drawing) sentence() string {
	b, asks := d.Run, slices.ContainsFunc(d.Waiting, Waiting.unanswered)
	name := "The " + string(b.Skill) + " loop "
	switch {
	case d.Stopped == nil && d.Next != "" && d.Open:
		return name + "is running an iteration."
	case d.Stopped == nil && d.Next != "":
		return name + "is between two iterations."
	case d.Stopped == nil && d.Present:
		return name + "has not stopped, but its session is gone."
	case d.Stopped == nil:
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

// because is a stop cause as the end of a sentence, "" for one that has only its recorded text.
func because(b *loop.Budget) string {
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

func (d *drawing) waits() {
	d.section("Waits for you", "")
	if len(d.Waiting) == 0 {
		d.put("<p class=\"dim\">No question waits for an answer.</p>\n")
	}
	for _, w := range d.Waiting {
		d.put(`<div class="ask"><p><b>%s</b> <span class="dim">%s</span></p><dl>`,
			w.Gate.Question, w.Gate.Name)
		for _, o := range w.Gate.Options {
			d.put("<dt>%s</dt><dd>%s</dd>", o.Label, o.Description)
		}
		d.put("</dl>")
		if w.Link != "" {
			d.put(`<p><a href="%s" rel="noreferrer">%s</a></p>`, w.Link, w.Gate.Target)
		}
		switch {
		case !w.unanswered():
			d.put("<p>Answered %s</p>", w.Answer)
		case w.Paused:
			d.put("<p>Answer in a terminal:</p><pre>%s</pre>", w.Answer)
		default:
			d.put("<p>Answer %s.</p>", w.Answer)
		}
		d.put("</div>\n")
	}
	d.end()
}

func (d *drawing) asked() {
	if len(d.Gates)+len(d.Denied) == 0 {
		return
	}
	remark := ""
	if d.Earlier > 0 {
		remark = "of the last " + loop.Plural(len(d.Iterations), "iteration")
	}
	d.section("Asked and refused", remark)
	if len(d.Gates) > 0 {
		d.put(`<table class="rows"><thead><tr><th class="n">#<th>Question<th>Answer</thead><tbody>`)
		for _, g := range d.Gates[max(0, len(d.Gates)-maxListedRows):] {
			d.put(`<tr><td class="n">%d<td class="text">%s <span class="dim">%s</span>`+
				"<td><b>%s</b>\n", g.Iteration, brief(g.Question), brief(g.Name),
				brief(g.Answer))
		}
		d.put("</tbody></table>\n")
	}
	if len(d.Denied) > 0 {
		d.put(`<table class="rows"><thead><tr><th class="n">Times<th>Refused call<th>Rule</thead>` +
			`<tbody>`)
		for _, r := range d.Denied {
			d.put(`<tr><td class="n">%d<td class="text"><code>%s</code>`+
				`<td class="keep">%s`+"\n", r.Times,
				brief(refusedCall(r)), r.Rule)
		}
		d.put("</tbody></table>\n")
	}
	d.end()
}

func (d *drawing) prs() {
	remark := ""
	if d.Earlier > 0 {
		remark = "states and commits of the last " + loop.Plural(len(d.Iterations), "iteration")
	}
	d.section("Pull requests and commits", remark)
	if len(d.PRs) == 0 {
		d.put("<p class=\"dim\">No pull request was touched.</p>\n")
	} else {
		d.put(`<table class="rows prlist"><thead><tr><th>PR<th>State<th>Branch<th>Commit</thead>` +
			`<tbody>`)
	}
	shown := d.PRs[max(0, len(d.PRs)-maxListedRows):]
	for _, p := range shown {
		from := cmp.Or(when(p.Told, "by the tracker"), when(p.Merged, "merge seen"),
			when(p.Seen, "seen"), "claimed")
		commit := sprint(`<span class="dim">–</span>`)
		if p.SHA != "" {
			commit = sprint(`%s <span class="dim">%s</span>`, d.commit(p.SHA),
				cmp.Or(when(p.Head, "on the remote"), "claimed"))
		}
		d.put(`<tr><td class="keep">%s<td>%s <span class="dim">%s</span><td class="text">%s<td>%s`+
			"\n", d.pr(p.Number), cmp.Or(brief(p.State), "unknown"), from, branch(p.Branch), commit)
	}
	if len(d.PRs) > 0 {
		d.put("</tbody></table>\n")
	}
	if more := len(d.PRs) - len(shown); more > 0 {
		d.put("<p class=\"dim\">%s before these are left out.</p>\n", loop.Plural(more, "PR"))
	}
	for _, w := range d.Worktrees[max(0, len(d.Worktrees)-maxListedRows):] {
		d.put("<p>Worktree left on disk: <code>%s</code> %s</p>\n", brief(w.Path), branch(w.Branch))
	}
	d.end()
}

// maxListedRows bounds how many PRs, answers, failures and worktrees a page lists: the last ones.
const maxListedRows = 100

func branch(name string) raw {
	if name == "" {
		return `<span class="dim">–</span>`
	}
	return sprint("<code>%s</code>", brief(name))
}

// pr is a PR's number, which leads to it where the forge is known.
func (d *drawing) pr(n int) raw {
	if d.Links.PR == "" {
		return sprint("#%d", n)
	}
	return sprint(`<a href="%s%d" rel="noreferrer">#%d</a>`, d.Links.PR, n, n)
}

func (d *drawing) commit(sha string) raw {
	if d.Links.Commit == "" || strings.Trim(sha, "0123456789abcdef") != "" || len(sha) < 7 {
		return sprint("<code>%s</code>", shortSHA(sha))
	}
	return sprint(`<a href="%s%s" rel="noreferrer"><code>%s</code></a>`, d.Links.Commit, sha,
		shortSHA(sha))
}

// evidence sets the facts that the program observed beside those that only the skill reported.
func (d *drawing) evidence() {
	remark := ""
	if d.Earlier > 0 {
		remark = "dollars, workers and merges of the run, the rest of its last " +
			loop.Plural(len(d.Iterations), "iteration")
	}
	v, c := d.Verified, d.Claimed
	d.verified(remark, "transcripts, calls that succeeded, tracker, remote")
	d.sent()
	d.fact("PRs", d.numbers(v.PRs))
	d.fact("Merges tried", v.Attempts)
	d.fact("Merged", d.numbers(v.Merged))
	d.fact("Comments", v.Comments)
	d.fact("Commits", d.commits(true))
	d.fact("Progress", v.Progress)
	d.claimed("the skill reported it")
	d.fact("PRs", d.numbers(c.PRs))
	d.fact("Ended PRs", d.numbers(c.States))
	d.fact("Comments", c.Comments)
	d.fact("Commits", d.commits(false))
	d.fact("Outcomes", "of "+loop.Plural(c.Outcomes, "iteration"))
	for _, f := range c.Failures[max(0, len(c.Failures)-maxListedRows):] {
		d.fact("Failed", brief(f.Subject()+": "+f.Cause))
	}
	d.endPair()
}

// verified begins the facts that the program observed, by what it saw them.
func (d *drawing) verified(remark, by string) {
	d.section("Verified and claimed", remark)
	d.put(`<div class="pair"><div class="card"><h3>Verified</h3>`+
		`<p class="dim">The program saw it: %s.</p><dl>`+"\n", by)
}

// claimed begins the facts that someone only said.
func (d *drawing) claimed(said string) {
	d.put(`</dl></div><div class="card claimed"><h3>Claimed</h3>`+
		`<p class="dim">Only %s; nothing else confirms it.</p><dl>`+"\n", said)
}

func (d *drawing) fact(name string, value any) { d.put("<dt>%s</dt><dd>%v</dd>\n", name, value) }

func (d *drawing) sent() {
	d.fact("Dollars", "$"+d.Verified.Dollars.String())
	d.fact("Workers sent", d.Verified.Agents)
}

func (d *drawing) endPair() {
	d.put("</dl></div></div>\n")
	d.end()
}

func (d *drawing) numbers(list []int) raw {
	var parts []string
	for _, n := range list[max(0, len(list)-maxListedRows):] {
		parts = append(parts, string(d.pr(n)))
	}
	return raw(orNone(strings.Join(parts, ", ")))
}

func (d *drawing) commits(remote bool) raw {
	prs := d.PRs[max(0, len(d.PRs)-maxListedRows):]
	return raw(commits(prs, remote, func(sha string) string { return string(d.commit(sha)) }))
}

// share is one row of a table of dollars.
type share struct {
	name    raw
	dollars loop.USD
}

func (d *drawing) dollars() {
	d.section("Dollars by model and by day", "")
	d.put(`<div class="pair">`)
	d.shares("Model", d.byModel())
	d.shares("Day", d.byDay())
	d.put("</div>\n")
	d.end()
}

func (d *drawing) byModel() (list []share) {
	rest := d.Run.DollarsEstimate
	for _, name := range slices.Sorted(maps.Keys(d.Run.TokensByModel)) {
		spent := d.Run.TokensByModel[name].Dollars
		list = append(list, share{sprint("<code>%s</code>", brief(name)), spent})
		rest -= spent
	}
	slices.SortStableFunc(list, func(a, b share) int { return cmp.Compare(b.dollars, a.dollars) })
	return withRest(list, rest, "recorded without a model")
}

// maxDays bounds the days that have a row of their own: the last ones.
const maxDays = 14

func (d *drawing) byDay() (list []share) {
	rest := d.Run.DollarsEstimate
	add := func(at time.Time, dollars loop.USD) {
		day := raw(at.In(d.Now.Location()).Format("Mon Jan 2, 2006"))
		if n := len(list); n == 0 || list[n-1].name != day {
			list = append(list, share{name: day})
		}
		list[len(list)-1].dollars += dollars
		rest -= dollars
	}
	for _, l := range d.Rows {
		add(l.EndedAt, l.Dollars)
	}
	if d.OpenDollars > 0 {
		add(d.Now, d.OpenDollars)
	}
	if more := len(list) - maxDays; more > 0 {
		before := share{name: raw(loop.Plural(more, "earlier day"))}
		for _, s := range list[:more] {
			before.dollars += s.dollars
		}
		list = append([]share{before}, list[more:]...)
	}
	return withRest(list, rest, "outside of iterations")
}

func withRest(list []share, rest loop.USD, name raw) []share {
	if rest.Cents() > 0 || len(list) == 0 {
		list = append(list, share{name: name, dollars: max(0, rest)})
	}
	return list
}

func (d *drawing) shares(by string, list []share) {
	var most loop.USD
	for _, s := range list {
		most = max(most, s.dollars)
	}
	d.put(`<table class="shares"><thead><tr><th>%s<th class="n">Dollars</thead><tbody>`, by)
	for _, s := range list {
		d.put(`<tr><td>%s<td class="n">$%s%s`+"\n", s.name, s.dollars,
			meter(int64(s.dollars), int64(most)))
	}
	d.put("</tbody></table>\n")
}

// meter is a bar for a part of a whole.
func meter(part, whole int64) raw {
	percent := 0.0
	if whole > 0 {
		percent = min(100, 100*float64(part)/float64(whole))
	}
	return sprint(`<i class="bar"><i style="width:%.1f%%"></i></i>`, percent)
}

func (d *drawing) ceilings() {
	d.section("Ceilings", "")
	d.put(`<table class="rows"><thead><tr><th>Budget<th class="n">Used<th class="n">Ceiling` +
		`<th class="wide"><th>Pace</thead><tbody>`)
	for _, a := range d.Budgets {
		used, limit, _ := strings.Cut(a.standing(), "/")
		d.put(`<tr class="%s"><td>%s<td class="n">%s<td class="n">%s<td class="wide">%s`+
			`<td class="dim">%s`+"\n", tone(a.style(), ""), a.Name, used,
			cmp.Or(limit, "none"), meter(int64(a.Used), int64(a.Ceiling)),
			strings.TrimSpace(a.rest(false)))
	}
	d.put("</tbody></table>\n")
	d.end()
}
