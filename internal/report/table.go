package report

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// table is rows of cells under named columns.
type table struct {
	columns []column
	rows    [][]string
}

// column is one column of a table.
type column struct {
	name  string
	width int  // at least
	right bool // of numbers
	spare int  // above 0: left out on a screen that has no room for it, the highest first
}

// counts are columns of numbers, the first to be left out.
func counts(names ...string) (list []column) {
	for _, name := range names {
		list = append(list, column{name: name, right: true, spare: 2})
	}
	return list
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// drop removes a column by its name.
func (t *table) drop(name string) {
	at := slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
	t.columns = slices.Delete(t.columns, at, at+1)
	for i, row := range t.rows {
		t.rows[i] = slices.Delete(row, at, at+1)
	}
}

// line is one row. A cell that is wider than its column pushes the next ones on.
func (t *table) line(cells []string) string {
	var b strings.Builder
	for i, c := range t.columns {
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(pad(cells[i], c.width, c.right))
	}
	return strings.TrimRight(b.String(), " ")
}

func (t *table) header() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return t.line(names)
}

// measure makes every column as wide as its widest cell and returns the width of a line.
func (t *table) measure() (width int) {
	for i := range t.columns {
		c := &t.columns[i]
		c.width = displaywidth.String(c.name)
		for _, row := range t.rows {
			c.width = max(c.width, displaywidth.String(row[i]))
		}
		width += c.width + len("  ")
	}
	return width - len("  ")
}

// narrow leaves out spare columns until the table fits, first those that are all 0, then from the
// right, and returns their names. It then cuts the first column, which is then at least 8 wide.
func (t *table) narrow(s Screen) (left []string) {
	for t.measure() > s.Width {
		at, most := -1, 1
		for i, c := range t.columns {
			spare := c.spare
			if spare > 0 && t.zeros(i) {
				spare = 3
			}
			if spare >= most {
				at, most = i, spare
			}
		}
		if at < 0 {
			break
		}
		name := t.columns[at].name
		if t.zeros(at) {
			name += " (all 0)"
		}
		left = append(left, name)
		t.drop(t.columns[at].name)
	}
	if over := t.measure() - s.Width; over > 0 {
		room := max(8, t.columns[0].width-over)
		for _, row := range t.rows {
			row[0] = s.cut(row[0], room)
		}
		t.measure()
	}
	slices.Reverse(left)
	return left
}

func (t *table) zeros(column int) bool {
	return !slices.ContainsFunc(t.rows, func(row []string) bool { return row[column] != "0" })
}

// table writes a table as far as the screen has room, and names the columns that it left out.
func (p *page) table(t table) {
	for _, row := range t.rows {
		for i, cell := range row {
			row[i] = p.clean(cell)
		}
	}
	left := t.narrow(p.Screen)
	p.b.WriteString(p.cut(t.header(), p.Width) + "\n")
	for _, row := range t.rows {
		p.b.WriteString(p.cut(t.line(row), p.Width) + "\n")
	}
	if len(left) > 0 {
		p.line(plain, "No room for: %s (--json has everything)", strings.Join(left, ", "))
	}
}
