package page

import (
	"strings"
	"testing"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        string
	}{{0, 10, "░░░░"}, {1, 1000, "█░░░"}, {5, 10, "██░░"}, {999, 1000, "███░"}, {10, 10, "████"},
		{11, 10, "████"}, {3, 0, "░░░░"}} {
		if got := bar(c.part, c.whole, 4); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.part, c.whole, got, c.want)
		}
	}
}

// A table that does not fit leaves out spare columns, by name; names of rows stay
// as far as there is room.
func TestTablesAreNarrowed(t *testing.T) {
	for _, c := range []struct {
		width int
		head  string
		left  string
	}{
		{60, "run                input  searches  output  dollars", ""},
		{45, "run                input  searches  dollars",
			"No room for: output (--json has everything)"},
		{35, "run                input  dollars",
			"No room for: searches, output\n  (--json has everything)"},
		{26, "run                dollars",
			"No room for: input,\n  searches, output (--json\n  has everything)"},
		{20, "run          dollars",
			"No room for:\n  input, searches,\n  output (--json has\n  everything)"},
	} {
		tab := Table{Columns: []Column{{Name: "run"}}}
		tab.Columns = append(tab.Columns, Counts("input", "searches", "output")...)
		tab.Columns = append(tab.Columns, Column{Name: "dollars", Right: true})
		tab.Add("20261120T120000-1", "1,234", "0", "5", "$1.000")
		tab.Add("total", "1,234", "0", "5", "$1.000")
		p := newText(Screen{Width: c.width})
		p.Table(tab)
		lines := strings.SplitN(p.String(), "\n", 4)
		if left := strings.Join(lines[3:], ""); lines[0] != c.head || left != c.left {
			t.Errorf("at %d columns %q, then %q; want %q, %q", c.width, lines[0], left, c.head,
				c.left)
		}
	}
}
