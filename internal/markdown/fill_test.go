package markdown

import "testing"

// A template keeps the lines whose names have values, and no brace of a value is a name.
func TestFill(t *testing.T) {
	const template = "{?a}first\n\n{b}\n\n{?b}second {a}, {a}\n{\"c\":[{a}]} {\n\n\nend {a"
	for want, values := range map[string]map[string]string{
		"end {a\n":                           nil,
		"\n\n \n\nend {a\n":                  {"b": "\n\n "},
		"first\n\n{\"c\":[x]} {\n\nend {a\n": {"a": "x"},
		"first\n\n{a}\n\nsecond x, x\n{\"c\":[x]} {\n\nend {a\n": {"a": "x", "b": "{a}"},
	} {
		if got := Fill(template, values); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}
