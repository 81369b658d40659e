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

// Spark collects a row of values of any length in bounded memory and draws it in a few columns: when there are more
// values than columns, neighbours share one, and the column shows the larger.
type Spark struct {
	columns int
	each    int // values a column stands for
	in      int // values the last column has
	tops    []int64
	Least   int64 // of all values
	Most    int64
	Sum     int64
	Count   int
}

// NewSpark is a row drawn in at most that many columns.
func NewSpark(columns int) *Spark { return &Spark{columns: max(2, columns&^1), each: 1} }

// Add puts the next value, not below zero, at the end of the row.
func (s *Spark) Add(v int64) {
	if s.Count == 0 || v < s.Least {
		s.Least = v
	}
	s.Most = max(s.Most, v)
	s.Sum += v
	s.Count++
	if len(s.tops) == 0 || s.in == s.each {
		if len(s.tops) == s.columns {
			s.halve()
		}
		s.tops, s.in = append(s.tops, 0), 0
	}
	last := len(s.tops) - 1
	s.tops[last] = max(s.tops[last], v)
	s.in++
}

// halve lets every two columns share one.
func (s *Spark) halve() {
	for i := range len(s.tops) / 2 {
		s.tops[i] = max(s.tops[2*i], s.tops[2*i+1])
	}
	s.tops = s.tops[:len(s.tops)/2]
	s.each, s.in = 2*s.each, 2*s.each
}

// String draws the row; the highest value is the highest sign.
func (s *Spark) String() string {
	var b strings.Builder
	for _, v := range s.tops {
		level := 0
		if s.Most > 0 {
			level = int(float64(v) / float64(s.Most) * 7)
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[level])
	}
	return b.String()
}
