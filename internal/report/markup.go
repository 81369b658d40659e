package report

import (
	"fmt"
	"html"
	"strings"
)

// raw is HTML that this program wrote. Everything else that is put into markup is escaped.
type raw string

// markup writes HTML.
type markup struct{ strings.Builder }

// put writes a format of HTML. A text in it is cleaned for a person and escaped, so that it is
// safe between tags and inside quoted attributes.
func (m *markup) put(format string, args ...any) {
	for i, a := range args {
		switch a.(type) {
		case raw, int, int64, float64:
		default:
			args[i] = html.EscapeString(clip(clean(fmt.Sprint(a)), maxShown))
		}
	}
	fmt.Fprintf(m, format, args...)
}

// maxShown bounds a single text on a page, in characters.
const maxShown = 8000

// tone is the CSS class for a style of a screen; a plain one has the class other.
func tone(style, other string) string {
	switch style {
	case good:
		return "good"
	case warn:
		return "warn"
	case bad:
		return "bad"
	case faint:
		return "dim"
	}
	return other
}

// brief is a text in a list.
func brief(text string) string { return clip(clean(text), 160) }

// sprint is a format of HTML as a value for another one.
func sprint(format string, args ...any) raw {
	var m markup
	m.put(format, args...)
	return raw(m.String())
}
