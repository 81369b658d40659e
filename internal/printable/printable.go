// Package printable takes out of foreign text what a terminal would act on instead of showing: issue titles, branch names,
// causes, questions and answers are written by people who are not sitting at the terminal. It is applied where text is
// printed; what is kept in files stays as it was written.
package printable

import (
	"fmt"
	"strings"
	"unicode"
)

// Text drops control characters (C0 but for line feeds and tabs, DEL, C1), bidirectional controls, Unicode's own line
// separators and invisible tag characters. Without their escape character, sequences such as colours, window titles,
// links (OSC 8) and clipboard writes (OSC 52) are harmless words. Bytes that are no UTF-8 become U+FFFD.
func Text(s string) string {
	if plain(s, 0) == len(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && acts(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Line is Text in one line: line feeds and tabs become blanks.
func Line(s string) string {
	if plain(s, 0) == len(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Text(s))
}

// JSON spells the same characters of a JSON text as \u escapes: a reader of the JSON gets them as they are kept, a
// terminal does not.
func JSON(s string) string {
	done := plain(s, '\n')
	if done == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:done])
	for _, r := range s[done:] {
		switch {
		case r == '\n' || !acts(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// plain is how far a text holds nothing but what is printed as it is: ASCII letters, digits, signs, blanks, and one more.
func plain(s string, more byte) int {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && (c != more || more == 0) {
			return i
		}
	}
	return len(s)
}

func acts(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r <= 0x9F:
		return true
	case r < 0x200: // most text ends here
		return false
	case r == '\u2028', r == '\u2029', r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r)
}
