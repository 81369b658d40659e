package code

import (
	"strings"

	"hooks/internal/guard/shellword"
)

// token is one piece of a program. A name keeps its dots ("os.system"); a number is a name.
type token struct {
	kind tokenKind
	text string
}

type tokenKind byte

const (
	nameTok tokenKind = iota
	strTok
	execTok // a string that the language itself runs: $`…` in zx
	markTok
)

// lexer cuts a program into tokens. Of the language it knows the quotes and the comments.
type lexer struct {
	lang string
	src  string
	i    int
	toks []token
}

func lex(lang, src string) []token {
	l := &lexer{lang: lang, src: src}
	for l.i < len(l.src) {
		l.next()
	}
	return l.toks
}

func (l *lexer) add(kind tokenKind, text string) { l.toks = append(l.toks, token{kind, text}) }

func (l *lexer) at(s string) bool { return strings.HasPrefix(l.src[l.i:], s) }

// skip moves behind the next end mark, or to the end of the program.
func (l *lexer) skip(end string) {
	_, rest, _ := strings.Cut(l.src[l.i:], end)
	l.i = len(l.src) - len(rest)
}

func (l *lexer) next() {
	c := l.src[l.i]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		l.i++
	case l.at("/*") && l.lang != "python":
		l.skip("*/")
	case l.at("//") && l.lang != "python", c == '#' && (l.lang == "python" || l.i == 0):
		l.skip("\n")
		l.add(markTok, "\n")
	case c == '"' || c == '\'' || c == '`':
		l.quote("")
	case c == '/' && l.lang == "node" && l.regexStarts():
		l.regex()
	case l.at("..."):
		l.i += 3
		l.add(markTok, "*")
	case shellword.NameByte(c),
		c == '.' && l.i+1 < len(l.src) && shellword.NameByte(l.src[l.i+1]):
		l.name()
	default:
		l.add(markTok, l.src[l.i:l.i+1])
		l.i++
	}
}

func (l *lexer) regexStarts() bool {
	for k := len(l.toks) - 1; k >= 0; k-- {
		if t := l.toks[k]; t.text != "\n" {
			return t.kind == markTok && strings.Contains("(,=:[!&|?{};", t.text) ||
				t.text == "return"
		}
	}
	return true
}

func (l *lexer) regex() {
	class := false
	for l.i++; l.i < len(l.src) && l.src[l.i] != '\n'; l.i++ {
		switch c := l.src[l.i]; {
		case c == '\\':
			l.i++
		case c == '[' || c == ']':
			class = c == '['
		case c == '/' && !class:
			l.i++
			l.add(markTok, "/")
			return
		}
	}
}

func (l *lexer) name() {
	var name strings.Builder
	for l.i < len(l.src) {
		if l.at("?.") {
			l.i++
		}
		c := l.src[l.i]
		dot := c == '.' && l.i+1 < len(l.src) && shellword.NameByte(l.src[l.i+1])
		if !dot && !shellword.NameByte(c) {
			break
		}
		name.WriteByte(c)
		l.i++
	}
	text := name.String()
	low := strings.ToLower(text)
	switch {
	case l.lang == "python" && strings.Trim(low, "rfbu") == "" && (l.at(`"`) || l.at("'")):
		l.quote(low)
	case l.at("`") &&
		(strings.HasSuffix(text, "$") || shellword.Has("sh exec shell run cmd", text)):
		l.quote("$")
	default:
		l.add(nameTok, text)
	}
}

// quote reads a string. prefix is Python's r, f, b, or the $ of a shell template.
func (l *lexer) quote(prefix string) {
	q := l.src[l.i : l.i+1]
	if l.lang == "python" && l.at(q+q+q) {
		q = q + q + q
	}
	goRaw := l.lang == "go" && q == "`"
	start := l.i + len(q)
	end := start
	for end < len(l.src) && !strings.HasPrefix(l.src[end:], q) {
		end += 1 + shellword.Btoi(l.src[end] == '\\' && !goRaw)
	}
	text := l.src[start:min(end, len(l.src))]
	l.i = min(end+len(q), len(l.src))
	if !goRaw && !strings.Contains(prefix, "r") {
		text = shellword.Unescape(text, true)
	}
	switch {
	case strings.Contains(prefix, "f"):
		text = slots(text, "{")
	case q == "`" && l.lang == "node":
		text = slots(text, "${")
	}
	if prefix == "$" {
		l.add(execTok, text)
	} else {
		l.add(strTok, text)
	}
}

// slotMark encloses the name of a value in a string: f"{x}", `${x}`.
const slotMark = "\ue002"

func slots(text, open string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, open)
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return out.String() + text
		}
		out.WriteString(before + slotMark + strings.TrimSpace(name) + slotMark)
		text = after
	}
}
