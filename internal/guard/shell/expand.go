package shell

import (
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// builder gathers the fields of one word: quoted text stays whole, unquoted expansions are split at
// IFS.
type builder struct {
	f      *Frame
	list   []shellword.Word
	text   strings.Builder
	pat    strings.Builder
	open   bool // the field exists even when empty
	glob   bool
	split  bool
	source string
}

// take reports whether more text may be added; a field too long ends in a hole, and text is work.
func (b *builder) take(s string) bool {
	if !b.f.M.Burn(len(s) / 32) {
		return false
	}
	if b.text.Len()+len(s) > 2*shellword.MaxShell {
		if !strings.HasSuffix(b.text.String(), shellword.Unknown) {
			b.text.WriteString(shellword.Unknown)
		}
		return false
	}
	return true
}

// quote adds text without live pattern characters.
func (b *builder) quote(s string) {
	if !b.take(s) {
		return
	}
	b.text.WriteString(s)
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]\`, s[i]) >= 0 {
			b.pat.WriteByte('\\')
		}
		b.pat.WriteByte(s[i])
	}
	b.open = true
}

// bare adds unquoted text in which pattern characters are alive.
func (b *builder) bare(s string) {
	if s == "" || !b.take(s) {
		return
	}
	b.text.WriteString(s)
	b.pat.WriteString(s)
	b.glob = b.glob || strings.ContainsAny(s, "*?[")
	b.open = true
}

// literal adds literal text in which a backslash quotes the next character. Between double quotes
// it quotes the special ones only.
func (b *builder) literal(s, special string) {
	add := b.bare
	if special != "" {
		add = b.quote
	}
	for {
		before, rest, ok := strings.Cut(s, `\`)
		add(before)
		switch {
		case !ok:
			return
		case rest == "":
			b.quote(`\`)
			return
		case rest[0] == '\n':
		case special != "" && strings.IndexByte(special, rest[0]) < 0:
			b.quote(`\` + rest[:1])
		default:
			b.quote(rest[:1])
		}
		s = rest[1:]
	}
}

// scatter adds the value of an unquoted expansion.
func (b *builder) scatter(s string) {
	ifs := b.f.ifs()
	for {
		i := strings.IndexAny(s, ifs)
		if i < 0 || ifs == "" {
			break
		}
		if i > 0 {
			b.bare(s[:i])
		}
		b.end()
		s = strings.TrimLeft(s[i:], ifs)
	}
	b.bare(s)
	b.split = b.split || shellword.HasUnknown(s)
}

func (b *builder) end() {
	if b.open {
		w := shellword.Word{Text: b.text.String(), Src: b.source, Split: b.split}
		if b.glob && live(b.pat.String()) {
			w.Pat = b.pat.String()
		}
		b.list = append(b.list, w)
	}
	b.text.Reset()
	b.pat.Reset()
	b.open, b.glob, b.split = false, false, false
}

// live reports whether a text is a pattern, and no lone bracket as in [ a = b ].
func live(pat string) bool {
	_, behind, _ := strings.Cut(pat, "[")
	return strings.ContainsAny(pat, "*?") || strings.Contains(behind, "]")
}

func (f *Frame) ifs() string {
	v, _ := f.lookup("IFS")
	if len(v.vals) == 0 || shellword.HasUnknown(v.vals[0]) {
		return " \t\n"
	}
	return v.vals[0]
}

// words expands words as bash does: braces, then parameters and substitutions, then splitting.
func (f *Frame) words(list []*syntax.Word) []shellword.Word {
	var out []shellword.Word
	for _, w := range list {
		for _, parts := range f.braces(w) {
			b := &builder{f: f, source: f.source(w)}
			f.parts(b, parts, false)
			b.end()
			out = append(out, b.list...)
			if !f.M.Burn(1 + len(b.list)) {
				return out
			}
		}
	}
	return out
}

// source is a word as it was written.
func (f *Frame) source(w *syntax.Word) string {
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	if from > to || to > len(f.src) {
		return ""
	}
	return f.src[from:to]
}

// Whole expands a word that stays one field: a value, a target, one side of a test.
func (f *Frame) Whole(w *syntax.Word) shellword.Word {
	if w == nil {
		return shellword.Word{}
	}
	f.M.Burn(1)
	b := &builder{f: f, source: f.source(w)}
	f.parts(b, w.Parts, true)
	fields := append(shellword.Texts(b.list), b.text.String())
	return shellword.Word{Text: strings.Join(fields, " "), Src: b.source}
}

// pattern expands a word into a pattern. Characters of quoted parts are escaped.
func (f *Frame) pattern(w *syntax.Word) string {
	b := &builder{f: f}
	f.parts(b, w.Parts, false)
	return b.pat.String()
}

// parts adds the parts of a word. When they are whole, what they expand to is not split.
func (f *Frame) parts(b *builder, parts []syntax.WordPart, whole bool) {
	for _, p := range parts {
		f.part(b, p, whole)
	}
}

func (f *Frame) part(b *builder, p syntax.WordPart, whole bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.literal(p.Value, "")
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			text = shellword.Unescape(text, true)
		}
		b.quote(text)
	case *syntax.DblQuoted:
		b.quote("")
		for _, q := range p.Parts {
			f.quotedPart(b, q, "$`\"\\")
		}
	case *syntax.ParamExp:
		f.addParam(b, p, whole)
	case *syntax.CmdSubst:
		if out := f.substitute(p); whole {
			b.quote(out)
		} else {
			b.scatter(out)
		}
	case *syntax.ArithmExp:
		b.quote(f.arith(p.X))
	case *syntax.ProcSubst:
		b.quote(f.procSubst(p))
	case *syntax.ExtGlob:
		b.bare("*")
	}
}

// quotedPart adds a part of a quoted text, where a backslash quotes the special characters only.
func (f *Frame) quotedPart(b *builder, p syntax.WordPart, special string) {
	if l, ok := p.(*syntax.Lit); ok {
		b.literal(l.Value, special)
		return
	}
	f.part(b, p, true)
}

// substitute runs a command substitution and gives its output without the last line ends.
func (f *Frame) substitute(c *syntax.CmdSubst) string {
	g := f.Child()
	defer g.Through("$(…)")()
	g.via = f.via // a substitution is no wrapper worth naming
	return strings.TrimRight(g.list(c.Stmts), "\n")
}

// procSubst runs <(…) into a file that later words can read. What >(…) reads is unknown.
func (f *Frame) procSubst(p *syntax.ProcSubst) string {
	g := f.Child()
	path := f.TempFile()
	if p.Op == syntax.CmdOut {
		g.Stdin = &Stream{Text: shellword.Unknown}
		g.list(p.Stmts)
		return path
	}
	f.M.fs[path] = written{text: g.list(p.Stmts)}
	return path
}
