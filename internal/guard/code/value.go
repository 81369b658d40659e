package code

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// value is what an expression of a program is known to be: a text, a list, or one of several texts (a loop's name).
type value struct {
	items []string
	list  bool
	each  bool
	pairs []act.Field // of an object or dict
}

func textValue(s string) value { return value{items: []string{word.ClipHole(s)}} }

func (v value) text() string {
	switch {
	case len(v.items) == 0:
		return word.Hole
	case v.list:
		return strings.Join(v.items, " ")
	}
	return v.items[0]
}

// program is a program being read for what it would run.
type program struct {
	f     *shell.Frame
	lang  string
	toks  []token
	names map[string]value
	alias map[string]string // names that stand for others: import x as y, y = x
	depth int
	rest  []word.Word // its command line arguments
	file  bool        // it is a file, not text of a flag
}

func (p *program) tok(i int) token {
	if i < 0 || i >= len(p.toks) {
		return token{kind: markTok}
	}
	return p.toks[i]
}

func (p *program) mark(i int, s string) bool {
	t := p.tok(i)
	return t.kind == markTok && t.text == s && i < len(p.toks)
}

func (p *program) skipLines(i int) int {
	for p.mark(i, "\n") {
		i++
	}
	return i
}

// fill puts known values into a string's slots.
func (p *program) fill(s string) string {
	p.f.M.Spend(len(s) / 64)
	for strings.Contains(s, slotMark) {
		i := strings.Index(s, slotMark)
		j := strings.Index(s[i+len(slotMark):], slotMark)
		if j < 0 {
			return strings.ReplaceAll(s, slotMark, word.Hole)
		}
		name := s[i+len(slotMark) : i+len(slotMark)+j]
		with := word.Hole
		if v, ok := p.names[name]; ok && len(v.items) == 1 {
			with = v.items[0]
		} else if _, ok := word.Atoi(name); ok {
			with = name
		}
		if strings.Contains(with, slotMark) {
			with = word.Hole
		}
		if s = s[:i] + with + s[i+2*len(slotMark)+len(name):]; len(s) > word.MaxText {
			return word.Hole
		}
	}
	return s
}

// expr evaluates the expression that starts at token i and returns the token after it.
func (p *program) expr(i int) (value, int) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > 60 || !p.f.M.Spend(1) {
		return textValue(word.Hole), len(p.toks)
	}
	v, i := p.operand(p.skipInner(i))
	for i < len(p.toks) {
		next := i
		if p.mark(i, "\n") && p.depth > 1 {
			next = p.skipLines(i)
		}
		t := p.tok(next)
		switch {
		case t.kind == markTok && (t.text == "+" || t.text == "." && (p.lang == "perl" || p.lang == "php")):
			w, j := p.operand(p.skipInner(next + 1))
			v, i = concat(v, w), j
		case t.kind == markTok && t.text == "%" && p.lang == "python":
			_, j := p.operand(next + 1)
			v, i = value{items: []string{percent(v.text())}}, j
		case t.kind == strTok && (p.lang == "python" || p.lang == "awk") && !v.list:
			v, i = concat(v, textValue(p.fill(t.text))), next+1
		case t.kind == nameTok && p.lang == "awk" && next == i && t.text[0] == '$':
			v, i = concat(v, textValue(word.Hole)), next+1
		default:
			return v, i
		}
		p.f.M.Spend(len(v.text()) / 64)
	}
	return v, i
}

func (p *program) skipInner(i int) int {
	if p.depth > 1 {
		return p.skipLines(i)
	}
	return i
}

func percent(s string) string {
	for _, verb := range []string{"%s", "%d", "%r", "%i"} {
		s = strings.ReplaceAll(s, verb, word.Hole)
	}
	return s
}

func concat(a, b value) value {
	if a.list || b.list {
		if len(a.items)+len(b.items) > 1000 {
			return value{items: []string{word.Hole}, list: true}
		}
		return value{items: append(a.items[:len(a.items):len(a.items)], b.items...), list: true}
	}
	return textValue(a.text() + b.text())
}

// operand is a string, a name, a bracket, a call, with what is hung on it: .split(), .join(), .format().
func (p *program) operand(i int) (value, int) {
	t := p.tok(i)
	var v value
	switch {
	case i >= len(p.toks):
		return textValue(word.Hole), i
	case t.kind == strTok:
		v, i = textValue(p.fill(t.text)), i+1
	case t.kind == wordTok:
		v, i = value{items: strings.Fields(p.fill(t.text)), list: true}, i+1
	case t.kind == execTok:
		p.shell(p.fill(t.text))
		v, i = textValue(word.Hole), i+1
	case p.mark(i, "[") || p.mark(i, "("), p.mark(i, "{"):
		v, i = p.bracket(i)
	case t.kind == nameTok:
		v, i = p.nameOrCall(i)
	default:
		return textValue(word.Hole), i + 1
	}
	return p.hung(v, i)
}

// bracket evaluates [a, b], (a, b) or {k: v}.
func (p *program) bracket(i int) (value, int) {
	open := p.tok(i).text
	args, end := p.args(i)
	if open == "(" && len(args) == 1 && args[0].key == "" {
		return args[0].val, end
	}
	v := value{list: open != "{"}
	for _, a := range args {
		if a.key != "" {
			v.pairs = append(v.pairs, act.Field{Path: a.key, Value: a.val.text()})
			v.pairs = append(v.pairs, a.val.pairs...)
		}
		v.items = append(v.items, a.val.items...)
	}
	return v, end
}

