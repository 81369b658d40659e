package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"hooks/internal/loop"
	"hooks/internal/term"
)

// sheet is a page while it is drawn, as text or as HTML.
type sheet interface {
	heading(style, text string)         // the title of the page
	section(name, remark, class string) // the heading of a part; class is for CSS
	line(style, format string, args ...any)
	facts(list facts)
	table(t table)
	curve(ceiling loop.USD, list []loop.Iteration)
}

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

// command adds a text that a person types.
func (f *facts) command(name, text string) {
	*f = append(*f, fact{name, strong, cell{{text: text, look: pre}}})
}

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

// filled returns the indices of the columns that are not empty. A column of notes is for HTML.
func (t *table) filled(inHTML bool) (list []int) {
	for i, c := range t.columns {
		if slices.ContainsFunc(t.rows, func(r row) bool {
			return len(r.cells[i]) > 0 || inHTML && c.notes && len(r.notes) > 0
		}) {
			list = append(list, i)
		}
	}
	return list
}

// grid is a table as text.
type grid struct {
	table
	texts  [][]string // by row and column
	widths []int      // by column, the widest text
	shown  []int      // indices of the columns to draw
}

func newGrid(t table) *grid {
	g := &grid{table: t, widths: make([]int, len(t.columns)), shown: t.filled(false)}
	for _, r := range t.rows {
		texts := make([]string, len(r.cells))
		for i, c := range r.cells {
			texts[i] = term.Line(c.String())
		}
		g.texts = append(g.texts, texts)
	}
	for i := range t.columns {
		g.measure(i)
	}
	return g
}

// measure sets the width of a column to that of its widest text.
func (g *grid) measure(i int) {
	g.widths[i] = displaywidth.String(g.columns[i].name)
	for _, texts := range g.texts {
		if !g.columns[i].loose {
			g.widths[i] = max(g.widths[i], displaywidth.String(texts[i]))
		}
	}
}

// line returns the texts of some columns, padded. A text wider than its column shifts the
// following ones.
func (g *grid) line(texts []string, columns []int) string {
	var b strings.Builder
	for _, i := range columns {
		b.WriteString(pad(texts[i], g.widths[i], g.columns[i].right) + "  ")
	}
	return b.String()
}

// narrow drops spare columns until a line has at most that width, and returns their names. It drops
// those with the highest spare first, from the right. If the table is still too wide, it cuts the
// first column, to no less than 8.
func (g *grid) narrow(most int) (left []string) {
	for {
		width, at, rank := -len("  "), -1, 1
		for n, i := range g.shown {
			width += g.widths[i] + len("  ")
			if spare := g.columns[i].spare; spare >= rank {
				at, rank = n, spare
			}
		}
		if width <= most {
			return left
		}
		if at < 0 {
			first := g.shown[0]
			room := max(8, g.widths[first]-(width-most))
			for _, texts := range g.texts {
				texts[first] = cut(texts[first], room)
			}
			g.measure(first)
			return left
		}
		left = slices.Insert(left, 0, g.columns[g.shown[at]].name)
		g.shown = slices.Delete(g.shown, at, at+1)
	}
}
