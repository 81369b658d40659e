package plain

import (
	"maps"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

const tooDeep = "nested too deeply"

// Run reads shell text in this shell, as eval does.
func (f *Frame) Run(text string) {
	if !f.M.Burn(1 + len(text)/16) {
		return
	}
	if bound := unfit(text); bound != "" {
		f.M.Bounded(bound, text)
		return
	}
	stmts, problem := Parse(text)
	src, outer := f.src, f.names
	f.src, f.names = text, f.set(stmts)
	f.list(stmts)
	f.src, f.names = src, outer
	switch {
	case problem == "" || f.quiet:
	case len(f.via) > 0 && shellword.HasUnknown(text):
		f.Opaque(text, "the text that it runs is only known at run time")
	case f.M.Read.Unparsable == "":
		f.M.Read.Unparsable = problem
	}
}

// set returns the shell's variables together with those that stmts set. If a statement such as read
// may set any variable, all values in words become uncertain (blind).
func (f *Frame) set(stmts []*syntax.Stmt) names {
	n := names{words: maps.Clone(f.names.words), texts: f.names.texts, blind: f.names.blind}
	if n.words == nil {
		n.words = map[string]*syntax.Word{}
	}
	for _, s := range stmts {
		syntax.Walk(s, func(node syntax.Node) bool {
			switch node := node.(type) {
			case *syntax.DeclClause:
				for _, a := range node.Args {
					n.assign(a)
					n.blind = n.blind || a.Name == nil && a.Value != nil && a.Value.Lit() != "-x"
				}
			case *syntax.WordIter:
				n.words[node.Name.Value] = nil
			case *syntax.UnaryArithm:
				n.blind = n.blind || node.Op == syntax.Inc || node.Op == syntax.Dec
			case *syntax.BinaryArithm:
				n.blind = n.blind || strings.HasSuffix(node.Op.String(), "=") &&
					!shellword.Has("== != <= >=", node.Op.String())
			case *syntax.CallExpr:
				if len(node.Args) == 0 {
					for _, a := range node.Assigns {
						n.assign(a)
					}
					break
				}
				name := node.Args[0].Lit()
				n.blind = n.blind || shellword.Has("source . read mapfile readarray getopts unset",
					name) || name == "printf" && len(node.Args) > 1 &&
					strings.HasPrefix(node.Args[1].Lit(), "-v")
			case *syntax.ParamExp: // ${x:=5}
				n.blind = n.blind || node.Exp != nil && (node.Exp.Op == syntax.AssignUnset ||
					node.Exp.Op == syntax.AssignUnsetOrNull)
			}
			return f.M.Burn(1)
		})
	}
	return n
}

// assign records NAME=value. An array, += or a second, different value makes the name unknown.
func (n names) assign(a *syntax.Assign) {
	if a.Name == nil || a.Naked {
		return
	}
	w := a.Value
	if w == nil && a.Array == nil {
		w = &syntax.Word{} // NAME= assigns an empty value
	}
	old, twice := n.words[a.Name.Value]
	same := !twice || old != nil && w != nil && old.Lit() != "" && old.Lit() == w.Lit()
	if a.Append || a.Array != nil || a.Index != nil || !same {
		w = nil
	}
	n.words[a.Name.Value] = w
}

// list reads statements in order until the work budget is exhausted.
func (f *Frame) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		if f.M.Work < 0 {
			return
		}
		f.stmt(s)
	}
}

// stmt reads a statement with its redirections.
func (f *Frame) stmt(s *syntax.Stmt) {
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting {
		f.M.abort(tooDeep)
	}
	if s == nil || !f.M.Burn(1) {
		return
	}
	stdin := f.Stdin
	for _, r := range s.Redirs {
		f.inside(r)
		f.redirect(r)
	}
	f.command(s.Cmd)
	f.Stdin = stdin
}

