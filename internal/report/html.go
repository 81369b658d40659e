package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"strings"
)

// PageMark begins every page. It identifies a file as one written by this program.
const PageMark = "<!doctype html><!-- hooks report-card -->"

//go:embed page.css
var pageStyle string

// document returns one self-contained HTML document, without scripts and without requests to the
// network. Each page is a main element.
func document(s Screen, title string, pages [][]block) string {
	var m markup
	m.put("%s\n", raw(PageMark))
	m.put(`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>%s</title>
<style>
%s</style></head><body>
`, title, raw(pageStyle))
	for i, blocks := range pages {
		m.put(`<main id="run%d">`+"\n", i)
		for _, b := range blocks {
			b.html(&m)
		}
		m.end()
		m.put("</main>\n")
	}
	m.put(`<footer><p>Dollars are API-equivalent, which is what the API would charge; a subscription
is billed otherwise. Treat this page as secret: it may hold issue texts and answers.</p>
<p>Written by <code>hooks report-card</code> on %s.</p></footer>
</body></html>
`, s.Now.Format("January 2, 2006, 15:04 MST"))
	return m.String()
}

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
			args[i] = html.EscapeString(clip(clean(fmt.Sprint(a)), maxShown))
		}
	}
	fmt.Fprintf(m, format, args...)
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

func (h heading) html(m *markup) {
	m.put(`<header class="%s"><h1>%s</h1></header>`+"\n", tone(h.style), h.text)
}

func (s section) html(m *markup) {
	m.end()
	m.put("<section class=%q>\n<h2>%s", raw(s.class), s.name)
	if s.remark != "" {
		m.put(" <small>%s</small>", s.remark)
	}
	m.put("</h2>\n")
	m.within = true
}

func (l line) html(m *markup) { m.put(`<p class="%s">%s</p>`+"\n", tone(l.style), l.text) }

func (f facts) html(m *markup) {
	m.put("<dl>")
	for _, one := range f {
		class := raw(when(tone(one.style) != "", ` class="`+tone(one.style)+`"`))
		m.put("<dt>%s</dt><dd%s>", one.name, class)
		m.words(one.value, ", ")
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

func (t table) html(m *markup) {
	t = t.drawn(true)
	m.put(`<table class="%s"><thead><tr>`, strings.TrimSpace("rows "+t.class))
	for _, c := range t.columns {
		m.put(`<th scope="col" class="%s">%s`, c.classes(), c.name)
	}
	m.put("</thead><tbody>\n")
	for _, r := range t.rows {
		m.put("<tr>")
		for i, c := range t.columns {
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
