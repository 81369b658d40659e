// Package page draws tables, facts and lines, as text for a terminal or as HTML. It cleans and
// escapes foreign text.
package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"hooks/internal/term"
)

// Sheet is a page being drawn, as text or as HTML.
type Sheet interface {
	Heading(style, text string)         // page title
	Section(name, remark, class string) // section heading; class is for CSS
	Line(style, format string, args ...any)
	Facts(list Facts)
	Table(t Table)
	Figure(draw func(*HTML)) // a picture, in HTML only
}

// Facts is a list of labelled values.
type Facts []fact

type fact struct {
	name, style string
	value       Cell
}

// Given adds a fact if its value is not empty.
func (f *Facts) Given(name, value string) { f.GivenCell(name, Words(value)) }

// GivenCell adds a fact if its value is not empty.
func (f *Facts) GivenCell(name string, value Cell) {
	if len(value) > 0 {
		*f = append(*f, fact{name: name, value: value})
	}
}

// Row adds a fact, even if its value is empty.
func (f *Facts) Row(name, style, format string, args ...any) {
	*f = append(*f, fact{name, style, Cell{{Text: fmt.Sprintf(format, args...)}}})
}

// Rows adds a fact for each string in texts, all with the same name.
func (f *Facts) Rows(name, style string, texts []string) {
	for _, text := range texts {
		f.Row(name, style, "%s", text)
	}
}

// Gauge adds a fact with a bar that shows part of whole.
func (f *Facts) Gauge(name, style, text string, part, whole int64) {
	*f = append(*f, fact{name, style, Cell{{Text: text, Part: part, Whole: whole}}})
}

// Command adds a command for a person to type, if it is not empty.
func (f *Facts) Command(name, text string) {
	if text != "" {
		*f = append(*f, fact{name, Strong, Cell{{Text: text, Look: pre}}})
	}
}

// Cell is the content of a table cell or the value of a fact.
type Cell []Word

// Word is a piece of foreign text. If Whole is not 0, it has a bar that shows Part of Whole. In
// text output, only facts have bars. Text output omits links, but if Address is set, it shows the
// link in place of the text.
type Word struct {
	Text, Look, Link string
	Address          bool
	Part, Whole      int64
}

// The looks of a word name HTML elements.
const (
	Small = "small"
	Code  = "code"
	pre   = "pre"
)

// Words returns a cell that contains text, or an empty cell if text is empty.
func Words(text string) Cell {
	if text == "" {
		return nil
	}
	return Cell{{Text: text}}
}

func (c Cell) String() string {
	texts := make([]string, len(c))
	for i, w := range c {
		if texts[i] = w.Text; w.Address {
			texts[i] = w.Link
		}
	}
	return strings.Join(texts, ", ")
}

// Table holds rows of cells under named columns. Class is its CSS class.
type Table struct {
	Class   string
	Columns []Column
	Rows    []Row
}

// Row is a table row. Notes are drawn below the row or, in HTML, in the notes column.
type Row struct {
	Style string
	Cells []Cell
	Notes []string
}

// Column is a table column.
type Column struct {
	Name  string
	Right bool // aligned right, for numbers
	Spare int  // if above 0, dropped when there is no room, highest first
	Loose bool // long text wraps; only for the last column

	// The remaining fields are for HTML.
	Class string
	Tag   bool // marked with a dot in the row's style
	Notes bool // holds the row's notes
}

// Counts returns columns for numbers, which are dropped before others if there is no room.
func Counts(names ...string) (list []Column) {
	for _, name := range names {
		list = append(list, Column{Name: name, Right: true, Spare: 2})
	}
	return list
}

// Add adds a row with the given cells and returns it.
func (t *Table) Add(cells ...string) *Row {
	r := Row{Cells: make([]Cell, len(cells))}
	for i, text := range cells {
		r.Cells[i] = Words(text)
	}
	t.Rows = append(t.Rows, r)
	return &t.Rows[len(t.Rows)-1]
}

// filled returns the indices of the non-empty columns. In HTML, notes also count as content.
func (t *Table) filled(inHTML bool) (list []int) {
	for i, c := range t.Columns {
		if slices.ContainsFunc(t.Rows, func(r Row) bool {
			return len(r.Cells[i]) > 0 || inHTML && c.Notes && len(r.Notes) > 0
		}) {
			list = append(list, i)
		}
	}
	return list
}

// grid is a table laid out as text.
type grid struct {
	Table
	texts  [][]string // by row and column
	widths []int      // by column
	shown  []int      // indices of the columns to draw
}

func newGrid(t Table) *grid {
	g := &grid{Table: t, widths: make([]int, len(t.Columns)), shown: t.filled(false)}
	for _, r := range t.Rows {
		texts := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			texts[i] = term.Line(c.String())
		}
		g.texts = append(g.texts, texts)
	}
	for i := range t.Columns {
		g.measure(i)
	}
	return g
}

// measure sets a column's width to that of its name or, if wider, its widest cell. For a loose
// column, only the name counts.
func (g *grid) measure(i int) {
	g.widths[i] = displaywidth.String(g.Columns[i].Name)
	for _, texts := range g.texts {
		if !g.Columns[i].Loose {
			g.widths[i] = max(g.widths[i], displaywidth.String(texts[i]))
		}
	}
}

// line returns the given columns of a row, padded. Text wider than its column shifts the following
// columns.
func (g *grid) line(texts []string, columns []int) string {
	var b strings.Builder
	for _, i := range columns {
		b.WriteString(pad(texts[i], g.widths[i], g.Columns[i].Right) + "  ")
	}
	return b.String()
}

// narrow drops spare columns until a line fits into most screen columns, and returns the dropped
// names. It drops the columns with the highest spare first, from the right. If the table is still
// too wide, it cuts the first column to no less than 8 screen columns.
func (g *grid) narrow(most int) (left []string) {
	for {
		width, at, rank := -len("  "), -1, 1
		for n, i := range g.shown {
			width += g.widths[i] + len("  ")
			if spare := g.Columns[i].Spare; spare >= rank {
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
		left = slices.Insert(left, 0, g.Columns[g.shown[at]].Name)
		g.shown = slices.Delete(g.shown, at, at+1)
	}
}
