package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// maxPoints bounds the points of a curve: of a longer run, neighbours share one.
const maxPoints = 300

// xLabels is how many iterations the axis names.
const xLabels = 4

// point is where the curve is after some iterations, and what happened in them.
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
	defer d.end()
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
