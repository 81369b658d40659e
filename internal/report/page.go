package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"maps"
	"path"
	"slices"
	"strconv"
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
	var title []string
	for i := range pages {
		title = append(title, string(pages[i].Run.Skill))
	}
	if len(pages) > 0 {
		title = append(title, path.Base(pages[0].Project))
	}
	var m markup
	m.put("%s\n", raw(PageMark))
	m.put(`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>%s</title>
<style>
%s</style></head><body>
`, strings.Join(append(title, "report card"), " · "), raw(pageStyle))
	for i := range pages {
		d := drawing{s, &m, &pages[i], refs{pages[i].Links, true}, i, false}
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

// drawing is one run being drawn. id keeps its anchors apart from those of another run.
type drawing struct {
	Screen
	*markup
	*Page
	refs
	id     int
	within bool // a section
}

// article writes the sections of a run, the most urgent first.
func (d *drawing) article() {
	d.put("<main>\n")
	d.head()
	d.waits()
	works := d.Run.Drive() == "" // on issues and PRs
	kindOf(d.Run, d.Head).article(d)
	if !works {
		d.evidence()
	}
	d.curve()
	d.timeline()
	d.asked()
	if works || len(d.PRs)+len(d.Worktrees) > 0 {
		d.prs()
	}
	if works {
		d.evidence()
	}
	d.dollars()
	d.ceilings()
	d.put("</section>\n</main>\n")
}

// section begins a part of the page, and ends the one before.
func (d *drawing) section(title, remark string) {
	d.put("%s<section>\n<h2>%s%s</h2>\n", raw(when(d.within, "</section>\n")), title,
		raw(when(remark != "", string(sprint(" <small>%s</small>", remark)))))
	d.within = true
}

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

// sentence says why the run stopped, or that it has not stopped.
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
	if b.NearStopped() {
		return "a ceiling is near, and --near-limit stop ends it there"
	}
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
				"<td><b>%s</b> <span class=\"dim\">%s</span>\n", g.Iteration, brief(g.Question),
				brief(g.Name), brief(g.Answer), when(g.Origin == loop.OriginFlag, "by a flag"))
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
}

// maxListedRows bounds how many PRs, answers, failures and worktrees a page lists: the last ones.
const maxListedRows = 100

func branch(name string) raw {
	if name == "" {
		return `<span class="dim">–</span>`
	}
	return sprint("<code>%s</code>", brief(name))
}

// refs writes PRs and commits: on a page as HTML, with links if the forge is known.
type refs struct {
	Links
	html bool
}

func (r refs) text(text string) raw {
	if r.html {
		return sprint("%s", brief(text))
	}
	return raw(text)
}

func (r refs) pr(n int) raw {
	if !r.html || r.PR == "" {
		return sprint("#%d", n)
	}
	return sprint(`<a href="%s%d" rel="noreferrer">#%d</a>`, r.PR, n, n)
}

// prs is a list of PRs, on a page the last ones.
func (r refs) prs(list []int) raw {
	if r.html {
		list = list[max(0, len(list)-maxListedRows):]
	}
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = string(r.pr(n))
	}
	return raw(orNone(strings.Join(parts, ", ")))
}

func (r refs) commit(sha string) raw {
	switch {
	case !r.html:
		return raw(shortSHA(sha))
	case r.Commit == "" || strings.Trim(sha, "0123456789abcdef") != "" || len(sha) < 7:
		return sprint("<code>%s</code>", shortSHA(sha))
	}
	return sprint(`<a href="%s%s" rel="noreferrer"><code>%s</code></a>`, r.Commit, sha,
		shortSHA(sha))
}

// commits are the heads of the PRs: those that the remote confirmed, or the others.
func (r refs) commits(prs []CardPR, remote bool) raw {
	if r.html {
		prs = prs[max(0, len(prs)-maxListedRows):]
	}
	var list []string
	for _, p := range prs {
		if p.SHA != "" && p.Head == remote {
			list = append(list, fmt.Sprintf("#%d %s", p.Number, r.commit(p.SHA)))
		}
	}
	return raw(orNone(strings.Join(list, ", ")))
}

