package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// curve is the spend after each of the iterations, against the ceiling if there is one.
type curve struct {
	ceiling loop.USD
	points  []loop.Iteration
}

// MaxPoints bounds the points of a curve, except for those of the last iterations.
const MaxPoints = 100

// draw writes nothing, because `hooks history` draws the spend in a terminal.
func (curve) draw(*page) {}

// html draws the curve. The picture is stretched to the width of the page, so strokes do not
// scale, points are the round caps of very short lines, and the labels are HTML beside the picture.
func (c curve) html(m *markup) {
	n := len(c.points)
	total, limit := c.points[n-1].Budget.DollarsEstimate, c.ceiling
	top, about := total, ""
	switch {
	case limit == 0:
		about = "there is no ceiling in dollars"
	case total < limit/8: // with the ceiling on the scale, the curve would lie on its axis
		about, limit = fmt.Sprintf("the ceiling of %s is far above", ceiling(limit)), 0
	default:
		about, top = "the ceiling is "+ceiling(limit), max(top, limit)
	}
	about = fmt.Sprintf("Spend over the iterations: $%s in all; %s", total, about)
	step := scale(max(top, loop.Cent))
	top = max(step, (top+step-1)/step*step)
	y := func(u loop.USD) float64 { return 100 - percent(int64(u), int64(top)) }
	var grid, line strings.Builder
	var points markup
	marks := ""
	m.put(`<figure><div class="chart"><div class="ys">`)
	for at := loop.USD(0); at <= top; at += step {
		m.put(`<span style="top:%.1f%%">%s</span>`, y(at), ceiling(at))
		fmt.Fprintf(&grid, "M0 %.2fH100", y(at))
	}
	line.WriteString("M0 100")
	for i := range c.points {
		p := &c.points[i]
		x, y := percent(int64(i+1), int64(n)), y(p.Budget.DollarsEstimate)
		fmt.Fprintf(&line, "L%.2f %.2f", x, y)
		class := "point"
		if len(p.Gates)+len(p.Denied) > 0 {
			class, marks = "mark", "; a dot marks refused calls or a question"
		}
		points.put(`<path class="%s" d="M%.2f %.2fh.01" tabindex="0" role="img">`+
			"<title>%s</title></path>\n", class, x, y, pointTitle(p))
	}
	m.put(`</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="group">`+
		`<title>%s</title><path class="grid" d="%s"/><path class="area" d="%sV100Z"/>`+
		`<path class="line" d="%s"/>`, about, raw(grid.String()), raw(line.String()),
		raw(line.String()))
	if limit > 0 {
		m.put(`<path class="limit" d="M0 %.2fH100"/>`, y(limit))
	}
	m.put("\n%s</svg>", raw(points.String()))
	if limit > 0 {
		m.put(`<span class="cap" style="top:%.1f%%">ceiling %s</span>`, y(limit), ceiling(limit))
	}
	m.put(`</div><div class="xs"><span>start</span><span>iteration %s</span></div>`+
		"<figcaption>%s%s</figcaption></figure>\n",
		thousands(int64(c.points[n-1].Iteration)), about, marks)
}

// pointTitle describes an iteration on the curve: its dollars, refusals and questions.
func pointTitle(l *loop.Iteration) string {
	text := fmt.Sprintf("iteration %s: $%s, $%s in all", thousands(int64(l.Iteration)), l.Dollars,
		l.Budget.DollarsEstimate)
	if len(l.Denied) > 0 {
		text += "; " + refused(l.Denied) + " refused"
	}
	if len(l.Gates) > 0 {
		text += "; " + loop.Plural(len(l.Gates), "question") + " asked"
	}
	return text
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
