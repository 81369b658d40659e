package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// article writes one row a task, with its verdict, the commit and what its attempts took, and sets
// the tasks that are verified beside those that are only claimed.
func (b taskLoop) article(d *drawing) {
	r := b.Tasks
	d.section("Tasks", r.Result())
	d.put(`<table class="rows tasklist"><thead><tr><th class="n">#<th>Task<th>Verdict<th>Commit` +
		`<th class="n">Attempts<th class="n">Min<th class="n">Dollars</thead><tbody>`)
	for _, t := range d.Tasks[:min(len(d.Tasks), maxTasks)] {
		d.task(t)
	}
	d.put("</tbody></table>\n")
	if more := len(d.Tasks) - maxTasks; more > 0 {
		d.put(`<p class="dim">%s after these: <code>hooks tasks</code></p>`+"\n",
			loop.Plural(more, "task"))
	}
	if r.Check == "" {
		d.put("<p class=\"dim\">Check command: %s.</p>\n", checked(""))
	} else {
		d.put("<p class=\"dim\">Check command: <code>%s</code></p>\n", brief(r.Check))
	}
	d.end()
	d.verified("", "transcripts, commits, the check command")
	d.fact("Tasks", orNone(tasksOf(d.Tasks, loop.Verified)))
	if list := tasksOf(d.Tasks, loop.Unbroken); list != "" {
		d.fact("Not broken", list)
	}
	d.sent()
	if prs := d.Verified.PRs; len(prs) > 0 {
		d.fact("PRs", d.numbers(prs))
	}
	d.fact("Fresh", d.Verified.fresh("attempt"))
	d.fact("Progress", d.Verified.Progress)
	d.claimed("the worker said it")
	d.fact("Tasks", orNone(tasksOf(d.Tasks, loop.Claimed)))
	d.fact("Criteria", unseenCriteria)
	d.endPair()
}

// maxTasks bounds how many tasks a page lists: the first ones.
const maxTasks = 500

func (d *drawing) task(t TaskRow) {
	commit := sprint(`<span class="dim">–</span>`)
	if t.SHA != "" {
		commit = d.commit(t.SHA)
	}
	remark := raw("")
	if t.Why != "" {
		remark = sprint("<p>last attempt: %s</p>", brief(t.Why))
	}
	for _, text := range t.remarks() {
		remark += sprint("<p><b>%s</b></p>", brief(text))
	}
	tries, unit, _ := strings.Cut(loop.Plural(t.Attempts, "attempt"), " ")
	d.put(`<tr><td class="n num">%d<td class="text">%s%s<td class="out"><b class="tag %s">%s</b>`+
		`<td class="sha">%s<td class="n tries">%s<span class="unit"> %s</span>`+
		`<td class="n min">%d<span class="unit"> min</span><td class="n usd">$%s`+"\n", t.Number,
		brief(t.Title), remark, tone(t.style(), "dim"), t.shown(), commit, tries, unit, t.Minutes,
		t.Dollars)
}

func (b taskLoop) count() string {
	r := b.Tasks
	return fmt.Sprintf("%d of %s", r.Finished(), loop.Plural(len(r.List), "task"))
}