// evidence sets the facts that the program observed beside those that someone only reported.
func (d *drawing) evidence() {
	remark := ""
	if d.Earlier > 0 && d.Run.Drive() == "" {
		remark = "dollars, workers and merges of the run, the rest of its last " +
			loop.Plural(len(d.Iterations), "iteration")
	}
	d.section("Verified and claimed", remark)
	known := kindOf(d.Run, d.Head).facts(&d.Card, d.refs)
	d.put(`<div class="pair"><div class="card"><h3>Verified</h3>` +
		`<p class="dim">Seen by the program itself.</p><dl>` + "\n")
	d.facts(append(known.spent(&d.Card), known.verified...))
	d.put(`</dl></div><div class="card claimed"><h3>Claimed</h3>`+
		`<p class="dim">%s, not verified.</p><dl>`+"\n", capital(known.by))
	d.facts(known.claimed)
	d.put("</dl></div></div>\n")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (d *drawing) facts(list []fact) {
	for _, f := range list {
		d.put("<dt>%s</dt><dd>%s</dd>\n", capital(f.name), f.value)
	}
}

// share is one row of a table of dollars.
type share struct {
	name    raw
	dollars loop.USD
}

// maxDays bounds the days that have a row of their own: the last ones.
const maxDays = 14

func (d *drawing) dollars() {
	var models, days []share
	for _, name := range slices.Sorted(maps.Keys(d.Run.TokensByModel)) {
		spent := d.Run.TokensByModel[name].Dollars
		models = append(models, share{sprint("<code>%s</code>", brief(name)), spent})
	}
	slices.SortStableFunc(models, func(a, b share) int { return cmp.Compare(b.dollars, a.dollars) })
	add := func(at time.Time, dollars loop.USD) {
		day := raw(at.In(d.Now.Location()).Format("Mon Jan 2, 2006"))
		if n := len(days); n == 0 || days[n-1].name != day {
			days = append(days, share{name: day})
		}
		days[len(days)-1].dollars += dollars
	}
	for _, l := range d.Rows {
		add(l.EndedAt, l.Dollars)
	}
	if d.OpenDollars > 0 {
		add(d.Now, d.OpenDollars)
	}
	if more := len(days) - maxDays; more > 0 {
		before := share{name: raw(loop.Plural(more, "earlier day"))}
		for _, s := range days[:more] {
			before.dollars += s.dollars
		}
		days = append([]share{before}, days[more:]...)
	}
	d.section("Dollars by model and by day", "")
	d.put(`<div class="pair">`)
	d.shares("Model", models, "recorded without a model")
	d.shares("Day", days, "outside of iterations")
	d.put("</div>\n")
}

func (d *drawing) shares(by string, list []share, outside raw) {
	rest, most := d.Run.DollarsEstimate, loop.USD(0)
	for _, s := range list {
		rest, most = rest-s.dollars, max(most, s.dollars)
	}
	if rest.Cents() > 0 || len(list) == 0 {
		list, most = append(list, share{outside, max(0, rest)}), max(most, rest)
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
	if d.Raise != "" {
		d.put("<p>Raise what is near in a terminal:</p><pre>%s</pre>\n", d.Raise)
	}
	if given := d.Run.Policy.Words(); given != "" {
		d.put("<p>Answered in advance: <code>%s</code></p>\n", given)
	}
}

// timeline writes one row an iteration, and one for all those in the middle of a long run.
func (d *drawing) timeline() {
	d.section("Iterations", "")
	if len(d.Rows) == 0 {
		d.put("<p class=\"dim\">No iteration has ended.</p>\n")
		return
	}
	from, to := firstRows, len(d.Rows)-lastRows
	if to <= from {
		from, to = len(d.Rows), len(d.Rows)
	}
	var most loop.USD
	for _, l := range slices.Concat(d.Rows[:from], d.Rows[to:]) {
		most = max(most, l.Dollars)
	}
	d.put(`<table class="rows iterations"><thead><tr><th class="n">#<th>Started<th>Outcome` +
		`<th class="n">Min<th class="n">Dollars<th>PRs<th class="n">Refused` +
		"<th>Remarks</thead><tbody>\n")
	for _, l := range d.Rows[:from] {
		d.row(l, most)
	}
	if from < to {
		d.folded(d.Rows[from:to])
	}
	for _, l := range d.Rows[to:] {
		d.row(l, most)
	}
	d.put("</tbody></table>\n")
}

func (d *drawing) row(l *loop.Iteration, most loop.USD) {
	var prs []string
	for _, name := range l.PRsTouched[:min(len(l.PRsTouched), maxRemarks)] {
		shown := sprint("%s", brief(name))
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
			shown = d.pr(n)
		}
		prs = append(prs, string(shown))
	}
	if more := len(l.PRsTouched) - len(prs); more > 0 {
		prs = append(prs, string(sprint("and %d more", more)))
	}
	refused := raw("")
	if n := loop.Refusals(l.Denied); n > 0 {
		refused = sprint(`<b class="refused">%d</b>`, n)
	}
	d.put(`<tr><td class="n num">%s<td class="at">%s<td class="out"><b class="tag %s">%s</b>`+
		`<td class="n min">%d<span class="unit"> min</span>`+
		`<td class="n usd">$%s%s<td class="prs">%s<td class="n ref">%s<td class="more">%s`+"\n",
		numberOf(l, "–"), d.at(l.StartedAt), tone(outcomeStyle(l.Outcome), "good"),
		brief(outcomeName(l.Outcome)), minutesOf(l), l.Dollars,
		meter(int64(l.Dollars), int64(most)), raw(strings.Join(prs, " ")), refused, remarks(l))
}

// maxRemarks bounds the remarks of one iteration, and its PRs.
const maxRemarks = 8

func remarks(l *loop.Iteration) raw {
	var list []raw
	if l.Audit != nil {
		list = append(list, sprint("%s", brief(phaseEnded(l.Audit))))
	}
	if a := l.Task; a != nil {
		list = append(list, sprint("%s", brief(fmt.Sprintf("task %d.%d %s", a.Task, a.Try,
			a.Judgement.Verdict))))
	}
	for _, c := range l.Fired {
		list = append(list, sprint("<b>stopped by %s</b>", brief(c)))
	}
	if l.Overrun != nil {
		list = append(list, sprint("$%s past the ceiling", l.Overrun.Over))
	}
	for _, a := range answered(l) {
		list = append(list, sprint(`<span class="gate">%s</span>`, brief(a)))
	}
	for _, n := range l.Notes {
		list = append(list, sprint("%s", brief(n)))
	}
	if more := len(list) - maxRemarks; more > 0 {
		list = append(list[:maxRemarks], sprint("and %d more", more))
	}
	var m markup
	for _, text := range list {
		m.put("<p>%s</p>", text)
	}
	return raw(m.String())
}

// answered are the gates of an iteration, each with its answer.
func answered(l *loop.Iteration) (list []string) {
	for _, g := range l.Gates {
		list = append(list, g.Name+": "+g.Answer)
	}
	return list
}

// folded writes one row for many.
func (d *drawing) folded(rows []*loop.Iteration) {
	var spent loop.USD
	asked, refused, minutes, outcomes := 0, 0, 0, map[loop.LineOutcome]int{}
	prs := map[string]bool{}
	for _, l := range rows {
		spent, refused = spent.Plus(l.Dollars), refused+loop.Refusals(l.Denied)
		asked, minutes = asked+len(l.Gates), minutes+minutesOf(l)
		outcomes[l.Outcome]++
		for _, p := range l.PRsTouched {
			prs[p] = true
		}
	}
	var parts []string
	for _, o := range []loop.LineOutcome{loop.OK, loop.Errored, loop.Stopped, loop.Waiting,
		loop.SkippedLock} {
		if n := outcomes[o]; n > 0 {
			parts = append(parts, thousands(int64(n))+" "+strings.TrimSuffix(string(o), "_lock"))
		}
	}
	way := ""
	if d.Run.RunID != "" {
		way = "hooks history --run " + d.Run.RunID
	}
	d.put(`<tr class="fold"><td colspan="8">%s lines, iterations %d to %d, are folded: %s. `+
		`%s min, $%s, %s, %s, %s refused. All of them: <code>%s</code>`+"\n",
		thousands(int64(len(rows))), rows[0].Iteration, rows[len(rows)-1].Iteration,
		strings.Join(parts, ", "), thousands(int64(minutes)), spent, loop.Plural(len(prs), "PR"),
		fmt.Sprintf("%s asked", loop.Plural(asked, "question")), loop.Plural(refused, "call"),
		way)
}

// raw is HTML that this program wrote. Everything else that is put into markup is escaped.
type raw string

// markup writes HTML.
type markup struct{ strings.Builder }

// put writes a format of HTML. A text in it is cleaned for a person and escaped, so that it is
// safe between tags and inside quoted attributes.
func (m *markup) put(format string, args ...any) {
	for i, a := range args {
		switch a.(type) {
		case raw, int, int64, float64:
		default:
			args[i] = html.EscapeString(clip(clean(fmt.Sprint(a)), maxShown))
		}
	}
	fmt.Fprintf(m, format, args...)
}

// maxShown bounds a single text on a page, in characters.
const maxShown = 8000

// tone is the CSS class for a style of a screen; a plain one has the class other.
func tone(style, other string) string {
	switch style {
	case good:
		return "good"
	case warn:
		return "warn"
	case bad:
		return "bad"
	case faint:
		return "dim"
	}
	return other
}

// brief is a text in a list.
func brief(text string) string { return clip(clean(text), 160) }

// sprint is a format of HTML as a value for another one.
func sprint(format string, args ...any) raw {
	var m markup
	m.put(format, args...)
	return raw(m.String())
}

// maxPoints bounds the points of a curve: of a longer run, neighbours share one.
const maxPoints = 300

// xLabels counts the labels of the horizontal axis.
const xLabels = 4

// point is the spend after some iterations, with their questions and refusals.
type point struct {
	from, to int // iterations
	total    loop.USD
	asked    []string
	gates    int
	refused  int
}

// points sums the rows up, in at most maxPoints points.
func points(rows []*loop.Iteration) (list []point) {
	each := max(1, (len(rows)+maxPoints-1)/maxPoints)
	var total loop.USD
	for i, l := range rows {
		if i%each == 0 {
			list = append(list, point{from: l.Iteration})
		}
		p := &list[len(list)-1]
		total = total.Plus(l.Dollars)
		p.to, p.total, p.gates = l.Iteration, total, p.gates+len(l.Gates)
		p.refused += loop.Refusals(l.Denied)
		if len(p.asked) < 3 {
			p.asked = append(p.asked, answered(l)...)
		}
	}
	return list
}

// curve draws the spend over the iterations. The picture is stretched to the page, so strokes do
// not scale, marks are the caps of lines too short to see, and the labels are HTML beside it.
func (d *drawing) curve() {
	d.section("Spend", "")
	list := points(d.Rows)
	if len(list) == 0 {
		d.put("<p class=\"dim\">No iteration has ended.</p>\n")
		return
	}
	total, limit := list[len(list)-1].total, d.Run.Ceilings.Dollars
	top, off := max(total, limit), false
	if limit == 0 || total < limit/8 { // the curve would lie on its axis
		top, off = total, limit > 0
	}
	step := scale(max(top, loop.Cent))
	top = (top + step - 1) / step * step
	top = max(top, step)
	y := func(u loop.USD) float64 { return 100 - 100*float64(u)/float64(top) }
	x := func(i int) float64 { return 100 * float64(i+1) / float64(len(list)) }
	d.put(`<figure><div class="chart"><div class="ys">`)
	for at := loop.USD(0); at <= top; at += step {
		d.put(`<span style="top:%.1f%%">%s</span>`, y(at), axis(at, step))
	}
	d.put(`</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" `+
		`aria-labelledby="t%d d%d"><title id="t%d">Spend over the iterations</title>`+
		`<desc id="d%d">%s</desc>`+"\n", d.id, d.id, d.id, d.id, d.described(list, off))
	for at := step; at <= top; at += step {
		d.put(`<path class="grid" d="M0 %.2fH100"/>`, y(at))
	}
	var line strings.Builder
	line.WriteString("M0 100")
	for i, p := range list {
		fmt.Fprintf(&line, "L%.2f %.2f", x(i), y(p.total))
	}
	d.put(`<path class="area" d="%sV100Z"/><path class="line" d="%s"/>`+"\n", raw(line.String()),
		raw(line.String()))
	if limit > 0 && !off {
		d.put(`<path class="limit" d="M0 %.2fH100"/>`+"\n", y(limit))
	}
	for i, p := range list {
		d.marks(p, x(i), y(p.total))
	}
	d.put(`</svg>`)
	if limit > 0 && !off {
		d.put(`<span class="cap" style="top:%.1f%%">ceiling %s</span>`, y(limit), ceiling(limit))
	}
	d.put(`</div><div class="xs"><span style="left:0">start</span>`)
	for i := 1; i <= xLabels; i++ { // the last one is at the end
		if at := len(list) * i / xLabels; at > 0 && (i == xLabels || len(list) >= 2*xLabels) {
			d.put(`<span style="left:%.1f%%">%s%s</span>`, x(at-1),
				when(i == xLabels, "iteration "), thousands(int64(list[at-1].to)))
		}
	}
	d.put("</div>\n")
	d.legend(list, off)
	d.put("</figure>\n")
}

func (d *drawing) marks(p point, x, y float64) {
	where := fmt.Sprintf("iteration %d", p.to)
	if p.from != p.to {
		where = fmt.Sprintf("iterations %d to %d", p.from, p.to)
	}
	if p.gates > 0 {
		more := ""
		if p.gates > len(p.asked) {
			more = fmt.Sprintf(" and %d more", p.gates-len(p.asked))
		}
		d.put(`<path class="asked" d="M%.2f %.2fh.01"><title>%s: %s%s</title></path>`+"\n", x, y,
			where, brief(strings.Join(p.asked, "; ")), more)
	}
	if p.refused > 0 {
		d.put(`<path class="refusal" d="M%.2f 98h.01"><title>%s: %s refused</title></path>`+"\n", x,
			where, loop.Plural(p.refused, "call"))
	}
}

func (d *drawing) legend(list []point, off bool) {
	gates, refused := 0, 0
	for _, p := range list {
		gates, refused = gates+p.gates, refused+p.refused
	}
	d.put(`<p class="legend"><span class="k line">dollars of ended iterations, $%s</span>`,
		list[len(list)-1].total)
	if limit := d.Run.Ceilings.Dollars; off {
		d.put(`<span>the ceiling of %s is above this chart</span>`, ceiling(limit))
	} else if limit == 0 {
		d.put(`<span>no ceiling in dollars</span>`)
	}
	if gates > 0 {
		d.put(`<span class="k asked">%s asked</span>`, loop.Plural(gates, "question"))
	}
	if refused > 0 {
		d.put(`<span class="k refusal">%s refused</span>`, loop.Plural(refused, "call"))
	}
	if len(d.Rows) > len(list) {
		d.put(`<span>%s iterations in %d points</span>`, thousands(int64(len(d.Rows))), len(list))
	}
	d.put("</p>\n")
}

// described is the curve in words.
func (d *drawing) described(list []point, off bool) string {
	last := list[len(list)-1]
	text := fmt.Sprintf("The history has %s and $%s in all", loop.Plural(len(d.Rows), "line"),
		last.total)
	switch limit := d.Run.Ceilings.Dollars; {
	case limit == 0:
		text += "; there is no ceiling in dollars."
	case off:
		text += fmt.Sprintf("; the ceiling of %s is far above.", ceiling(limit))
	default:
		text += fmt.Sprintf("; the ceiling is %s.", ceiling(limit))
	}
	return text
}

// scale is a round step of which two to five reach the top.
func scale(top loop.USD) loop.USD {
	for step := loop.Cent; ; step *= 10 {
		for _, n := range []loop.USD{1, 2, 5} {
			if top <= 5*n*step {
				return n * step
			}
		}
	}
}

// axis is an amount on the scale, with cents where the steps have any.
func axis(u, step loop.USD) string {
	if step%loop.Dollar != 0 {
		return "$" + u.String()
	}
	return "$" + thousands(int64(u/loop.Dollar))
}
