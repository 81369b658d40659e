package shell

import (
	"slices"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// simple runs a simple command, once for each value that its variables may hold. Where several of
// them have more than one, it runs once more with these unknown, for the combinations left out.
func (f *Frame) simple(c *syntax.CallExpr) string {
	if f.M.round != nil {
		return f.once(c)
	}
	r := &round{}
	f.M.round = r
	defer func() { f.M.round = nil }()
	out := f.once(c)
	for r.n = 1; r.n < r.rounds && !f.M.Exhausted(); r.n++ {
		if f.once(c) != out {
			out = shellword.Unknown
		}
	}
	if r.mixed {
		r.blur = true
		f.once(c)
		out = shellword.Unknown
	}
	return out
}

func (f *Frame) once(c *syntax.CallExpr) string {
	argv := f.words(c.Args)
	if len(argv) == 0 {
		for _, a := range c.Assigns {
			f.assign(a)
		}
		f.status = Maybe
		return ""
	}
	defer f.prefix(c.Assigns)()
	return f.Exec(argv)
}

// prefix sets the variables of X=1 cmd until the result is called.
func (f *Frame) prefix(assigns []*syntax.Assign) (restore func()) {
	if len(assigns) == 0 {
		return func() {}
	}
	before := f.copyVars()
	for _, a := range assigns {
		f.assign(a)
		f.Export(a.Name.Value)
	}
	return func() {
		for _, a := range assigns {
			name := a.Name.Value
			if v, ok := before[name]; ok {
				f.vars[name] = v
			} else {
				delete(f.vars, name)
			}
		}
	}
}

// assign performs one assignment.
func (f *Frame) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	old, known := f.vars[name]
	if a.Append && !f.M.Burn(old.size()/16) { // the old value is copied
		return
	}
	switch {
	case a.Array != nil:
		f.assignArray(name, a, old)
	case a.Index != nil: // which element it is does not matter
		f.arith(a.Index)
		f.Whole(a.Value)
		f.vars[name] = variable{array: true, vals: []string{shellword.Unknown}, out: old.out}
	case a.Naked:
		f.vars[name] = old
	default:
		f.assignScalar(name, a, old, known)
	}
	f.RunsLater(name)
}

func (f *Frame) assignScalar(name string, a *syntax.Assign, old variable, known bool) {
	value := f.Whole(a.Value).Text
	switch {
	case !a.Append || known && len(old.vals) == 0:
		f.Set(name, value)
		return
	case !known:
		f.Set(name, shellword.Unknown+value)
		return
	case old.array:
		old.vals = append(slices.Clone(old.vals), value)
	default:
		old.vals = slices.Clone(old.vals)
		for i, s := range old.vals {
			old.vals[i] = shellword.ClipHole(s + value)
		}
	}
	f.vars[name] = old
}

func (f *Frame) assignArray(name string, a *syntax.Assign, old variable) {
	v := variable{array: true, out: old.out}
	if a.Append {
		v.vals = slices.Clone(old.vals)
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			f.arith(e.Index)
			v.vals = append(v.vals, shellword.Unknown)
		}
		v.vals = append(v.vals, shellword.Texts(f.words([]*syntax.Word{e.Value}))...)
	}
	f.vars[name] = v
}

// RunsLater looks at variables whose value some program runs, such as PAGER.
func (f *Frame) RunsLater(name string) {
	const runs = `GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER GIT_PAGER
GH_PAGER GLAB_PAGER MANPAGER GH_BROWSER BROWSER GH_EDITOR GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS
PROMPT_COMMAND GIT_PROXY_COMMAND LESSOPEN RUSTC_WRAPPER MAKESHELL`
	if text := f.Env(name); text != "" && shellword.Has(runs, name) {
		f.Look("$"+name, text)
	}
}

// Look reads text that some program would run in a shell later on. Only acts count, not what cannot
// be resolved.
func (f *Frame) Look(wrapper, text string) {
	defer f.Through(wrapper)()
	g := f.Child()
	g.quiet = true
	g.Run(text)
}

// declClause is declare, local, export, readonly, typeset and nameref.
func (f *Frame) declClause(c *syntax.DeclClause) {
	exports, ref := c.Variant.Value == "export", c.Variant.Value == "nameref"
	for _, a := range c.Args {
		if a.Name == nil {
			text := f.Whole(a.Value).Text
			flags := strings.HasPrefix(text, "-")
			ref = ref || flags && strings.Contains(text, "n") && c.Variant.Value != "export"
			exports = exports || flags && strings.Contains(text, "x")
			f.declareText(text, exports)
			continue
		}
		name := a.Name.Value
		fn, isFunc := f.funcs[name]
		switch {
		case isFunc && exports && a.Naked:
			fn.exported = true
			f.funcs[name] = fn
			continue
		case !a.Naked || !f.Known(name):
			f.assign(a)
		}
		if ref { // another variable's name
			f.Set(name, shellword.Unknown)
		}
		if exports {
			f.Export(name)
		}
	}
	f.status = Yes
}

// declareText sets NAME=value from an expanded word, and marks the name as exported.
func (f *Frame) declareText(text string, exports bool) {
	name, value, ok := strings.Cut(text, "=")
	if ok && syntax.ValidName(name) {
		f.Set(name, value)
		f.RunsLater(name)
	}
	if exports {
		f.Export(name)
	}
}

// behindFunc mends what the parser makes of f() { …; } && x: it takes the whole chain for the
// function's body, where bash takes the braces alone. It is that chain with the function as its
// first part, nil when there is none.
func behindFunc(c *syntax.FuncDecl) syntax.Command {
	b, ok := c.Body.Cmd.(*syntax.BinaryCmd)
	if !ok {
		return nil
	}
	top := *b
	at := &top
	for {
		x, ok := at.X.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		inner, stmt := *x, *at.X
		stmt.Cmd, at.X = &inner, &stmt
		at = &inner
	}
	fn := *c
	fn.Body = at.X
	at.X = &syntax.Stmt{Cmd: &fn, Position: at.X.Position}
	return &top
}

// declare keeps a function for when it is called; a body that is never called does nothing.
func (f *Frame) declare(c *syntax.FuncDecl) {
	names := c.Names // of zsh
	if c.Name != nil {
		names = append(names, c.Name)
	}
	for _, n := range names {
		old := f.funcs[n.Value] // an exported one stays exported
		f.funcs[n.Value] = function{body: c.Body, src: f.src, exported: old.exported}
	}
	if len(names) == 0 {
		f.stmt(c.Body)
	}
	f.status = Yes
}
