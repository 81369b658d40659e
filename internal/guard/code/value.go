package code

import (
	"strings"

	"hooks/internal/guard/word"
)

// learn collects what names are given in a group and below it.
func (p *program) learn(g *group) {
	for i := range g.elems {
		e := &g.elems[i]
		if e.assigned && e.key != "" && (g.open != '(' || g.name == "") {
			p.names[e.key] = append(p.names[e.key], e)
		}
		for _, pt := range e.parts {
			if pt.in == nil {
				continue
			}
			if on, how, ok := strings.Cut(pt.in.name, "."); ok &&
				word.Has("append push extend concat", how) {
				for j := range pt.in.elems {
					pt.in.elems[j].adds = true
					p.names[on] = append(p.names[on], &pt.in.elems[j])
				}
			}
			p.learn(pt.in)
		}
	}
}

// named are the words that a name stands for: those of its one value and of what is added to it. A
// name with several values, or none, is unknown.
func (p *program) named(name string) (words []string, list bool) {
	if known, ok := p.known[name]; ok {
		return known.words, known.list
	}
	p.known[name] = value{words: []string{word.Hole}} // one that stands for itself
	v := value{}
	for i, e := range p.names[name] {
		if i > 0 && !e.adds {
			v = value{}
			break
		}
		words, list := p.words(*e)
		v.list = v.list || list
		if i > 0 && !v.list && len(v.words) == 1 && len(words) == 1 {
			v.words = []string{word.ClipHole(v.words[0] + words[0])}
		} else if len(v.words) < 200 {
			v.words = append(v.words, words...)
		}
	}
	if len(v.words) == 0 {
		v = value{words: []string{word.Hole}}
	}
	p.known[name] = v
	return v.words, v.list
}

// value is what a name is known to stand for.
type value struct {
	words []string
	list  bool
}

// text is an element as one text.
func (p *program) text(e elem) string {
	words, _ := p.words(e)
	return word.ClipHole(strings.Join(words, " "))
}

// words are an element as the words of a command: one text, or those of its lists.
func (p *program) words(e elem) (out []string, list bool) {
	text, open := "", false
	flush := func() {
		if open {
			out = append(out, text)
		}
		text, open = "", false
	}
	add := func(words []string, many bool) {
		if many || len(words) != 1 {
			flush()
			out, list = append(out, words...), true
			return
		}
		text, open = word.ClipHole(text+words[0]), true
	}
	for i, pt := range e.parts {
		if !p.f.M.Spend(1+len(text)/256) || len(out) > 1000 {
			return []string{word.Hole}, false
		}
		switch {
		case pt.kind == markTok && pt.in == nil && pt.text == "%":
			flush()
			return out, list
		case pt.in != nil && unmakes(pt.in) && !ofArguments(e, i):
			return []string{word.Hole}, false
		case pt.in != nil:
			if pt.in.name == ".join" && open && len(pt.in.elems) == 1 {
				words, _ := p.words(pt.in.elems[0])
				text = word.ClipHole(strings.Join(words, text))
			} else if pt.in.name == ".format" && open {
				text = p.format(text, pt.in.elems)
			} else if words, many, ok := p.groupWords(pt.in); ok {
				add(words, many)
			}
		case pt.kind == strTok:
			add([]string{p.fill(pt.text)}, false)
		case pt.kind == execTok:
			add([]string{word.Hole}, false)
		case pt.text[0] == '.' && open:
			return []string{word.Hole}, false // an attribute of a text
		default:
			add(p.nameWords(pt.text))
		}
	}
	flush()
	return out, list
}

func (p *program) nameWords(name string) ([]string, bool) {
	if _, ok := word.Atoi(name); ok {
		return []string{name}, false
	}
	if word.Has("sys.executable process.execPath", name) {
		return []string{"python3"}, false
	}
	return p.named(name)
}

// format puts arguments into the braces of a text.
func (p *program) format(text string, args []elem) string {
	for _, e := range args {
		if i, j := strings.IndexByte(text, '{'), strings.IndexByte(text, '}'); i >= 0 && j > i {
			text = word.ClipHole(text[:i] + p.text(e) + text[j+1:])
		}
	}
	return text
}

// groupWords are the words that a group adds to its element.
func (p *program) groupWords(g *group) (words []string, list, ok bool) {
	switch {
	case g.index || g.open == '{':
		return nil, false, false
	case g.name == "" && (g.open == '[' || g.comma || len(g.elems) != 1), g.name == "list" ||
		g.name == "tuple":
		for _, e := range g.elems {
			w, _ := p.words(e)
			words = append(words, w...)
		}
		return words, true, true
	case g.name != "" && g.name[0] == '.':
		return nil, false, false
	case passes(g.name) && len(g.elems) == 1:
		words, list = p.words(g.elems[0])
		return words, list, true
	case strings.HasSuffix(g.name, ".join") || g.name == "join":
		for _, e := range g.elems {
			words = append(words, p.text(e))
		}
		return []string{strings.Join(words, "/")}, false, true
	}
	on, how, _ := strings.Cut(g.name, ".")
	if word.Has("split join strip trim", how) {
		words, list = p.named(on)
		return words, list, true
	}
	return []string{word.Hole}, false, true
}

// passes reports whether a call returns its argument as text.
func passes(name string) bool {
	return name == "" || word.Has(`str String int Number repr shlex.split shlex.quote quote
os.fspath os.path.expanduser Path pathlib.Path PurePath bytes
Buffer.from b encode`, name)
}

// unmakes reports whether a call makes another text of the one before it: .replace(), [::-1],
// .decode('rot13').
func unmakes(g *group) bool {
	if g.index {
		return true
	}
	if len(g.name) < 2 || g.name[0] != '.' {
		return false
	}
	return !word.Has(`split join format strip trim trimEnd rstrip lstrip encode toString to_s chomp
lower toLowerCase copy slice concat read execute catch then expanduser
resolve absolute`, last(g.name))
}

// ofArguments reports whether an operand is an argument of the program, which is unknown.
func ofArguments(e elem, i int) bool {
	return i > 0 && e.parts[i].in.index && last(e.parts[i-1].text) == "argv"
}

// fill puts known values into a string's slots.
func (p *program) fill(s string) string {
	if !strings.Contains(s, slotMark) {
		return s
	}
	pieces := strings.Split(s, slotMark)
	for i := 1; i < len(pieces); i += 2 {
		words, _ := p.nameWords(pieces[i])
		pieces[i] = strings.Join(words, " ")
	}
	return word.ClipHole(strings.Join(pieces, ""))
}
