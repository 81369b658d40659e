package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean removes invalid UTF-8, and control characters except line breaks and tabs.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// OneLine returns cleaned text on one line, with one space between words.
func OneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// Quote returns text as a Markdown quote, cleaned and without line breaks at its ends. It returns
// "" for blank text.
func Quote(text string) string {
	text = strings.Trim(Clean(text), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// Cut shortens text to at most n bytes; n must be at least 3. Shortened text ends in "…".
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

// CutRunes shortens text to at most n runes. Shortened text ends in "…".
func CutRunes(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
