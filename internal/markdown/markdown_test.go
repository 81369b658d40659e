package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// seen writes lines as "kind level text", hidden lines as "~".
func seen(text string) string {
	var out []string
	for l := range Lines(text) {
		switch l.Kind {
		case Heading:
			out = append(out, fmt.Sprintf("%d %s", l.Level, l.Text))
		case Quoted:
			out = append(out, "> "+l.Text)
		case Hidden:
			out = append(out, "~")
		default:
			out = append(out, l.Text)
		}
	}
	return strings.Join(out, "|")
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"# One #\ntwo\r\n":              "1 One|two",
		"One\n===\nTwo\n---":            "One|===|Two|---",
		"####### no\n#no":               "####### no|#no",
		"a\n```go\nb\n``\n```\nc":       "a|~|~|~|~|c",
		"~~~~\na\n~~~\n~~~~ \nb":        "~|~|~|~|b",
		"a\n\n    code\n\tcode":         "a||~|~",
		"a\n    no code":                "a|no code",
		"- a\n\n    - no code":          "- a||- no code",
		"> a\nlazy\n\nb":                "> a|> lazy||b",
		"a <!-- b\nc --> d <!-- e -->f": "a |d f",
		"`<!--` a":                      "`<!--` a",
		"- ```\n  a\n  ```\nb":          "~|~|~|b",
		"- ```\n  a\n# b":               "~|~|1 b",
		"- a\n  ```\n  b\n# c":          "- a|~|~|1 c",
		"1. a\n  ```\nb\n# c":           "1. a|~|~|~",
		"a\n    ```\nb":                 "a|```|b",
		"```\n    ```\na":               "~|~|~",
		"- a\n***\n  ```\nb":            "- a|***|~|~",
	} {
		if got := seen(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	no := 0
	for l := range Lines("a\n\n---\nc\n    d") {
		if no = l.No; l.Deep != (l.Text == "d") {
			t.Errorf("line %d: deep %v", l.No, l.Deep)
		}
	}
	if no != 5 {
		t.Errorf("the last line is %d", no)
	}
}

func TestItem(t *testing.T) {
	for text, want := range map[string]string{
		"- a": "a", "* [ ] a": "a", "+ [x]": "", "12) a": "a", "1. [X]\tb": "b", "-": "",
		"a": "a", "-a": "-a", "1.a": "1.a", "1234567890. a": "1234567890. a", "- [y] a": "[y] a",
	} {
		if got := Item(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever a text holds, its lines are numbered upward, and code in a fence stays hidden.
func FuzzLines(f *testing.F) {
	f.Add("# a\n<!-- `\n~~~\n> b\n\t- c\n---")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for l := range Lines(text) {
			if l.No <= last || l.Kind == Heading && (l.Level < 1 || l.Level > 6) {
				t.Errorf("%q: %+v after line %d", text, l, last)
			}
			last = l.No
		}
		for l := range Lines("```\n" + strings.ReplaceAll(text, "`", "'") + "\n```") {
			if l.Kind != Hidden {
				t.Errorf("%q: %+v", text, l)
			}
		}
		if n := CodeSpan(text); n < 0 || n > len(text) {
			t.Errorf("%q: %d", text, n)
		}
	})
}
