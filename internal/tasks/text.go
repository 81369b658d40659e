package tasks

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bom is the byte order mark that some editors put in front of UTF-8.
const bom = "\ufeff"

// oneLine joins the words of a foreign text with blanks and drops control characters and bytes that
// are no UTF-8.
func oneLine(text string) string {
	return strings.Join(strings.Fields(clean(text)), " ")
}

// clean drops control characters but for line breaks and tabs, and bytes that are no UTF-8.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// cut shortens a text to n bytes at most, the last of them "…" if anything is missing. n is 3 or
// more.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// cutRunes shortens a text to n runes at most, the last of them "…" if anything is missing.
func cutRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
