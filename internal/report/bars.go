package report

import "strings"

// bar shows a part of a whole in width columns. Anything begun shows, and only the whole fills it.
func bar(part, whole int64, width int) string {
	n := 0
	switch {
	case whole <= 0:
	case part >= whole:
		n = width
	case part > 0:
		n = min(max(1, int(float64(part)/float64(whole)*float64(width)+0.5)), width-1)
	}
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}

// level is the sign for a value from 0 to 7.
func level(v int) string { return string([]rune("▁▂▃▄▅▆▇█")[v]) }

// spark collects a row of values of any length in bounded memory and draws it in a few columns:
// when there are more values than columns, neighbours share one, and the column shows the larger.
type spark struct {
	columns     int
	each        int // values a column stands for
	tops        []int64
	least, most int64 // of all values
	sum         int64
	count       int
}

// newSpark is a row drawn in at most that many columns, an even number.
func newSpark(columns int) *spark { return &spark{columns: max(2, columns&^1), each: 1} }

// add puts the next value, not below zero, at the end of the row.
func (s *spark) add(v int64) {
	if len(s.tops) == s.columns && s.count == s.columns*s.each {
		for i := range s.columns / 2 {
			s.tops[i] = max(s.tops[2*i], s.tops[2*i+1])
		}
		s.tops, s.each = s.tops[:s.columns/2], 2*s.each
	}
	if s.count == 0 || v < s.least {
		s.least = v
	}
	if s.count%s.each == 0 {
		s.tops = append(s.tops, 0)
	}
	last := len(s.tops) - 1
	s.tops[last] = max(s.tops[last], v)
	s.most, s.sum, s.count = max(s.most, v), s.sum+v, s.count+1
}

// String draws the row; the highest value is the highest sign.
func (s *spark) String() string {
	var b strings.Builder
	for _, v := range s.tops {
		b.WriteString(level(int(float64(v) / float64(max(1, s.most)) * 7)))
	}
	return b.String()
}