// command reads one simple or compound command.
func (f *Frame) command(c syntax.Command) {
	switch c := c.(type) {
	case nil:
	case *syntax.CallExpr:
		f.inside(c)
		f.simple(c)
	case *syntax.BinaryCmd:
		f.chain(c)
	case *syntax.Subshell:
		f.Child().list(c.Stmts)
	case *syntax.ForClause:
		f.forClause(c)
	default:
		f.inside(c)
	}
}

// inside reads the statements in a node: bodies, conditions and substitutions.
func (f *Frame) inside(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			f.stmt(n)
			return false
		case *syntax.CmdSubst:
			f.Child().list(n.Stmts)
			return false
		case *syntax.ProcSubst:
			g := f.Child()
			if n.Op == syntax.CmdOut {
				g.Stdin = new(shellword.Unknown)
			}
			g.list(n.Stmts)
			return false
		}
		return f.M.Burn(1)
	})
}

// chain reads a && b, a || b or a pipeline. Each part of a pipeline runs in a subshell.
func (f *Frame) chain(b *syntax.BinaryCmd) {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		f.stmt(b.X)
		f.stmt(b.Y)
		return
	}
	f.Child().stmt(b.X)
	g := f.Child()
	g.Stdin = new(f.printed([]*syntax.Stmt{b.X}))
	g.stmt(b.Y)
}

// forClause reads the body once for each word of the list, or once with an unknown word if the list
// is empty or longer than maxRounds.
func (f *Frame) forClause(c *syntax.ForClause) {
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok || !loop.InPos.IsValid() {
		f.inside(c)
		return
	}
	f.inside(loop)
	items := shellword.Texts(f.Words(loop.Items))
	if len(items) > maxRounds || len(items) == 0 {
		items = []string{shellword.Unknown}
	}
	before := f.names.words
	for _, text := range items {
		f.names.words = maps.Clone(before)
		f.names.words[loop.Name.Value] = &syntax.Word{
			Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}},
		}
		f.list(c.Do)
	}
	f.names.words = before
}

// simple reads a simple command.
func (f *Frame) simple(c *syntax.CallExpr) {
	argv := f.Words(c.Args)
	if len(argv) == 0 {
		return
	}
	g := *f
	for _, a := range c.Assigns {
		if a.Name != nil && a.Array == nil {
			g.Let(a.Name.Value, g.Whole(a.Value).Text)
		}
	}
	g.Exec(argv)
	f.Cwd = g.Cwd
}

// feeds applies a redirection of standard input. It returns false for a redirection of output.
func (f *Frame) feeds(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		f.Stdin = new(f.hereDoc(r))
	case syntax.WordHdoc:
		f.Stdin = new(f.Whole(r.Word).Text + "\n")
	case syntax.RdrIn:
		if r.N == nil || r.N.Value == "0" {
			f.Stdin = new(f.FileText(f.Whole(r.Word).Text))
		}
	case syntax.DplIn:
	default:
		return false
	}
	return true
}

// redirect applies one redirection and records a write to a guarded file.
func (f *Frame) redirect(r *syntax.Redirect) {
	if f.feeds(r) {
		return
	}
	w := f.Whole(r.Word)
	if r.Op == syntax.DplOut && strings.Trim(w.Text, "0123456789-"+shellword.Unknown) == "" ||
		shellword.Has("/dev/null /dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/fd/2", w.Text) {
		return
	}
	f.Writes(w, "> "+w.Show())
	f.Saves()
}

// hereDoc returns the text of a here-document. A quoted delimiter turns off its expansion.
func (f *Frame) hereDoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	b := &builder{f: f}
	end := r.Word.Lit() // empty if quoted
	literal := end == "" || strings.Contains(end, `\`)
	for i, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok && literal {
			b.add(l.Value, true)
			continue
		}
		f.quotedParts(b, r.Hdoc.Parts[i:i+1], "$`\\")
	}
	return b.text.String()
}
