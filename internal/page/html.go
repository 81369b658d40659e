package page

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"strings"

	"hooks/internal/term"
)

// Raw is HTML that this program wrote. Put escapes every other string.
type Raw string

// HTML is a page being drawn as HTML.
type HTML struct {
	strings.Builder
	within bool // a section is open
}

// maxShown is the maximum length of a string on a page, in characters.
const maxShown = 2000

// Put formats HTML. It cleans and escapes each string argument, which makes it safe between tags
// and inside quoted attributes.
func (m *HTML) Put(format string, args ...any) {
	for i, a := range args {
		switch a.(type) {
		case Raw, int, int64, float64:
		default:
			args[i] = html.EscapeString(term.Clip(term.Line(fmt.Sprint(a)), maxShown))
		}
	}
	fmt.Fprintf(m, format, args...)
}

// Page writes a page as a main element.
func (m *HTML) Page(number int, draw func(Sheet)) {
	m.Put(`<main id="run%d">`+"\n", number)
	draw(m)
	m.end()
	m.Put("</main>\n")
}

// end closes the open section, if any.
func (m *HTML) end() {
	if m.within {
		m.Put("</section>\n")
	}
	m.within = false
}

// tone returns the CSS class for a style.
func tone(style string) string {
	return map[string]string{Good: "good", Warn: "warn", Bad: "bad", Faint: "dim"}[style]
}

func (m *HTML) Heading(style, text string) {
	m.Put(`<header class="%s"><h1>%s</h1></header>`+"\n", tone(style), text)
}

func (m *HTML) Section(name, remark, class string) {
	m.end()
	m.Put("<section class=%q>\n<h2>%s", Raw(class), name)
	if remark != "" {
		m.Put(" <small>%s</small>", remark)
	}
	m.Put("</h2>\n")
	m.within = true
}

func (m *HTML) Line(style, format string, args ...any) {
	m.Put(`<p class="%s">%s</p>`+"\n", tone(style), fmt.Sprintf(format, args...))
}

func (m *HTML) Facts(list Facts) {
	m.Put("<dl>")
	for _, f := range list {
		class := ""
		if t := tone(f.style); t != "" {
			class = ` class="` + t + `"`
		}
		m.Put("<dt>%s</dt><dd%s>", f.name, Raw(class))
		m.words(f.value, ", ")
		m.Put("</dd>\n")
	}
	m.Put("</dl>\n")
}

// words writes the words of a cell with between as the separator.
func (m *HTML) words(c Cell, between Raw) {
	for i, w := range c {
		if i > 0 {
			m.Put("%s", between)
		}
		if w.Link != "" {
			m.Put(`<a href="%s" rel="noreferrer">`, w.Link)
		}
		if w.Look != "" {
			m.Put("<%s>%s</%s>", w.Look, w.Text, w.Look)
		} else {
			m.Put("%s", w.Text)
		}
		if w.Link != "" {
			m.Put("</a>")
		}
		if w.Whole > 0 {
			m.Put(`<i class="bar"><i style="width:%.1f%%"></i></i>`, Percent(w.Part, w.Whole))
		}
	}
}

// Figure adds a picture.
func (m *HTML) Figure(draw func(*HTML)) { draw(m) }

func (m *HTML) Table(t Table) {
	m.Put(`<table class="%s"><thead><tr>`, strings.TrimSpace("rows "+t.Class))
	shown := t.filled(true)
	for _, i := range shown {
		m.Put(`<th scope="col" class="%s">%s`, t.Columns[i].classes(), t.Columns[i].Name)
	}
	m.Put("</thead><tbody>\n")
	for _, r := range t.Rows {
		m.Put("<tr>")
		for _, i := range shown {
			c := t.Columns[i]
			m.Put(`<td class="%s">`, c.classes())
			if c.Tag {
				m.Put(`<b class="tag %s">`, cmp.Or(tone(r.Style), "good"))
			}
			m.words(r.Cells[i], " ")
			if c.Tag {
				m.Put("</b>")
			}
			for _, note := range r.Notes {
				if c.Notes {
					m.Put("<p>%s</p>", note)
				}
			}
		}
		m.Put("\n")
	}
	m.Put("</tbody></table>\n")
}

func (c Column) classes() string {
	if c.Right {
		return strings.TrimSpace("n " + c.Class)
	}
	return c.Class
}

// Percent returns part as a percentage of whole, at most 100, or 0 if whole is not positive.
func Percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(100, 100*float64(part)/float64(whole))
}
