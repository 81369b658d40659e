// Package term removes terminal control characters from foreign text, such as issue titles, branch
// names, questions and answers. Text is cleaned when it is printed; files keep the original text.
package term

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Text drops control characters (C0 except line feeds and tabs, DEL, C1), bidirectional controls,
// Unicode's line separators and invisible tag characters. Without the escape character, sequences
// such as colours, window titles, links (OSC 8) and clipboard writes (OSC 52) are harmless text.
// Invalid UTF-8 becomes U+FFFD.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && acts(r) {
			return -1
		}
		return r
	}, s)
}

// Line is like Text, but replaces line feeds and tabs with spaces.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Text(s))
}

// Clip shortens s to n characters. If anything is cut off, the last character is "…".
func Clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// JSON replaces the characters that Text removes with \u escapes, so that a terminal does not act
// on them. The decoded values of valid JSON do not change.
func JSON(text []byte) []byte {
	if !slices.ContainsFunc(text, func(b byte) bool { return b < ' ' && b != '\n' || b > '~' }) {
		return text // most input is plain, and a history may have many megabytes
	}
	escaped := func(r rune) bool { return r != '\n' && acts(r) }
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !escaped(r):
			b.WriteRune(r)
		case r == '\t' || r == '\r': // valid JSON has these only between its tokens
			b.WriteByte(' ')
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// acts reports whether a terminal acts on r.
func acts(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r <= 0x9F:
		return true
	case r < 0x200: // most text is below this
		return false
	case r == '\u2028', r == '\u2029', r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r)
}
