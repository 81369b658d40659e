package code

import (
	"strings"

	"hooks/internal/guard/shellword"
)

// maxBrackets bounds brackets within brackets, because every call is read with all that is in it.
const maxBrackets = 100

// pair finds the closing bracket of every opening one, or the end of the program, and the bracket
// around every token.
func (p *program) pair() {
	p.closes, p.inside = make([]int, len(p.toks)), make([]byte, len(p.toks))
	var open []int
	for i, t := range p.toks {
		p.closes[i] = len(p.toks)
		if n := len(open); n > 0 {
			p.inside[i] = p.toks[open[n-1]].text[0]
		}
		switch {
		case p.mark(i, "([{"):
			if open = append(open, i); len(open) > maxBrackets {
				p.f.M.Abort("nested too deeply")
			}
		case t.kind == markTok && p.mark(i, ")]}") && len(open) > 0:
			p.closes[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
}

func (p *program) at(i int) token {
	if i < 0 || i >= len(p.toks) {
		return token{kind: markTok, text: "\n"}
	}
	return p.toks[i]
}

// mark reports whether the token is one of the marks.
func (p *program) mark(i int, marks string) bool {
	t := p.at(i)
	return t.kind == markTok && strings.Contains(marks, t.text)
}

// name is the name that token i is, "" for another token.
func (p *program) name(i int) string {
	if t := p.at(i); t.kind == nameTok && !shellword.Has(keywords, t.text) {
		return t.text
	}
	return ""
}

const keywords = `new await yield return typeof const let var not and or if else elif while for of
in is assert case export default throw raise with as def func function async lambda`

// learn collects the names that are given a value: the text of a name that has only one, and
// whether a value is computed.
func (p *program) learn() {
	for i := range p.toks {
		name, v := p.name(i), p.assigns(i)
		if shellword.Has("def function func", p.at(i-1).text) {
			p.defined[name] = true
		}
		if v == 0 || name == "" {
			continue
		}
		blank := shellword.Blank(strings.Join(p.words(v, p.statement(v)), ""))
		p.computed[name] = p.computed[name] || blank || p.mark(i+1, "+") && p.at(v).kind == strTok
		literal := p.at(v).kind == strTok || isNumber(p.at(v).text)
		if literal && p.mark(v+1, "\n;,)") && !p.defined[name] && !p.mark(i+1, "+") {
			p.values[name] = p.at(v).text
		} else {
			p.values[name] = shellword.Unknown
		}
		p.defined[name] = true
	}
}

func isNumber(text string) bool {
	_, ok := shellword.Atoi(text)
	return ok
}

// assigns gives the place of the value that a name is given by =, := or +=, 0 where it is given
// none.
func (p *program) assigns(i int) int {
	if i++; p.mark(i, ":+") {
		i++
	}
	if !p.mark(i, "=") || p.mark(i+1, "=>") {
		return 0
	}
	return i + 1
}

// statement is the place behind the statement of token i.
func (p *program) statement(i int) int {
	for ; i < len(p.toks) && p.f.M.Burn(shellword.Btoi(i%16 == 0)); i++ {
		switch {
		case p.mark(i, "([{"):
			i = p.closes[i]
		case p.mark(i, ";)]}"), p.mark(i, "\n") && !p.mark(i-1, `=+\`) && !p.mark(i+1, "+"):
			return i
		}
	}
	return len(p.toks)
}

// element is the place of the comma or the bracket behind the element of token i.
func (p *program) element(i int) int {
	for ; i < len(p.toks) && !p.mark(i, ",;)]}") && p.f.M.Burn(shellword.Btoi(i%16 == 0)); i++ {
		if p.mark(i, "([{") {
			i = p.closes[i]
		}
	}
	return min(i, len(p.toks))
}

// key reports whether token i names the value behind it: key=value, {key: value}.
func (p *program) key(i int) bool {
	k := p.at(i).kind
	return k == strTok && p.inside[i] == '{' && p.mark(i+1, ":") ||
		k == nameTok && (p.inside[i] == '{' && p.mark(i+1, ":") || p.assigns(i) == i+2)
}

// words are the literals of a part of the program in their order, as the words of a command. A
// computed part is a hole. Comparisons and named arguments, but for a command, are left out.
func (p *program) words(from, to int) (out []string) {
	glue := false // the next text belongs to the last word
	add := func(text string) {
		if n := len(out); glue && n > 0 {
			out[n-1] = shellword.ClipHole(out[n-1] + text)
		} else if n < 200 {
			out = append(out, text)
		}
		glue = false
	}
	computed := func() {
		if n := len(out); n > 0 && !shellword.HasUnknown(out[n-1]) {
			out[n-1] = shellword.Unknown
		}
	}
	for i := from; i < to && p.f.M.Burn(shellword.Btoi(i%8 == 0)); i++ {
		t := p.toks[i]
		switch {
		case p.key(i):
			if i++; !shellword.Has("args cmd command argv cmdline shell_command", t.text) {
				i = p.element(i)
			}
		case t.kind == strTok:
			glue = glue || p.lang == "python" && i > from && (p.at(i-1).kind == strTok ||
				p.mark(i-1, "\n") && p.at(i-2).kind == strTok)
			add(p.fill(t.text))
		case t.kind == execTok:
			add(shellword.Unknown)
		case p.mark(i, "+,"):
			list := p.mark(i-1, "]") || p.mark(i-1, ")") && p.mark(i-2, ",")
			glue = t.text == "+" && !list
		case p.mark(i, "%") && len(out) > 0:
			verbs := strings.NewReplacer("%s", shellword.Unknown, "%d", shellword.Unknown, "%r",
				shellword.Unknown)
			out[len(out)-1] = verbs.Replace(out[len(out)-1])
			i = p.element(i) - 1
		case p.compares(i):
			return nil
		case p.mark(i, "{") && !p.key(i+1), p.index(i):
			if t.text == "[" {
				computed()
			}
			i = p.closes[i]
		case t.text == "for", t.text == "lambda":
			return out
		case p.name(i) == "":
		case p.mark(i+1, "("):
			i = p.called(i, out, add, computed)
		case t.text[0] == '.':
			computed()
		default:
			add(p.value(t.text))
		}
	}
	return out
}

// compares reports whether token i is a comparison.
func (p *program) compares(i int) bool {
	return p.mark(i, "=!") && p.mark(i+1, "=") || p.at(i).kind == nameTok &&
		shellword.Has("in is", p.at(i).text)
}

// index reports whether a bracket takes a part of the value before it: x[0].
func (p *program) index(i int) bool {
	return p.mark(i, "[") && (p.name(i-1) != "" || p.at(i-1).kind == strTok || p.mark(i-1, ")]"))
}

// called adds the result of the call by name i, and returns the last token of the call.
func (p *program) called(i int, out []string, add func(string), computed func()) int {
	name, end := p.name(i), p.closes[i+1]
	const keeps = "split strip trim rstrip lstrip encode toString execute catch then"
	const returns = `str String int Number list tuple shlex.split shlex.quote quote Path
pathlib.Path bytes`
	how := last(name)
	switch {
	case shellword.Has(returns, name):
		return i // its arguments are the value
	case name == ".format" && len(out) > 0:
		out[len(out)-1] = p.fill(slots(out[len(out)-1], "{"))
	case name == ".join" && p.at(i-1).kind == strTok && len(out) > 0:
		out[len(out)-1] = strings.Join(p.words(i+2, end), out[len(out)-1])
	case name == ".join" && p.mark(i-1, "]"):
	case shellword.Has(keeps, how) && name[0] != '.':
		add(p.value(strings.TrimSuffix(name, "."+how)))
	case name[0] != '.':
		add(shellword.Unknown)
	case !shellword.Has(keeps, how):
		computed()
	}
	return end
}

// value is the text of a name, a hole if it is not known.
func (p *program) value(name string) string {
	switch v, ok := p.values[name]; {
	case isNumber(name):
		return name
	case shellword.Has("sys.executable process.execPath", name):
		return "python3"
	case ok && p.f.M.Burn(1):
		p.values[name] = shellword.Unknown // a name may stand for itself
		text := p.fill(v)
		p.values[name] = v
		return text
	}
	return shellword.Unknown
}

// fill puts the values of names into a text's slots.
func (p *program) fill(text string) string {
	pieces := strings.Split(text, slotMark)
	for i := 1; i < len(pieces); i += 2 {
		pieces[i] = p.value(pieces[i])
	}
	return shellword.ClipHole(strings.Join(pieces, ""))
}

// last is the last of a dotted name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
