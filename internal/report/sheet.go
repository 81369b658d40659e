package report

import "slices"

// block is a part of a page, drawn as text or as HTML.
type block interface {
	draw(*page) // as text
	html(*markup)
}

// section is the heading of a part of a page.
type section struct{ name, remark string }

// line is a paragraph.
type line struct{ style, text string }

// command is a text for a person to type. Text has the label, HTML the lead.
type command struct{ label, lead, text string }

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

// cell is the content of a table's cell, or the value of a fact.
type cell []word

// word is a piece of foreign text. look is dim, code or empty. share is the length of the
// bar below it in percent, if its column has bars.
type word struct {
	text, look, link string
	share            float64
}

// words returns a cell with one text. It is empty if the text is empty.
func words(text string) cell {
	if text == "" {
		return nil
	}
	return cell{{text: text}}
}

func (s section) draw(p *page) { p.section(s.name + prefixed(", ", s.remark)) }

func (l line) draw(p *page) { p.line(l.style, "%s", l.text) }

func (c command) draw(p *page) { p.row(c.label, strong, "%s", c.text) }

func (f facts) draw(p *page) {
	for _, one := range f {
		p.row(one.name, one.style, "%s", one.value)
	}
}

func (t table) draw(p *page) { p.table(t) }

func (c cell) String() string {
	switch len(c) {
	case 0:
		return ""
	case 1:
		return c[0].text
	}
	text := c[0].text
	for _, w := range c[1:] {
		text += ", " + w.text
	}
	return text
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
	name  string // "" if only HTML has the column
	width int    // minimum, set by measure
	right bool   // of numbers
	spare int    // above 0: may be dropped for lack of room, the highest first
	loose bool   // last column, of long texts that wrap

	// The rest is for HTML.
	class, unit string
	tag         bool // a dot in the style of the row
	bar         bool // a bar below each word
	code        bool
	notes       bool // holds the notes of its row
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

// drop removes the columns for which the function returns true.
func (t *table) drop(which func(i int, c column) bool) {
	for i := len(t.columns) - 1; i >= 0; i-- {
		if which(i, t.columns[i]) {
			t.columns = slices.Delete(t.columns, i, i+1)
			for n := range t.rows {
				t.rows[n].cells = slices.Delete(t.rows[n].cells, i, i+1)
			}
		}
	}
}

// drawn returns a copy of the table without empty columns. Columns of notes and those without a
// name are for HTML.
func (t table) drawn(inHTML bool) table {
	filled := make([]bool, len(t.columns))
	rows := make([]row, len(t.rows))
	for n, r := range t.rows {
		rows[n] = r
		rows[n].cells = make([]cell, len(t.columns))
		for i, c := range t.columns[:min(len(t.columns), len(r.cells))] {
			rows[n].cells[i] = r.cells[i]
			filled[i] = filled[i] || len(r.cells[i]) > 0 && (inHTML || c.name != "")
		}
		for i, c := range t.columns {
			filled[i] = filled[i] || inHTML && c.notes && len(r.notes) > 0
		}
	}
	t.columns, t.rows = slices.Clone(t.columns), rows
	t.drop(func(i int, c column) bool { return !filled[i] })
	return t
}

// last returns the table with its last n rows.
func (t table) last(n int) table {
	t.rows = t.rows[max(0, len(t.rows)-n):]
	return t
}
