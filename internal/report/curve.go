package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// maxPoints bounds the points of a curve. In a longer run neighbours share a point.
const maxPoints = 300

// xLabels is the number of labels on the horizontal axis.
const xLabels = 4

// point is the spend after some iterations, with their questions and refusals.
type point struct {
	from, to int // iterations
	total    loop.USD
	asked    []string
	gates    int
	denied   []loop.Denial
}

// points returns the running totals of the rows in at most maxPoints points.
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
		p.denied = append(p.denied, l.Denied...)
		if len(p.asked) < 3 {
			p.asked = append(p.asked, answered(l)...)
		}
	}
	return list
}

// curve is the spend over the iterations, against the ceiling if there is one.
type curve struct {
	rows    []*loop.Iteration
	ceiling loop.USD
}

// draw writes nothing, because `hooks history` draws the spend in a terminal.
func (curve) draw(*page) {}

// html draws the curve. The picture is stretched to the page. Therefore strokes do not scale, marks
// are the round caps of very short lines, and the labels are HTML beside the picture.
func (c curve) html(m *markup) {
	list := points(c.rows)
	total, limit := list[len(list)-1].total, c.ceiling
	top, off := max(total, limit), false
	if limit == 0 || total < limit/8 { // the curve would lie on its axis
		top, off = total, limit > 0
	}
	step := scale(max(top, loop.Cent))
	top = (top + step - 1) / step * step
	top = max(top, step)
	y := func(u loop.USD) float64 { return 100 - 100*float64(u)/float64(top) }
	x := func(i int) float64 { return 100 * float64(i+1) / float64(len(list)) }
	m.put(`<figure><div class="chart"><div class="ys">`)
	for at := loop.USD(0); at <= top; at += step {
		m.put(`<span style="top:%.1f%%">%s</span>`, y(at), axis(at, step))
	}
	m.ids++
	m.put(`</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="group" `+
		`aria-labelledby="t%d"><title id="t%d">%s</title>`+"\n", m.ids, m.ids,
		c.described(list, off))
	for at := step; at <= top; at += step {
		m.put(`<path class="grid" d="M0 %.2fH100"/>`, y(at))
	}
	var line strings.Builder
	line.WriteString("M0 100")
	for i, p := range list {
		fmt.Fprintf(&line, "L%.2f %.2f", x(i), y(p.total))
	}
	m.put(`<path class="area" d="%sV100Z"/><path class="line" d="%s"/>`+"\n", raw(line.String()),
		raw(line.String()))
	if limit > 0 && !off {
		m.put(`<path class="limit" d="M0 %.2fH100"/>`+"\n", y(limit))
	}
	for i, p := range list {
		p.marks(m, x(i), y(p.total))
	}
	m.put(`</svg>`)
	if limit > 0 && !off {
		m.put(`<span class="cap" style="top:%.1f%%">ceiling %s</span>`, y(limit), ceiling(limit))
	}
	m.put(`</div><div class="xs"><span style="left:0">start</span>`)
	for i := 1; i <= xLabels; i++ { // the last one is at the end
		if at := len(list) * i / xLabels; at > 0 && (i == xLabels || len(list) >= 2*xLabels) {
			m.put(`<span style="left:%.1f%%">%s%s</span>`, x(at-1),
				when(i == xLabels, "iteration "), thousands(int64(list[at-1].to)))
		}
	}
	m.put("</div>\n")
	c.legend(m, list, off)
	m.put("</figure>\n")
}

// marks draws the questions and refusals of a point. The keyboard can reach each mark.
func (p point) marks(m *markup, x, y float64) {
	where := fmt.Sprintf("iteration %d", p.to)
	if p.from != p.to {
		where = fmt.Sprintf("iterations %d to %d", p.from, p.to)
	}
	mark := func(class string, y float64, text string) {
		m.put(`<path class="%s" d="M%.2f %.2fh.01" tabindex="0" role="img">`+
			"<title>%s</title></path>\n", class, x, y, text)
	}
	if p.gates > 0 {
		text := where + ": " + brief(strings.Join(p.asked, "; "))
		if p.gates > len(p.asked) {
			text += fmt.Sprintf(" and %d more", p.gates-len(p.asked))
		}
		mark("asked", y, text)
	}
	if len(p.denied) > 0 {
		mark("refusal", 98, where+": "+refused(p.denied)+" refused")
	}
}

func (c curve) legend(m *markup, list []point, off bool) {
	gates, calls := 0, 0
	for _, p := range list {
		gates, calls = gates+p.gates, calls+loop.Refusals(p.denied)
	}
	m.put(`<p class="legend"><span class="k line">dollars of ended iterations</span>`)
	if off {
		m.put(`<span>the ceiling of %s is above this chart</span>`, ceiling(c.ceiling))
	} else if c.ceiling == 0 {
		m.put(`<span>no ceiling in dollars</span>`)
	}
	if gates > 0 {
		m.put(`<span class="k asked">%s asked</span>`, loop.Plural(gates, "question"))
	}
	if calls > 0 {
		m.put(`<span class="k refusal">%s refused</span>`, loop.Plural(calls, "call"))
	}
	if len(c.rows) > len(list) {
		m.put(`<span>%s iterations in %d points</span>`, thousands(int64(len(c.rows))), len(list))
	}
	m.put("</p>\n")
}

// described returns the curve in words, for screen readers.
func (c curve) described(list []point, off bool) string {
	text := fmt.Sprintf("Spend over the iterations: $%s in %s", list[len(list)-1].total,
		loop.Plural(len(c.rows), "line"))
	switch {
	case c.ceiling == 0:
		return text + "; there is no ceiling in dollars"
	case off:
		return text + fmt.Sprintf("; the ceiling of %s is far above", ceiling(c.ceiling))
	}
	return text + "; the ceiling is " + ceiling(c.ceiling)
}

// scale returns a round step such that at most five steps reach the top.
func scale(top loop.USD) loop.USD {
	for step := loop.Cent; ; step *= 10 {
		for _, n := range []loop.USD{1, 2, 5} {
			if top <= 5*n*step {
				return n * step
			}
		}
	}
}

// axis returns a label of the vertical axis, with cents if the step has cents.
func axis(u, step loop.USD) string {
	if step%loop.Dollar != 0 {
		return "$" + u.String()
	}
	return "$" + thousands(int64(u/loop.Dollar))
}
