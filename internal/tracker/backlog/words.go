package backlog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordIn says whether a word stands in a text, with no letter or digit on either side.
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

func wordEnd(s string) bool {
	if s == "" || s[len(s)-1] < utf8.RuneSelf {
		return s != "" && wordByte(s[len(s)-1])
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

func wordStart(s string) bool {
	if s == "" || s[0] < utf8.RuneSelf {
		return s != "" && wordByte(s[0])
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// lower turns A to Z alone into small letters, so that every place in the text stays where it is.
func lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// prose is a line without its inline code and what is struck through: that is not said, but shown.
func prose(text string) string { return without(text, true) }

// without cuts out what is struck through, and inline code too where that is asked for.
func without(text string, code bool) string {
	if !strings.ContainsAny(text, "`~<") {
		return text
	}
	var b strings.Builder
	for text != "" {
		n := 0
		switch text[0] {
		case '`':
			if n = codeSpan(text); !code {
				b.WriteString(text[:n])
			}
		case '~':
			n = struck(text, "~~", "~~")
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

// struck is the length of a stretch between two marks; of the first mark alone where the second is missing.
func struck(text, from, to string) int {
	if !strings.HasPrefix(text, from) {
		return 0
	}
	if end := strings.Index(text[len(from):], to); end >= 0 {
		return len(from) + end + len(to)
	}
	return len(from)
}

// element is the length of an HTML element that is struck through or code, 0 of any other.
func element(text string, code bool) int {
	low := strings.ToLower(text[:min(len(text), 8)])
	for _, name := range []string{"del>", "s>", "strike>", "code>"} {
		if strings.HasPrefix(low[1:], name) && (code || name != "code>") {
			return struck(text, text[:1+len(name)], "</"+text[1:1+len(name)])
		}
	}
	return 0
}
