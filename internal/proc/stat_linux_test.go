package proc

import (
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	tail := func(state, threads string) string {
		return " " + state + " 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 " + threads + " 0 4242 1 1"
	}
	tests := map[string]struct {
		line, name string
		gone       bool
	}{
		"plain":                        {"12 (claude)" + tail("S", "9"), "claude", false},
		"blanks and parentheses":       {"12 (a) R 3 (b c)" + tail("S", "1"), "a) R 3 (b c", false},
		"zombie":                       {"12 (sh)" + tail("Z", "1"), "sh", true},
		"left leader of other threads": {"12 (sh)" + tail("Z", "4"), "sh", false},
		"dead":                         {"12 (sh)" + tail("X", "0"), "sh", true},
	}
	for name, tt := range tests {
		e, ok := parseStat(tt.line)
		if !ok || e.parent != 7 || e.start != "4242" || e.names[0] != tt.name || e.gone != tt.gone {
			t.Errorf("%s: %+v %v", name, e, ok)
		}
	}
	for _, line := range []string{"", "1 (", ") (", "1 (x) S", "1 (x)" + strings.Repeat(" x", 30)} {
		if e, ok := parseStat(line); ok {
			t.Errorf("%q gives %+v", line, e)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("12 (a) R 3 (b c) S 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 1 1")
	f.Fuzz(func(t *testing.T, line string) {
		if e, ok := parseStat(line); ok && (len(e.names) != 1 || e.start == "") {
			t.Errorf("%q gives %+v", line, e)
		}
	})
}
