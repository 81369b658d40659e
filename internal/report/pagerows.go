package report

import (
	"fmt"
	"slices"
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
	d.end()
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
