package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/term"
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

// raw is HTML that this program wrote. markup escapes every other string.
type raw string

// markup writes HTML.
type markup struct {
	strings.Builder
	within bool // a section is open
}

// maxShown bounds a single text on a page, in characters.
const maxShown = 2000

// put formats HTML. It cleans and escapes each string argument, which is then safe between tags and
// inside quoted attributes.
func (m *markup) put(format string, args ...any) {
	for i, a := range args {
		switch a.(type) {
		case raw, int, int64, float64:
		default:
			args[i] = html.EscapeString(clip(term.Line(fmt.Sprint(a)), maxShown))
		}
	}
	fmt.Fprintf(m, format, args...)
}

// page writes a page as a main element.
func (m *markup) page(number int, draw func(sheet)) {
	m.put(`<main id="run%d">`+"\n", number)
	draw(m)
	m.end()
	m.put("</main>\n")
}

// end closes the open section, if any.
func (m *markup) end() {
	m.put("%s", raw(when(m.within, "</section>\n")))
	m.within = false
}

// tone returns the CSS class for a style.
func tone(style string) string {
	return map[string]string{good: "good", warn: "warn", bad: "bad", faint: "dim"}[style]
}

func (m *markup) heading(style, text string) {
	m.put(`<header class="%s"><h1>%s</h1></header>`+"\n", tone(style), text)
}

func (m *markup) section(name, remark, class string) {
	m.end()
	m.put("<section class=%q>\n<h2>%s", raw(class), name)
	if remark != "" {
		m.put(" <small>%s</small>", remark)
	}
	m.put("</h2>\n")
	m.within = true
}

func (m *markup) line(style, format string, args ...any) {
	m.put(`<p class="%s">%s</p>`+"\n", tone(style), fmt.Sprintf(format, args...))
}

func (m *markup) facts(list facts) {
	m.put("<dl>")
	for _, f := range list {
		class := raw(when(tone(f.style) != "", ` class="`+tone(f.style)+`"`))
		m.put("<dt>%s</dt><dd%s>", f.name, class)
		m.words(f.value, ", ")
		m.put("</dd>\n")
	}
	m.put("</dl>\n")
}

// words writes the words of a cell, separated by between.
func (m *markup) words(c cell, between raw) {
	for i, w := range c {
		if i > 0 {
			m.put("%s", between)
		}
		if w.link != "" {
			m.put(`<a href="%s" rel="noreferrer">`, w.link)
		}
		if w.look != "" {
			m.put("<%s>%s</%s>", w.look, w.text, w.look)
		} else {
			m.put("%s", w.text)
		}
		m.put("%s", raw(when(w.link != "", "</a>")))
		if w.whole > 0 {
			m.put(`<i class="bar"><i style="width:%.1f%%"></i></i>`, percent(w.part, w.whole))
		}
	}
}

func (m *markup) table(t table) {
	m.put(`<table class="%s"><thead><tr>`, strings.TrimSpace("rows "+t.class))
	shown := t.filled(true)
	for _, i := range shown {
		m.put(`<th scope="col" class="%s">%s`, t.columns[i].classes(), t.columns[i].name)
	}
	m.put("</thead><tbody>\n")
	for _, r := range t.rows {
		m.put("<tr>")
		for _, i := range shown {
			c := t.columns[i]
			m.put(`<td class="%s">`, c.classes())
			if c.tag {
				m.put(`<b class="tag %s">`, cmp.Or(tone(r.style), "good"))
			}
			m.words(r.cells[i], " ")
			m.put("%s", raw(when(c.tag, "</b>")))
			for _, note := range r.notes {
				if c.notes {
					m.put("<p>%s</p>", note)
				}
			}
		}
		m.put("\n")
	}
	m.put("</tbody></table>\n")
}

func (c column) classes() string { return strings.TrimSpace(when(c.right, "n ") + c.class) }

// percent returns part of whole in percent, at most 100. It returns 0 if whole is not positive.
func percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(100, 100*float64(part)/float64(whole))
}

// pointTitle describes an iteration on the curve.
func pointTitle(l *loop.Iteration) string {
	title := fmt.Sprintf("iteration %s: $%s, $%s in all", thousands(int64(l.Iteration)), l.Dollars,
		l.Budget.DollarsEstimate)
	if len(l.Denied) > 0 {
		title += "; " + refused(l.Denied) + " refused"
	}
	if len(l.Gates) > 0 {
		title += "; " + loop.Plural(len(l.Gates), "question") + " asked"
	}
	return title
}

// curve draws the spend after each of the iterations, against the ceiling if there is one. The
// picture is stretched to the width of the page, so strokes do not scale, points are the round caps
// of very short lines, and the labels are HTML beside the picture.
func (m *markup) curve(limit loop.USD, list []loop.Iteration) {
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
	y := func(u loop.USD) float64 { return 100 - percent(int64(u), int64(top)) }
	var grid, line, dots markup
	m.put(`<figure><div class="chart"><div class="ys">`)
	for at := loop.USD(0); at <= top; at += step {
		m.put(`<span style="top:%.1f%%">%s</span>`, y(at), ceiling(at))
		grid.put("M0 %.2fH100", y(at))
	}
	line.put("M0 %.2f", y(before))
	for i := range list {
		l := &list[i]
		x, y := percent(int64(i+1), int64(len(list))), y(l.Budget.DollarsEstimate)
		line.put("L%.2f %.2f", x, y)
		dots.put(`<path class="point" d="M%.2f %.2fh.01" tabindex="0" role="img">`+
			"<title>%s</title></path>\n", x, y, pointTitle(l))
	}
	drawn := raw(line.String())
	m.put(`</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="group">`+
		`<title>%s</title><path class="grid" d="%s"/><path class="area" d="%sV100H0Z"/>`+
		`<path class="line" d="%s"/>`, about, raw(grid.String()), drawn, drawn)
	if limit > 0 {
		m.put(`<path class="limit" d="M0 %.2fH100"/>`, y(limit))
	}
	m.put("\n%s</svg>", raw(dots.String()))
	if limit > 0 {
		m.put(`<span class="cap" style="top:%.1f%%">ceiling %s</span>`, y(limit), ceiling(limit))
	}
	from := "start"
	if first.Iteration > 1 {
		from = "iteration " + thousands(int64(first.Iteration))
	}
	m.put(`</div><div class="xs"><span>%s</span><span>iteration %s</span></div>`+
		"<figcaption>%s</figcaption></figure>\n", from, thousands(int64(last.Iteration)), about)
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
