package code

import (
	"slices"
	"strings"

	"hooks/internal/guard/word"
)

// maxBrackets bounds brackets within brackets; the parser recurses.
const maxBrackets = 100

// A program is read as brackets: groups of elements between commas. What its operators do is not
// known.
type group struct {
	name  string // what is called: "subprocess.run", ".join"; "" is a list or a block
	open  byte   // ( [ {, 0 for the whole program or a call without brackets
	index bool   // [ ] behind a value
	comma bool   // (x,) is a list
	elems []elem
}

// elem is what stands between two commas or, in a block, one statement.
type elem struct {
	key      string // of key: value, key=value, key => value, name = value
	assigned bool   // by = and its kin
	adds     bool   // by +=
	compared bool   // stands in a comparison: what it names is looked for, not run
	parts    []part
}

// part is one operand: a token, or a group.
type part struct {
	token
	in *group
}

// last is the last of a dotted name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// parser makes groups of tokens.
type parser struct {
	lang  string
	toks  []token
	i     int
	depth int
	deep  bool // brackets nest too deeply: the rest is not read
}

func (p *parser) at(i int) token {
	if i < 0 || i >= len(p.toks) {
		return token{kind: markTok, text: "\n"}
	}
	return p.toks[i]
}

func (p *parser) mark(i int, marks string) bool {
	t := p.at(i)
	return t.kind == markTok && len(t.text) == 1 && strings.Contains(marks, t.text)
}

// group reads up to the bracket that closes it.
func (p *parser) group(name string, open byte) *group {
	g := &group{name: name, open: open}
	if p.depth++; p.depth > maxBrackets {
		p.deep, p.i = true, len(p.toks)
		return g
	}
	defer func() { p.depth-- }()
	block := open == 0 || open == '{'
	var e elem
	end := func() {
		if e.key != "" || len(e.parts) > 0 {
			g.elems = append(g.elems, e)
		}
		e = elem{}
	}
	for p.i < len(p.toks) {
		t := p.toks[p.i]
		switch {
		case p.mark(p.i, ")]}"):
			if open != 0 {
				p.i++
				end()
				return g
			}
			end()
			p.i++
		case p.mark(p.i, ",;"), block && t.text == "\n" && t.kind == markTok && !p.goesOn():
			g.comma = g.comma || t.text == ","
			end()
			p.i++
		case t.kind == markTok && !p.mark(p.i, "([{"):
			p.operator(&e, t.text)
			p.i++
		default:
			p.operand(&e)
		}
	}
	end()
	return g
}

// goesOn reports whether a statement continues on the next line.
func (p *parser) goesOn() bool {
	next := p.at(p.i + 1)
	return p.mark(p.i-1, `=+?&|\`) || next.kind == nameTok && next.text[0] == '.' ||
		p.mark(p.i+1, "+?&|")
}

// operator notes what a mark says of its element.
func (p *parser) operator(e *elem, mark string) {
	prev, next := p.at(p.i-1), p.at(p.i+1)
	switch {
	case mark == ":" && len(e.parts) == 1 && e.key == "" && e.parts[0].in == nil:
		e.key, e.parts = e.parts[0].text, nil
	case mark == "%" && p.lang == "python" && len(e.parts) > 0 &&
		e.parts[len(e.parts)-1].kind == strTok:
		s := &e.parts[len(e.parts)-1]
		s.text = verbs(s.text)
		e.parts = append(e.parts, part{token: token{markTok, "%"}})
	case mark != "=" || prev.kind == markTok && strings.Contains("=!<>", prev.text):
	case next.kind == markTok && strings.Contains("=~", next.text), p.mark(p.i-1, "!<>"):
		e.compared = true
	case len(e.parts) > 0 && e.parts[len(e.parts)-1].in == nil || e.key == "":
		e.assigned = next.text != ">" || next.kind != markTok
		e.adds = p.mark(p.i-1, "+.")
		if n := len(e.parts); n > 0 {
			e.key = e.parts[n-1].text
		}
		e.parts = nil
	default:
		e.assigned, e.parts = true, nil // name: type = value
	}
}

func verbs(s string) string {
	for _, v := range []string{"%s", "%d", "%r", "%i"} {
		s = strings.ReplaceAll(s, v, word.Hole)
	}
	return s
}

// operand adds the next token, or the group that it opens, to an element.
func (p *parser) operand(e *elem) {
	t := p.toks[p.i]
	after := len(e.parts) > 0 && !p.mark(p.i-1, "=+*&|?:%.!<>") && p.at(p.i-1).text != "\n"
	if t.kind == markTok {
		name := ""
		if after && t.text == "(" {
			name = "()" // a call of what stands before it
		}
		p.i++
		in := p.group(name, t.text[0])
		in.index = after && t.text == "["
		e.parts = append(e.parts, part{in: in})
		return
	}
	p.i++
	if t.kind != nameTok {
		e.parts = append(e.parts, part{token: t})
		return
	}
	if t.text[0] == '.' && len(t.text) > 1 && !after {
		t.text = t.text[1:] // ...list
	}
	switch {
	case p.mark(p.i, "("):
		p.i++
		e.parts = append(e.parts, part{in: p.group(t.text, '(')})
	case t.text == "in" && len(e.parts) > 0:
		if e.parts[0].text == "for" {
			e.key, e.parts, e.assigned = e.parts[len(e.parts)-1].text, nil, true
		} else {
			loops := func(pt part) bool { return pt.text == "for" }
			e.compared = !slices.ContainsFunc(e.parts, loops)
		}
	case t.text == "of" && len(e.parts) > 0:
		e.key, e.parts, e.assigned = e.parts[len(e.parts)-1].text, nil, true
	case word.Has(`new await yield return typeof const let var my our not and or if else elif
unless export`, t.text):
	default:
		e.parts = append(e.parts, part{token: t})
	}
}
