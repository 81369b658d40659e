package report

import (
	"fmt"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// timeline writes one row an iteration, and one for all those in the middle of a long run.
func (d *drawing) timeline() {
	d.section("Iterations", "")
	if len(d.Rows) == 0 {
		d.put("<p class=\"dim\">No iteration has ended.</p>\n")
		d.end()
		return
	}
	type key struct { // a skipped tick's line has the number of the line before
		seq, started int64
		outcome      string
	}
	notes := map[key][]string{}
	for i := range d.Iterations {
		l := &d.Iterations[i]
		notes[key{int64(l.Seq), l.StartedAt.Unix(), string(l.Outcome)}] = l.Notes
	}
	from, to := firstRows, len(d.Rows)-lastRows
	if to <= from {
		from, to = len(d.Rows), len(d.Rows)
	}
	var most loop.USD
	for i := range d.Rows {
		if i < from || i >= to {
			most = max(most, d.Rows[i].Dollars)
		}
	}
	d.put(`<table class="rows iterations"><thead><tr><th class="n">#<th>Started<th>Outcome` +
		`<th class="n">Min<th class="n">Dollars<th>PRs<th class="n">Refused` +
		"<th>Remarks</thead><tbody>\n")
	for i := range d.Rows {
		switch {
		case i < from || i >= to:
			r := &d.Rows[i]
			d.row(r, notes[key{r.Seq, r.Started.Unix(), r.Outcome}], most)
		case i == from:
			d.folded(d.Rows[from:to])
		}
	}
	d.put("</tbody></table>\n")
	d.end()
}

func (d *drawing) row(r *PageRow, notes []string, most loop.USD) {
	number := strconv.FormatInt(r.Iteration, 10)
	if r.Unbegun {
		number = "–"
	}
	var prs []string
	for _, name := range r.PRs[:min(len(r.PRs), maxRemarks)] {
		shown := sprint("%s", brief(name))
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
			shown = d.pr(n)
		}
		prs = append(prs, string(shown))
	}
	if more := len(r.PRs) - len(prs); more > 0 {
		prs = append(prs, string(sprint("and %d more", more)))
	}
	refused := raw("")
	if r.Refused > 0 {
		refused = sprint(`<b class="refused">%d</b>`, r.Refused)
	}
	d.put(`<tr><td class="n num">%s<td class="at">%s<td class="out"><b class="tag %s">%s</b>`+
		`<td class="n min">%d<span class="unit"> min</span>`+
		`<td class="n usd">$%s%s<td class="prs">%s<td class="n ref">%s<td class="more">%s`+"\n",
		number, d.at(r.Started), tone(outcomeStyle(r.Outcome), "good"),
		brief(outcomeName(r.Outcome)), minutesOf(r.Started, r.Ended), r.Dollars,
		meter(int64(r.Dollars), int64(most)), raw(strings.Join(prs, " ")), refused,
		d.remarks(r, notes))
}

// maxRemarks bounds the remarks of one iteration, and its PRs.
const maxRemarks = 8

func (d *drawing) remarks(r *PageRow, notes []string) raw {
	var list []raw
	if a := r.attempted(); a != "" {
		list = append(list, sprint("%s", brief(a)))
	}
	for _, c := range r.Causes {
		list = append(list, sprint("<b>stopped by %s</b>", brief(c)))
	}
	if r.Over > 0 {
		list = append(list, sprint("$%s past the ceiling", r.Over))
	}
	for _, a := range r.Asked {
		list = append(list, sprint(`<span class="gate">%s</span>`, brief(a)))
	}
	for _, n := range notes {
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

// folded writes one row for many.
func (d *drawing) folded(rows []PageRow) {
	var spent loop.USD
	var refused int64
	asked, minutes, outcomes := 0, 0, map[loop.LineOutcome]int{}
	prs := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		spent, refused = spent.Plus(r.Dollars), refused+r.Refused
		asked, minutes = asked+len(r.Asked), minutes+minutesOf(r.Started, r.Ended)
		outcomes[loop.LineOutcome(r.Outcome)]++
		for _, p := range r.PRs {
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
		fmt.Sprintf("%s asked", loop.Plural(asked, "question")), loop.Plural(int(refused), "call"),
		way)
}
