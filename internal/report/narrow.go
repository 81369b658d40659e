package report

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// narrowed aligns a table and, where it does not fit the screen, leaves out columns between the first and the last: those
// of zeros before others, the last before the first. left are the names of those that were no zeros. Where that is not
// enough the first column is cut.
func (s Screen) narrowed(table [][]string) (text string, left []string) {
	for text = align(table); s.Width > 0 && widest(text) > s.Width && len(table[0]) > 2; text = align(table) {
		at := len(table[0]) - 2
		for i := at; i > 0; i-- {
			if zeros(table, i) {
				at = i
				break
			}
		}
		if !zeros(table, at) {
			left = append([]string{table[0][at]}, left...)
		}
		for i := range table {
			table[i] = slices.Delete(table[i], at, at+1)
		}
	}
	if over := widest(text) - s.Width; s.Width > 0 && over > 0 {
		room := max(8, displaywidth.String(longest(table))-over)
		for i := range table {
			table[i][0] = s.cut(table[i][0], room)
		}
		text = align(table)
	}
	return text, left
}

// longest is the widest cell of the first column.
func longest(table [][]string) string {
	return slices.MaxFunc(table, func(a, b []string) int { return displaywidth.String(a[0]) - displaywidth.String(b[0]) })[0]
}

// zeros says that a column holds nothing but 0 below its name.
func zeros(table [][]string, column int) bool {
	return !slices.ContainsFunc(table[1:], func(row []string) bool { return row[column] != "0" })
}

func widest(text string) (width int) {
	for line := range strings.Lines(text) {
		width = max(width, displaywidth.String(strings.TrimRight(line, "\n")))
	}
	return width
}
