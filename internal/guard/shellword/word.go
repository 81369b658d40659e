// Package shellword holds the words of command lines: texts of which parts may be unknown, their
// patterns, escapes and flags, the names of programs, and the leaves of JSON and form text.
package shellword

import (
	"strconv"
	"strings"
)

// Unknown is a text in a word that is not known.
const Unknown = "\ue000"

// MaxText bounds the text of a snippet in another language, in bytes.
const MaxText = 64 << 10

// MaxShell bounds shell text, and what a program prints or a variable holds, in bytes. No event is
// longer.
const MaxShell = 4 << 20

// Word is one expanded word of a command.
type Word struct {
	Text  string
	Glob  bool   // a pattern: it holds an unquoted * ? or [
	Src   string // as written
	Split bool   // unknown unquoted text: none, one or several words
	Raw   bool   // not of a shell: shown unchanged
}

// Lit is a word as a program names it: known, unquoted, not of any text.
func Lit(text string) Word { return Word{Text: text} }

// Lits are several of them.
func Lits(texts ...string) []Word {
	words := make([]Word, len(texts))
	for i, t := range texts {
		words[i] = Lit(t)
	}
	return words
}

// Known reports whether the whole word is known.
func (w Word) Known() bool { return !HasUnknown(w.Text) }

// HasUnknown reports whether a part of the text is unknown.
func HasUnknown(text string) bool {
	return strings.Contains(text, Unknown)
}

// Blank reports whether nothing at all is known of the text.
func Blank(text string) bool {
	return strings.Trim(text, Unknown+" \n\t") == "" && HasUnknown(text)
}

// Show is the word as a person would read it.
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
		return "'" + strings.ReplaceAll(w.Text, "'", `'\''`) + "'"
	}
	return w.Text
}

// Ellipsis shows what is unknown as "…".
func Ellipsis(text string) string {
	return strings.ReplaceAll(text, Unknown, "…")
}

// Join is a command line as a person would read it, at most some 400 bytes.
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

// Texts are the words' texts.
func Texts(words []Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return out
}

// Clip cuts a text to n bytes at a character's start.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// Number reads a PR number as people write it: 5, #5, !5.
func Number(s string) int {
	s = strings.TrimLeft(strings.TrimSpace(s), "#!")
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || len(s) > 9 || s[0] == '+' {
		return 0
	}
	return n
}

// Quoted is the words as shell text that means the same; holes stay.
func Quoted(words []Word) string {
	quoted := Texts(words)
	for i, text := range quoted {
		quoted[i] = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// Has reports whether the list of words holds the name; lists are short and constant.
func Has(list, name string) bool {
	if name == "" || strings.ContainsAny(name, " \n") {
		return false
	}
	space := func(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }
	for from := 0; ; {
		i := strings.Index(list[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || space(list[i-1])) && (end == len(list) || space(list[end])) {
			return true
		}
		from = i + 1
	}
}

// Btoi is 1 for true.
func Btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// IsTrue reports whether a switch is on.
func IsTrue(s string) bool {
	return strings.EqualFold(s, "true") || s == "1" || strings.EqualFold(s, "yes")
}
