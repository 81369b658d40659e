package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean drops control characters but for line breaks and tabs, and bytes that are no UTF-8.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// OneLine joins the words of a foreign text with blanks, cleaned.
func OneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// Quote marks each line of a foreign text as a quote, cleaned and without blank lines at both ends.
func Quote(text string) string {
	text = strings.Trim(Clean(text), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// Cut shortens a text to n bytes at most, the last of them "…" if anything is missing. n is 3 or
// more.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// CutRunes shortens a text to n runes at most, the last of them "…" if anything is missing.
func CutRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
