package report

import (
	_ "embed"
	"fmt"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// PageMark begins every page. It identifies a file as one written by this program.
const PageMark = "<!doctype html><!-- hooks report-card -->"

// pageFrame is a self-contained HTML document, without scripts and without requests to the network.
// Its formatting verbs are for the mark, the title, the style sheet, the pages and the time.
//
//go:embed page.html
var pageFrame string

//go:embed page.css
var pageStyle string

// pointTitle describes an iteration on the curve.
func pointTitle(l *loop.Iteration) string {
	title := fmt.Sprintf("iteration %s: $%s, $%s in all", thousands(int64(l.Iteration)), l.Dollars,
		l.Budget.DollarsEstimate)
	if len(l.Denied) > 0 {
		title += "; " + refused(l.Denied) + " refused"
	}
	if len(l.Gates) > 0 {
		title += "; " + english.Plural(len(l.Gates), "question") + " asked"
	}
	return title
}

// curve draws the spend after each of the iterations, against the ceiling if there is one. The
// picture is stretched to the width of the page, so strokes do not scale, points are the round caps
// of very short lines, and the labels are HTML beside the picture.
func curve(m *page.HTML, limit loop.USD, list []loop.Iteration) {
	first, last := &list[0], &list[len(list)-1]
	before := max(0, first.Budget.DollarsEstimate-first.Dollars)
	total := last.Budget.DollarsEstimate
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
	y := func(u loop.USD) float64 { return 100 - page.Percent(int64(u), int64(top)) }
	var grid, line, dots page.HTML
	m.Put(`<figure><div class="chart"><div class="ys">`)
	for at := loop.USD(0); at <= top; at += step {
		m.Put(`<span style="top:%.1f%%">%s</span>`, y(at), ceiling(at))
		grid.Put("M0 %.2fH100", y(at))
	}
	line.Put("M0 %.2f", y(before))
	for i := range list {
		l := &list[i]
		x, y := page.Percent(int64(i+1), int64(len(list))), y(l.Budget.DollarsEstimate)
		line.Put("L%.2f %.2f", x, y)
		dots.Put(`<path class="point" d="M%.2f %.2fh.01" tabindex="0" role="img">`+
			"<title>%s</title></path>\n", x, y, pointTitle(l))
	}
	drawn := page.Raw(line.String())
	m.Put(`</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="group">`+
		`<title>%s</title><path class="grid" d="%s"/><path class="area" d="%sV100H0Z"/>`+
		`<path class="line" d="%s"/>`, about, page.Raw(grid.String()), drawn, drawn)
	if limit > 0 {
		m.Put(`<path class="limit" d="M0 %.2fH100"/>`, y(limit))
	}
	m.Put("\n%s</svg>", page.Raw(dots.String()))
	if limit > 0 {
		m.Put(`<span class="cap" style="top:%.1f%%">ceiling %s</span>`, y(limit), ceiling(limit))
	}
	from := "start"
	if first.Iteration > 1 {
		from = "iteration " + thousands(int64(first.Iteration))
	}
	m.Put(`</div><div class="xs"><span>%s</span><span>iteration %s</span></div>`+
		"<figcaption>%s</figcaption></figure>\n", from, thousands(int64(last.Iteration)), about)
}

// scale returns the smallest round step with which at most five steps reach top.
func scale(top loop.USD) loop.USD {
	for step := loop.Cent; ; step *= 10 {
		for _, n := range []loop.USD{1, 2, 5} {
			if top <= 5*n*step {
				return n * step
			}
		}
	}
}
