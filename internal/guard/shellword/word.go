// Package shellword represents the words of command lines, parts of which may be unknown. It also
// handles flags, glob patterns, escapes, program names, and the leaves of JSON and form text.
package shellword

import (
	"strconv"
	"strings"
)

// Unknown stands for an unknown part of a string, which may be empty.
const Unknown = "\ue000"

// MaxShell is the maximum size of shell text in bytes. No hook event is longer. An expanded word
// may be twice as long.
const MaxShell = 4 << 20

// Word is one expanded word of a command.
type Word struct {
	Text  string
	Glob  bool   // contains an unquoted glob: *, ? or […]
	Src   string // source text
	Split bool   // contains unknown unquoted text, which may become any number of words
	Raw   bool   // Text is not shell text, so Show returns it unchanged
}

// Lit returns a word without source text.
func Lit(text string) Word { return Word{Text: text} }

// Lits applies Lit to each string.
func Lits(texts ...string) []Word {
	words := make([]Word, len(texts))
	for i, t := range texts {
		words[i] = Lit(t)
	}
	return words
}

// Known reports whether the whole word is known.
func (w Word) Known() bool { return !HasUnknown(w.Text) }

// HasUnknown reports whether part of the text is unknown.
func HasUnknown(text string) bool {
	return strings.Contains(text, Unknown)
}

// Blank reports whether text is unknown except for whitespace.
func Blank(text string) bool {
	return strings.Trim(text, Unknown+" \n\t") == "" && HasUnknown(text)
}

// Show returns the word for display, quoted if needed. It shows unknown parts as written or as "…".
func (w Word) Show() string {
	if w.Raw {
		return w.Text
	}
	if !w.Known() {
		if w.Src != "" && !HasUnknown(w.Src) {
			return Clip(w.Src, 120)
		}
		return Ellipsis(w.Text)
	}
	if w.Text == "" || strings.ContainsAny(w.Text, " \t\n'\"$`\\;&|<>()*?#!") {
		return Quote(w.Text)
	}
	return w.Text
}

// Ellipsis replaces each Unknown with "…".
func Ellipsis(text string) string {
	return strings.ReplaceAll(text, Unknown, "…")
}

// Join returns a command line for display. It omits the words after the first 400 bytes.
func Join(words []Word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Show())
		if b.Len() > 400 {
			break
		}
	}
	return b.String()
}

// Texts returns the text of each word.
func Texts(words []Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return out
}

// Clip cuts s to at most n bytes, without splitting a character, and appends "…" if it cut s.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// Number parses a PR number such as 5, #5 or !5. It returns 0 for any other text.
func Number(s string) int {
	s = strings.TrimLeft(strings.TrimSpace(s), "#!")
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || len(s) > 9 || s[0] == '+' {
		return 0
	}
	return n
}

// Quote returns text as one shell word, in single quotes.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Quoted returns the words as shell text, each in single quotes. Unknown parts stay unknown.
func Quoted(words []Word) string {
	quoted := Texts(words)
	for i, text := range quoted {
		quoted[i] = Quote(text)
	}
	return strings.Join(quoted, " ")
}

// Has reports whether the space-separated list contains the name.
func Has(list, name string) bool {
	if !strings.Contains(list, name) { // the common case, without a loop
		return false
	}
	for word := range strings.FieldsSeq(list) {
		if word == name {
			return true
		}
	}
	return false
}

// Btoi returns 1 for true and 0 for false.
func Btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
