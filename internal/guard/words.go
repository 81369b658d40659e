package guard

import (
	"strconv"
	"strings"
)

// Unknown text stands in a word as a private character: hole for anything, soft for the output of programs that set up
// an environment (direnv, ssh-agent, brew shellenv), which is unknown but no way to a forge.
const (
	hole = "\ue000"
	soft = "\ue001"
)

// maxText bounds one text before it is parsed, in bytes: the parser recurses.
const maxText = 64 << 10

// word is one expanded word of a command.
type word struct {
	text  string
	pat   string // the word as a glob pattern when it holds unquoted * ? or [, else ""
	src   string // as written
	split bool   // unknown unquoted text: none, one or several words
	raw   bool   // not of a shell: shown as it stands
}

func lit(text string) word { return word{text: text} }

func lits(texts ...string) []word {
	words := make([]word, len(texts))
	for i, t := range texts {
		words[i] = lit(t)
	}
	return words
}

func (w word) known() bool { return !unknown(w.text) }

func unknown(text string) bool {
	return strings.Contains(text, hole) || strings.Contains(text, soft)
}

// blank tells whether nothing at all is known of the text.
func blank(text string) bool {
	return strings.Trim(text, hole+soft+" \n\t") == "" && unknown(text)
}

// show is the word as a person would read it.
func (w word) show() string {
	if w.raw {
		return w.text
	}
	if !w.known() {
		if w.src != "" && !unknown(w.src) {
			return clip(w.src, 120)
		}
		return strings.NewReplacer(hole, "…", soft, "…").Replace(w.text)
	}
	if w.text == "" || strings.ContainsAny(w.text, " \t\n'\"$`\\;&|<>()*?#!") {
		return "'" + strings.ReplaceAll(w.text, "'", `'\''`) + "'"
	}
	return w.text
}

func joinWords(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.show())
		if b.Len() > 400 {
			break
		}
	}
	return b.String()
}

// texts are the words' texts.
func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}

// clip cuts a text to n bytes at a character's start.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// number reads a PR number as people write it: 5, #5, !5.
func number(s string) int {
	s = strings.TrimLeft(strings.TrimSpace(s), "#!")
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 || len(s) > 9 || s[0] == '+' {
		return 0
	}
	return n
}

// quoted is the words as shell text that means the same; holes stay.
func quoted(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(w.text, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// has tells whether the list holds the word; lists are short and constant.
func has(list, name string) bool {
	if name == "" || strings.ContainsAny(name, " \n") {
		return false
	}
	for rest := list; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || rest[i-1] == ' ' || rest[i-1] == '\n' || rest[i-1] == '\t') &&
			(end == len(rest) || rest[end] == ' ' || rest[end] == '\n' || rest[end] == '\t') {
			return true
		}
		rest = rest[end:]
	}
}

// atoi reads a decimal number.
func atoi(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil && len(s) < 12
}

func digits(name string) (int, bool) {
	if name == "" || len(name) > 4 {
		return 0, false
	}
	n := 0
	for _, c := range name {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n > 0
}

// clipHole bounds a text that is passed on; what is cut off is unknown.
func clipHole(s string) string {
	if len(s) > maxText {
		return s[:maxText/2] + hole
	}
	return s
}

// swap is strings.ReplaceAll for texts from outside: a result too long is unknown.
func swap(s, old, with string) string {
	if old == "" || len(s)+strings.Count(s, old)*len(with) > 2*maxText {
		return hole
	}
	return strings.ReplaceAll(s, old, with)
}

func blankSoft(text string) bool {
	return strings.Trim(text, soft+" \n\t") == "" && strings.Contains(text, soft)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isTrue(s string) bool {
	return strings.EqualFold(s, "true") || s == "1" || strings.EqualFold(s, "yes")
}
