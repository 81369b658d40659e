package shell

import (
	"fmt"
	"strings"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// simple runs a simple command: once for every combination of values that its variables may hold, up to a bound.
func (f *Frame) simple(c *syntax.CallExpr) string {
	if f.M.picks != nil {
		return f.once(c)
	}
	p := &picks{}
	f.M.picks = p
	defer func() { f.M.picks = nil }()
	out := ""
	for round := 0; round < maxPicks; round++ {
		got := f.once(c)
		if round == 0 {
			out = got
		} else if got != out {
			out = word.Hole
		}
		if f.M.Tired() || !p.next() {
			return out
		}
	}
	p.blur = true
	f.once(c)
	return word.Hole
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
	restore := f.prefix(c.Assigns)
	defer restore()
	return f.Exec(argv)
}

// prefix sets the variables of X=1 cmd for the command and looks at what they make other programs run.
func (f *Frame) prefix(assigns []*syntax.Assign) (restore func()) {
	if len(assigns) == 0 {
		return func() {}
	}
	saved := map[string]*variable{}
	for _, a := range assigns {
		name := a.Name.Value
		if _, ok := saved[name]; !ok {
			saved[name] = nil
			if v, ok := f.vars[name]; ok {
				saved[name] = &v
			}
		}
		f.assign(a)
		f.Export(name)
	}
	return func() {
		for name, v := range saved {
			if v == nil {
				delete(f.vars, name)
			} else {
				f.vars[name] = *v
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
	switch {
	case a.Array != nil:
		f.assignArray(a)
	case a.Index != nil:
		f.assignElement(a)
	case a.Naked:
		if _, ok := f.vars[name]; !ok {
			f.vars[name] = variable{}
		}
	default:
		f.assignScalar(a)
	}
	f.RunsLater(name)
}

// size is what a copy of a variable costs, in bytes.
func (v variable) size() int {
	n := 16 * len(v.list)
	for _, s := range v.alts {
		n += len(s)
	}
	return n
}

func (f *Frame) assignScalar(a *syntax.Assign) {
	name := a.Name.Value
	value := ""
	if a.Value != nil {
		value = f.Whole(a.Value).Text
	}
	old, known := f.vars[name]
	if !a.Append {
		f.Set(name, value)
		return
	}
	if !f.M.Spend(old.size() / 16) { // what is added to is copied
		return
	}
	switch {
	case old.array:
		old.list = append(old.list[:len(old.list):len(old.list)], value)
		f.vars[name] = old
	case known && len(old.alts) > 0:
		alts := make([]string, len(old.alts))
		for i, s := range old.alts {
			alts[i] = word.ClipHole(s + value)
		}
		f.vars[name] = variable{alts: alts}
	case known:
		f.Set(name, value)
	default:
		f.Set(name, word.Hole+value)
	}
}

func (f *Frame) assignArray(a *syntax.Assign) {
	v := variable{array: true}
	old := f.vars[a.Name.Value]
	if a.Append {
		if !f.M.Spend(old.size() / 16) {
			return
		}
		v.list = append(v.list, old.list...)
		if !old.array {
			v.list = append(v.list, old.alts...)
		}
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			f.setElement(&v, e.Index, e.Value)
			continue
		}
		v.list = append(v.list, word.Texts(f.words([]*syntax.Word{e.Value}))...)
	}
	f.vars[a.Name.Value] = v
}

func (f *Frame) assignElement(a *syntax.Assign) {
	v := f.vars[a.Name.Value]
	if !v.array {
		v = variable{array: true, list: v.alts}
	}
	v.list = append([]string(nil), v.list...)
	f.setElement(&v, a.Index, a.Value)
	f.vars[a.Name.Value] = v
}

// setElement sets an element whose index is a number; any other makes the whole array unknown.
func (f *Frame) setElement(v *variable, index syntax.ArithmExpr, value *syntax.Word) {
	n, ok := f.arith(index)
	if n > maxIndex {
		f.M.Bounded(fmt.Sprintf("an array of more than %d elements", maxIndex), f.M.texts()...)
	}
	text := f.Whole(value).Text
	if !ok || n < 0 || n > maxIndex {
		v.list = []string{word.Hole}
		return
	}
	for len(v.list) <= n {
		v.list = append(v.list, "")
	}
	v.list[n] = text
}

// RunsLater looks at variables whose value some program runs: PAGER, GIT_SSH_COMMAND, PROMPT_COMMAND.
func (f *Frame) RunsLater(name string) {
	if !word.Has("GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER GIT_PAGER GH_PAGER GLAB_PAGER MANPAGER GH_BROWSER BROWSER GH_EDITOR "+
		"GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS PROMPT_COMMAND GIT_PROXY_COMMAND LESSOPEN RUSTC_WRAPPER MAKESHELL", name) {
		return
	}
	v := f.vars[name]
	if len(v.alts) == 0 || !v.alts1Known() {
		return
	}
	f.Look("$"+name, v.alts[0])
}

func (v variable) alts1Known() bool { return len(v.alts) > 0 && !word.Unknown(v.alts[0]) }

// Look reads text that some program would run in a shell later on; only acts count, not what cannot be resolved.
func (f *Frame) Look(wrapper, text string) {
	defer f.Through(wrapper)()
	g := f.Child()
	g.quiet = true
	g.Run(text)
}

// declClause is declare, local, export, readonly, typeset and nameref.
func (f *Frame) declClause(c *syntax.DeclClause) string {
	ref := c.Variant.Value == "nameref"
	exports := c.Variant.Value == "export"
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			text := f.one(a.Value)
			exports = exports || strings.HasPrefix(text, "-") && strings.Contains(text, "x")
			ref = ref || strings.HasPrefix(text, "-") && strings.Contains(text, "n") && c.Variant.Value != "export"
			if name, value, ok := strings.Cut(text, "="); ok && syntax.ValidName(name) {
				f.Set(name, value)
				if exports {
					f.Export(name)
				}
			}
			continue
		}
		if a.Name == nil {
			continue
		}
		if fn, ok := f.funcs[a.Name.Value]; ok && exports && a.Naked {
			fn.exported = true
			f.funcs[a.Name.Value] = fn
			continue
		}
		f.declareOne(a, ref, exports)
	}
	f.status = Yes
	return ""
}

func (f *Frame) declareOne(a *syntax.Assign, ref, exports bool) {
	name := a.Name.Value
	if ref && a.Value != nil {
		f.vars[name] = variable{ref: f.one(a.Value)}
		return
	}
	if !a.Naked || !f.Known(name) {
		f.assign(a)
	}
	if exports {
		f.Export(name)
	}
}

func (f *Frame) Known(name string) bool {
	_, ok := f.vars[name]
	return ok
}

// behindFunc mends what the parser makes of f() { …; } && x: it takes the whole chain for the function's body, where
// bash takes the braces alone. It is that chain with the function as its first part, nil when there is none.
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
	src, body := f.src, c.Body
	fn := function{body: func(g *Frame) string {
		outer := g.src
		g.src = src
		out := g.stmt(body)
		g.src = outer
		return out
	}}
	names := c.Names
	if c.Name != nil {
		names = append(names, c.Name)
	}
	for _, n := range names {
		f.funcs[n.Value] = fn
	}
	if len(names) == 0 {
		fn.body(f)
	}
	f.status = Yes
}
