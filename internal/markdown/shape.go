package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean removes control characters except line breaks and tabs, and bytes that are not UTF-8.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// OneLine returns text cleaned and on one line, with one space between words.
func OneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// Quote returns text as a Markdown quote, cleaned and without line breaks at its ends. It returns
// "" for a blank text.
func Quote(text string) string {
	text = strings.Trim(Clean(text), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// Cut shortens text to at most n bytes. If anything was cut, the result ends in "…". n is at least
// 3.
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

// CutRunes shortens text to at most n runes. If anything was cut, the result ends in "…".
func CutRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
