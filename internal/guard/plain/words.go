package plain

import (
	"cmp"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// builder collects the fields of one word. Quoted text stays in one field; an unquoted expansion is
// split at blanks.
type builder struct {
	f     *Frame
	list  []shellword.Word
	text  strings.Builder
	bare  strings.Builder // the unquoted part of text
	open  bool            // the field exists even if it is empty
	split bool
	src   string
}

// add appends text to the field. Glob characters are active in unquoted text.
func (b *builder) add(s string, quoted bool) {
	if !b.f.M.Burn(len(s) / 32) {
		return
	}
	if b.text.Len()+len(s) > 2*shellword.MaxShell {
		s = shellword.Unknown
	}
	b.text.WriteString(s)
	if !quoted {
		b.bare.WriteString(s)
	}
	b.open = b.open || quoted || s != ""
}

// literal appends source text. Outside double quotes, special is empty and a backslash quotes any
// next character. Inside them, a backslash quotes only the characters in special.
func (b *builder) literal(s, special string) {
	quoted := special != ""
	for {
		before, rest, ok := strings.Cut(s, `\`)
		if b.add(before, quoted); !ok {
			return
		}
		switch {
		case rest == "":
			b.add(`\`, true)
			return
		case rest[0] == '\n':
		case quoted && strings.IndexByte(special, rest[0]) < 0:
			b.add(`\`+rest[:1], true)
		default:
			b.add(rest[:1], true)
		}
		s = rest[1:]
	}
}

// expanded appends the result of an expansion. If it is not quoted, blanks split it into fields.
func (b *builder) expanded(s string, quoted bool) {
	if quoted {
		b.add(s, true)
		return
	}
	const blanks = " \t\n"
	for {
		i := strings.IndexAny(s, blanks)
		if i < 0 {
			break
		}
		b.add(s[:i], false)
		b.end()
		s = strings.TrimLeft(s[i:], blanks)
	}
	b.add(s, false)
	b.split = b.split || shellword.HasUnknown(s)
}

func (b *builder) end() {
	if b.open {
		_, behind, _ := strings.Cut(b.bare.String(), "[")
		b.list = append(b.list, shellword.Word{Text: b.text.String(), Src: b.src, Split: b.split,
			Glob: strings.ContainsAny(b.bare.String(), "*?") || strings.Contains(behind, "]")})
	}
	b.text.Reset()
	b.bare.Reset()
	b.open, b.split = false, false
}

// Words expands the words of a command. A brace expansion in a word becomes Unknown.
func (f *Frame) Words(list []*syntax.Word) (out []shellword.Word) {
	for _, w := range list {
		b := &builder{f: f, src: f.source(w)}
		split := &syntax.Word{Parts: w.Parts}
		syntax.SplitBraces(split)
		f.parts(b, split.Parts, false)
		b.end()
		if out = append(out, b.list...); !f.M.Burn(1 + len(b.list)) {
			break
		}
	}
	return out
}

// source returns the source text of a word.
func (f *Frame) source(w *syntax.Word) string {
	if len(w.Parts) == 0 {
		return ""
	}
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	if from > to || to > len(f.src) {
		return ""
	}
	return f.src[from:to]
}

// Whole expands a word that is not split into fields, such as a value or a redirection target.
func (f *Frame) Whole(w *syntax.Word) shellword.Word {
	if w == nil {
		return shellword.Word{}
	}
	b := &builder{f: f, src: f.source(w)}
	f.parts(b, w.Parts, true)
	return shellword.Word{Text: b.text.String(), Src: b.src}
}

func (f *Frame) parts(b *builder, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.literal(p.Value, "")
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = shellword.Unescape(text)
			}
			b.add(text, true)
		case *syntax.DblQuoted:
			b.add("", true)
			f.quotedParts(b, p.Parts, "$`\"\\")
		case *syntax.ParamExp:
			b.expanded(f.param(p), quoted)
		case *syntax.CmdSubst:
			b.expanded(strings.TrimRight(f.Child().printed(p.Stmts), "\n"), quoted)
		case *syntax.ExtGlob:
			b.add("*", false)
		case *syntax.ProcSubst:
			b.add("/dev/fd/"+shellword.Unknown, true)
		default: // arithmetic, braces
			b.expanded(shellword.Unknown, quoted)
		}
	}
}

// quotedParts appends the parts of quoted text. A backslash quotes only the characters in special.
func (f *Frame) quotedParts(b *builder, parts []syntax.WordPart, special string) {
	for i, p := range parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.literal(l.Value, special)
			continue
		}
		f.parts(b, parts[i:i+1], true)
	}
}

// param returns the value of $x or ${x}, and Unknown for an expansion with an operator.
func (f *Frame) param(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet || p.Names != 0 ||
		len(p.Modifiers) > 0 || p.Flags != nil || p.Index != nil || p.Slice != nil ||
		p.Repl != nil || p.Exp != nil {
		return shellword.Unknown
	}
	return f.value(p.Param.Value)
}

// WordsOf splits text into words as a shell would, or at whitespace if that fails.
func (f *Frame) WordsOf(text string) []shellword.Word {
	h := f.Child()
	h.src = "x " + text
	stmts, _ := Parse(h.src)
	if len(stmts) == 1 {
		if c, ok := stmts[0].Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			return h.Words(c.Args[1:])
		}
	}
	return shellword.Lits(strings.Fields(text)...)
}

// printed returns the output of a single statement that is $(< file), echo, cat, pwd, or a git
// command that prints the branch or the top-level directory. Otherwise it returns Unknown.
func (f *Frame) printed(stmts []*syntax.Stmt) string {
	if len(stmts) != 1 || f.nest > maxNesting || stmts[0].Negated || !f.M.Burn(1) {
		return shellword.Unknown
	}
	s := stmts[0]
	g := f.Child()
	g.nest++
	for _, r := range s.Redirs {
		if !g.feeds(r) {
			return shellword.Unknown
		}
	}
	if s.Cmd == nil && len(s.Redirs) > 0 { // $(< file)
		return g.Input()
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || len(c.Assigns) > 0 {
		return shellword.Unknown
	}
	words := shellword.Texts(g.Words(c.Args))
	switch line := strings.Join(words, " "); {
	case len(words) > 1 && words[0] == "echo":
		text := strings.TrimPrefix(line[len("echo "):], "-n ")
		if strings.HasPrefix(text, "-") {
			return shellword.Unknown
		}
		return text + "\n"
	case line == "cat":
		return g.Input()
	case len(words) > 1 && words[0] == "cat":
		text := ""
		for _, file := range words[1:] {
			text += g.FileText(file)
		}
		return text
	case line == "pwd", line == "git rev-parse --show-toplevel":
		return g.value("PWD") + "\n"
	case line == "git branch --show-current", line == "git rev-parse --abbrev-ref HEAD",
		line == "git symbolic-ref --short HEAD", line == "git name-rev --name-only HEAD":
		return cmp.Or(g.Branch(g.Place()), shellword.Unknown) + "\n"
	}
	return shellword.Unknown
}
