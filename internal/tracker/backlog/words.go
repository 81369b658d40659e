package backlog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hooks/internal/markdown"
)

// wordIn reports whether a text contains a word, with no letter or digit on either side.
func wordIn(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		if !wordEnd(text[:i]) && !wordStart(text[at:]) {
			return true
		}
	}
}

// wordEnd and wordStart report whether a text ends or begins inside a word.
func wordEnd(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return wordRune(r)
}

func wordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return wordRune(r)
}

func wordRune(r rune) bool { return r >= '0' && r <= '9' || r == '_' || unicode.IsLetter(r) }

// cutWord cuts a leading word off text, ignoring case. word is in lower case.
func cutWord(text, word string) (after string, ok bool) {
	n := len(word)
	if len(text) < n || !strings.EqualFold(text[:n], word) || wordStart(text[n:]) {
		return text, false
	}
	return text[n:], true
}

// prose returns text without inline code and without text that is struck through.
func prose(text string) string { return without(text, true) }

// without returns text without text that is struck through and, if code is set, without inline
// code.
func without(text string, code bool) string {
	if !strings.ContainsAny(text, "`~") {
		return text
	}
	var b strings.Builder
	for text != "" {
		n := 0
		switch text[0] {
		case '`':
			if n = markdown.CodeSpan(text); !code {
				b.WriteString(text[:n])
			}
		case '~':
			n = struck(text)
		}
		if n == 0 {
			b.WriteByte(text[0])
			n = 1
		}
		text = text[n:]
	}
	return b.String()
}

// struck returns the length of the leading ~~…~~. It returns the length of the first mark if the
// second one is missing, and 0 if text does not begin with a mark.
func struck(text string) int {
	const mark = "~~"
	rest, ok := strings.CutPrefix(text, mark)
	if !ok {
		return 0
	}
	if end := strings.Index(rest, mark); end >= 0 {
		return end + 2*len(mark)
	}
	return len(mark)
}
