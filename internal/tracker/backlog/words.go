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

// cutWord cuts a word in lower case off the front of a text.
func cutWord(text, word string) (after string, ok bool) {
	n := len(word)
	if len(text) < n || !strings.EqualFold(text[:n], word) || wordStart(text[n:]) {
		return text, false
	}
	return text[n:], true
}

// prose is a line without inline code and text that is struck through.
func prose(text string) string { return without(text, true) }

// without cuts out text that is struck through, and with code set inline code too.
func without(text string, code bool) string {
	if !strings.ContainsAny(text, "`~<") {
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
			n = between(text, "~~", "~~")
		case '<':
			n = element(text, code)
		}
		if n == 0 {
			b.WriteByte(text[0])
			n = 1
		}
		text = text[n:]
	}
	return b.String()
}

// between is the length of a stretch that begins and ends with marks; of the first mark alone if
// the second is missing, 0 if the first is.
func between(text, from, to string) int {
	rest, ok := strings.CutPrefix(text, from)
	if !ok {
		return 0
	}
	if end := strings.Index(rest, to); end >= 0 {
		return len(from) + end + len(to)
	}
	return len(from)
}

// element is the length of an HTML element that is struck through or code, 0 of any other.
func element(text string, code bool) int {
	low := strings.ToLower(text[:min(len(text), 8)])
	for _, name := range []string{"del>", "s>", "strike>", "code>"} {
		if strings.HasPrefix(low[1:], name) && (code || name != "code>") {
			open := text[:1+len(name)]
			return between(text, open, "</"+open[1:])
		}
	}
	return 0
}