// arg is one argument, with its key when it is key=value or key: value.
type arg struct {
	key string
	val value
}

// args evaluates what stands in the brackets at i, up to their end.
func (p *program) args(i int) ([]arg, int) {
	var list []arg
	closer := map[string]string{"(": ")", "[": "]", "{": "}"}[p.tok(i).text]
	i++
	for i < len(p.toks) && !p.f.M.Tired() {
		i = p.skipLines(i)
		if p.mark(i, closer) {
			return list, i + 1
		}
		if p.mark(i, ",") || p.mark(i, "&") || p.mark(i, "*") || p.mark(i, "!") || p.mark(i, ";") || p.mark(i, ">") {
			i++
			continue
		}
		a := arg{}
		if key, j := p.key(i); j > i {
			a.key, i = key, j
			if to := p.tok(i); to.kind == nameTok && runner(p.lang, key, key) {
				p.alias[to.text] = key // { execSync: run }
			}
		}
		var end int
		a.val, end = p.expr(i)
		list = append(list, a)
		i = max(end, i+1)
	}
	return list, i
}

// key reads "name =", "name:", "'name':" or "name =>" before an argument's value.
func (p *program) key(i int) (string, int) {
	t := p.tok(i)
	if t.kind != nameTok && t.kind != strTok {
		return "", i
	}
	switch {
	case p.mark(i+1, "=") && p.mark(i+2, ">"):
		return t.text, i + 3
	case p.mark(i+1, ":"), p.mark(i+1, "=") && !p.mark(i+2, "=") && t.kind == nameTok:
		return t.text, i + 2
	}
	return "", i
}

func (p *program) nameOrCall(i int) (value, int) {
	name := p.tok(i).text
	if word.Has("new await yield return typeof const let var my our not and or in if else", name) {
		return p.operand(i + 1)
	}
	if p.mark(i+1, "(") {
		return p.call(name, i+1)
	}
	if p.lang == "php" || p.lang == "perl" || p.lang == "ruby" {
		if v, end, ok := p.bareCall(name, i+1); ok {
			return v, end
		}
	}
	if _, ok := word.Atoi(name); ok {
		return textValue(name), i + 1
	}
	if v, ok := p.names[name]; ok {
		return v, i + 1
	}
	if word.Has("sys.executable process.execPath", name) {
		return textValue("python3"), i + 1
	}
	if strings.HasSuffix(name, ".argv") || name == "ARGV" {
		return value{items: p.argv0(), list: true}, i + 1
	}
	return textValue(word.Hole), i + 1
}

// argv0 is the program's argument list as its language numbers it.
func (p *program) argv0() []string {
	switch p.lang {
	case "python":
		return append([]string{"-c"}, word.Texts(p.rest)...)
	case "node":
		if p.file {
			return append([]string{"node", "file"}, word.Texts(p.rest)...)
		}
		return append([]string{"node"}, word.Texts(p.rest)...)
	}
	return word.Texts(p.rest)
}

// hung applies what is hung on a value.
func (p *program) hung(v value, i int) (value, int) {
	for i < len(p.toks) {
		t := p.tok(i)
		switch {
		case t.kind == nameTok && t.text[0] == '.' && p.mark(i+1, "("):
			args, end := p.args(i + 1)
			v, i = p.method(v, t.text[1:], args), end
		case t.kind == nameTok && t.text[0] == '.':
			i++
		case p.mark(i, "[") && len(v.items) > 0:
			args, end := p.args(i)
			v, i = indexed(v, args), end
		default:
			return v, i
		}
	}
	return v, i
}

func indexed(v value, args []arg) value {
	if len(args) == 1 {
		if n, ok := word.Atoi(args[0].val.text()); ok && v.list && n >= 0 && n < len(v.items) {
			return textValue(v.items[n])
		}
	}
	return textValue(word.Hole)
}

func (p *program) method(v value, name string, args []arg) value {
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch last {
	case "split":
		return splitValue(v, args)
	case "join":
		if v.list {
			return textValue(strings.Join(v.items, argText(args, 0, ",")))
		}
		if len(args) > 0 {
			return textValue(strings.Join(args[0].val.items, v.text()))
		}
	case "format":
		return textValue(formatBraces(v.text(), args))
	case "concat":
		for _, a := range args {
			v = concat(v, a.val)
		}
		return v
	case "strip", "trim", "toString", "encode", "to_s", "chomp", "slice", "copy", "lower", "toLowerCase":
		return v
	case "replace":
		if len(args) > 1 && !word.Unknown(v.text()) {
			return textValue(word.Swap(v.text(), args[0].val.text(), args[1].val.text()))
		}
	}
	p.methodCall(name, last, args, v)
	return value{items: []string{word.Hole}, pairs: prNumberOf(last, args)}
}

func splitValue(v value, args []arg) value {
	if sep := argText(args, 0, " "); sep != " " && sep != word.Hole && sep != "" {
		return value{items: strings.Split(v.text(), sep), list: true}
	}
	return value{items: strings.Fields(v.text()), list: true}
}

func argText(args []arg, i int, other string) string {
	if i < len(args) {
		return args[i].val.text()
	}
	return other
}

func formatBraces(s string, args []arg) string {
	n := 0
	for strings.Contains(s, "{") && n < 20 {
		i := strings.IndexByte(s, '{')
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			break
		}
		s = word.ClipHole(s[:i] + argText(args, n, word.Hole) + s[i+j+1:])
		n++
	}
	return s
}
