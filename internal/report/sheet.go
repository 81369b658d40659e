package report

import (
	"fmt"
	"slices"
)

// block is a part of a page, drawn as text or as HTML.
type block interface {
	draw(*page) // draws it as text
	html(*markup)
}

// textOf draws blocks as text.
func textOf(s Screen, blocks []block) string {
	p := newPage(s)
	for _, b := range blocks {
		b.draw(p)
	}
	return p.String()
}

// heading is the title of a page.
type heading struct{ style, text string }

// section is the heading of a part of a page. class is its CSS class.
type section struct{ name, remark, class string }

// line is a paragraph.
type line struct{ style, text string }

// facts is a list of labels, each with a value.
type facts []fact

type fact struct {
	name, style string
	value       cell
}

// given adds a fact unless its value is empty.
func (f *facts) given(name string, value cell) {
	if len(value) > 0 {
		*f = append(*f, fact{name: name, value: value})
	}
}

// row adds a fact, even if its value is empty.
func (f *facts) row(name, style, format string, args ...any) {
	*f = append(*f, fact{name, style, cell{{text: fmt.Sprintf(format, args...)}}})
}

// rows adds a fact for each text, all with the same name.
func (f *facts) rows(name, style string, texts []string) {
	for _, text := range texts {
		f.row(name, style, "%s", text)
	}
}

// command returns a fact for a text that a person types.
func command(name, text string) fact { return fact{name, strong, cell{{text: text, look: pre}}} }

// cell is the content of a table's cell, or the value of a fact.
type cell []word

// word is a piece of foreign text. If whole is not 0, it has a bar that shows part of whole. In
// text output only facts have bars. Text output leaves out a link, unless address is set: then it
// shows the link instead of the text.
type word struct {
	text, look, link string
	address          bool
	part, whole      int64
}

// The looks of a word are HTML elements.
const (
	small = "small"
	code  = "code"
	pre   = "pre"
)

// words returns a cell with one text. It is empty if the text is empty.
func words(text string) cell {
	if text == "" {
		return nil
	}
	return cell{{text: text}}
}

func (h heading) draw(p *page) {
	p.line(h.style, "%s", h.text)
	p.blank()
}

func (s section) draw(p *page) { p.section(s.name + prefixed(", ", s.remark)) }

func (l line) draw(p *page) { p.line(l.style, "%s", l.text) }

func (f facts) draw(p *page) {
	for _, one := range f {
		drawn := ""
		if len(one.value) > 0 && one.value[0].whole > 0 {
			drawn = bar(one.value[0].part, one.value[0].whole, min(max(p.Width/5, 6), 24)) + "  "
		}
		p.row(one.name, one.style, "%s%s", drawn, one.value)
	}
}

func (t table) draw(p *page) { p.table(t) }

func (c cell) String() string {
	texts := make([]string, len(c))
	for i, w := range c {
		if texts[i] = w.text; w.address {
			texts[i] = w.link
		}
	}
	return commas(texts...)
}

// table holds rows of cells under named columns. class is its CSS class.
type table struct {
	class   string
	columns []column
	rows    []row
}

// row is a row of a table. Its notes are drawn below it or, in HTML, in the column for notes.
type row struct {
	style string
	cells []cell
	notes []string
}

// column is one column of a table.
type column struct {
	name  string
	width int  // minimum width, set by measure
	right bool // aligned right, for numbers
	spare int  // if above 0, the column may be dropped for lack of room, the highest first
	loose bool // the last column, with long texts that wrap

	// The remaining fields are for HTML.
	class string
	tag   bool // a dot in the style of the row
	notes bool // holds the notes of its row
}

// counts returns columns of numbers, which are dropped first for lack of room.
func counts(names ...string) (list []column) {
	for _, name := range names {
		list = append(list, column{name: name, right: true, spare: 2})
	}
	return list
}

// add adds a row of plain cells.
func (t *table) add(cells ...string) {
	r := row{cells: make([]cell, len(cells))}
	for i, text := range cells {
		r.cells[i] = words(text)
	}
	t.rows = append(t.rows, r)
}

// drop removes a column.
func (t *table) drop(i int) {
	t.columns = slices.Delete(t.columns, i, i+1)
	for n := range t.rows {
		t.rows[n].cells = slices.Delete(t.rows[n].cells, i, i+1)
	}
}

// drawn returns a copy of the table without empty columns. A column of notes is for HTML.
func (t table) drawn(inHTML bool) table {
	out := table{class: t.class, rows: slices.Clone(t.rows)}
	for n := range out.rows {
		out.rows[n].cells = nil
	}
	for i, c := range t.columns {
		if !slices.ContainsFunc(t.rows, func(r row) bool {
			return len(r.cells) > i && len(r.cells[i]) > 0 || inHTML && c.notes && len(r.notes) > 0
		}) {
			continue
		}
		out.columns = append(out.columns, c)
		for n, r := range t.rows {
			var content cell
			if i < len(r.cells) {
				content = r.cells[i]
			}
			out.rows[n].cells = append(out.rows[n].cells, content)
		}
	}
	return out
}
