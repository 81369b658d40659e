package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// SpendPoint is the spend of a run after an iteration.
type SpendPoint struct {
	Iteration int
	Total     loop.USD
}

// curve is the spend over the iterations, against the ceiling if there is one.
type curve struct {
	ceiling loop.USD
	points  []SpendPoint
}

// MaxPoints bounds the points of a curve.
const MaxPoints = 200

// draw writes nothing, because `hooks history` draws the spend in a terminal.
func (curve) draw(*page) {}

// html draws the curve. The picture is stretched to the width of the page, so strokes do not
// scale, and the labels are HTML beside the picture.
func (c curve) html(m *markup) {
	n := len(c.points)
	last, limit := c.points[n-1], c.ceiling
	top, about := last.Total, ""
	switch {
	case limit == 0:
		about = "there is no ceiling in dollars"
	case last.Total < limit/8: // with the ceiling on the scale, the curve would lie on its axis
		about, limit = fmt.Sprintf("the ceiling of %s is far above", ceiling(limit)), 0
	default:
		about, top = "the ceiling is "+ceiling(limit), max(top, limit)
	}
	step := scale(max(top, loop.Cent))
	top = max(step, (top+step-1)/step*step)
	y := func(u loop.USD) float64 { return 100 - percent(int64(u), int64(top)) }
	var grid, line strings.Builder
	m.put(`<figure><div class="chart"><div class="ys">`)
	for at := loop.USD(0); at <= top; at += step {
		m.put(`<span style="top:%.1f%%">%s</span>`, y(at), ceiling(at))
		fmt.Fprintf(&grid, "M0 %.2fH100", y(at))
	}
	line.WriteString("M0 100")
	for i, p := range c.points {
		fmt.Fprintf(&line, "L%.2f %.2f", percent(int64(i+1), int64(n)), y(p.Total))
	}
	m.put(`</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">`+
		`<path class="grid" d="%s"/><path class="area" d="%sV100Z"/><path class="line" d="%s"/>`,
		raw(grid.String()), raw(line.String()), raw(line.String()))
	if limit > 0 {
		m.put(`<path class="limit" d="M0 %.2fH100"/></svg>`+
			`<span class="cap" style="top:%.1f%%">ceiling %s</span>`, y(limit), y(limit),
			ceiling(limit))
	} else {
		m.put("</svg>")
	}
	m.put(`</div><div class="xs"><span>start</span><span>iteration %s</span></div>`+
		"<figcaption>Spend over the iterations: $%s in all; %s</figcaption></figure>\n",
		thousands(int64(last.Iteration)), last.Total, about)
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
