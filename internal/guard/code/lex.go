package code

import (
	"strings"

	"hooks/internal/guard/word"
)

// token is one piece of a program: a name (with its dots: "os.system"), a string, a number, a mark.
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

// lexer cuts a program of a language that it knows only by its quotes and comments.
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

func (l *lexer) next() {
	c := l.src[l.i]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		l.i++
	case c == '\n':
		l.add(markTok, "\n")
		l.i++
	case l.comment():
	case c == '"' || c == '\'' || c == '`':
		l.quote("")
	case c == '/' && l.lang == "node" && l.regexHere():
		l.skipRegex()
	case word.NameByte(c) || c == '.' && l.i+1 < len(l.src) && word.NameByte(l.src[l.i+1]):
		l.name()
	default:
		l.add(markTok, l.src[l.i:l.i+1])
		l.i++
	}
}

func (l *lexer) comment() bool {
	switch {
	case l.at("/*") && word.Has("node go", l.lang):
		_, rest, _ := strings.Cut(l.src[l.i+2:], "*/")
		l.i = len(l.src) - len(rest)
	case l.at("//") && l.lang != "python", l.at("#") && (l.lang == "python" || l.i == 0):
		line, _, _ := strings.Cut(l.src[l.i:], "\n")
		l.i += len(line)
	default:
		return false
	}
	return true
}

func (l *lexer) regexHere() bool {
	for k := len(l.toks) - 1; k >= 0; k-- {
		t := l.toks[k]
		if t.text == "\n" {
			continue
		}
		return t.kind == markTok && strings.Contains("(,=:[!&|?{};", t.text) ||
			t.kind == nameTok && t.text == "return"
	}
	return true
}

func (l *lexer) skipRegex() {
	class := false
	for l.i++; l.i < len(l.src) && l.src[l.i] != '\n'; l.i++ {
		switch l.src[l.i] {
		case '\\':
			l.i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				l.i++
				l.add(markTok, "/re/")
				return
			}
		}
	}
}

func (l *lexer) name() {
	start := l.i
	l.i++
	for l.i < len(l.src) {
		switch {
		case word.NameByte(l.src[l.i]):
			l.i++
		case l.at("::"), l.at("?."), l.at("->") && l.i+2 < len(l.src) && word.NameByte(l.src[l.i+2]):
			l.i += 2
		case l.src[l.i] == '.' && l.i+1 < len(l.src) && word.NameByte(l.src[l.i+1]):
			l.i++
		default:
			l.endName(start)
			return
		}
	}
	l.endName(start)
}

func (l *lexer) endName(start int) {
	name := l.src[start:l.i]
	low := strings.ToLower(name)
	prefix := l.lang == "python" && len(name) <= 2 && strings.Trim(low, "rfbu") == ""
	if prefix && (l.at(`"`) || l.at("'")) {
		l.quote(low)
		return
	}
	if l.at("`") && (strings.HasSuffix(name, "$") || word.Has("sh exec shell run cmd", name)) {
		l.quote("$")
		return
	}
	name = strings.NewReplacer("::", ".", "?.", ".", "->", ".").Replace(name)
	l.add(nameTok, name)
}

// quote reads a string; prefix is Python's r, f, b or the $ of a shell template.
func (l *lexer) quote(prefix string) {
	q := l.src[l.i : l.i+1]
	if l.at(strings.Repeat(q, 3)) && l.lang == "python" {
		q = strings.Repeat(q, 3)
	}
	start := l.i + len(q)
	end := start
	for end < len(l.src) && !strings.HasPrefix(l.src[end:], q) {
		if l.src[end] == '\\' && !(l.lang == "go" && q == "`") {
			end++
		}
		end++
	}
	raw := l.src[start:min(end, len(l.src))]
	l.i = min(end+len(q), len(l.src))
	text := raw
	if !strings.Contains(prefix, "r") && !(l.lang == "go" && q == "`") {
		text = word.Unescape(raw, true)
	}
	kind := strTok
	if q == "`" && prefix == "$" {
		kind = execTok
	}
	l.add(kind, l.filled(text, q, prefix))
}

// filled puts holes where a string takes values: f"{x}", `${x}`, "#{x}", "$x".
func (l *lexer) filled(text, q, prefix string) string {
	switch {
	case strings.Contains(prefix, "f"):
		return holes(text, "{", '}')
	case q == "`" && l.lang == "node":
		return holes(text, "${", '}')
	}
	return text
}

// holes replaces what stands between the opener and the closer. The name inside is kept between
// holes' marks so that a variable's value can be put there: hole, name, hole.
func holes(text, open string, closer byte) string {
	var out strings.Builder
	for {
		i := strings.Index(text, open)
		if i < 0 {
			break
		}
		j := strings.IndexByte(text[i:], closer)
		if j < 0 {
			break
		}
		out.WriteString(text[:i])
		out.WriteString(slot(text[i+len(open) : i+j]))
		text = text[i+j+1:]
	}
	return out.String() + text
}

const slotMark = "\ue002"

// slot stands for a named value in a string until the values are known.
func slot(name string) string { return slotMark + strings.TrimSpace(name) + slotMark }
