package shell

import (
	"maps"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// Run walks shell text in this very shell, as eval does, and returns what it would print.
func (f *Frame) Run(text string) string {
	if !f.M.Burn(1 + len(text)/16) {
		return shellword.Unknown
	}
	text = asBash(text)
	if f.unreadable(text) {
		return shellword.Unknown
	}
	stmts, problem := Parse(text)
	src := f.src
	f.src = text
	out := f.list(stmts)
	f.src = src
	if problem != "" && !f.quiet {
		f.unparsed(text, problem)
	}
	return out
}

// unreadable notes text that must not reach the parser, or is so long that a part was cut off.
func (f *Frame) unreadable(text string) bool {
	bound := unfit(text)
	if bound == "" && len(text) > shellword.MaxShell/4 && shellword.HasUnknown(text) {
		bound = "a part of a long text is only known when it runs"
	}
	if bound != "" {
		f.M.Bounded(bound, text)
	}
	return bound != ""
}

// unparsed notes text that could not be read to its end. Files of the project are not the call's
// fault.
func (f *Frame) unparsed(text, problem string) {
	if f.Disk {
		return
	}
	if f.depth > 0 && shellword.HasUnknown(text) {
		f.Opaque(text, "the text it would run is only known when it runs")
		return
	}
	if f.M.Read.Unparsable == "" {
		f.M.Read.Unparsable = problem
	}
}

// list runs statements one after the other.
func (f *Frame) list(stmts []*syntax.Stmt) string {
	var out strings.Builder
	for _, s := range stmts {
		if f.left || f.M.Exhausted() {
			break
		}
		if text := f.stmt(s); out.Len() < shellword.MaxShell {
			out.WriteString(text)
		}
	}
	return out.String()
}

func (f *Frame) stmt(s *syntax.Stmt) string {
	if s == nil || !f.M.Burn(1) {
		return ""
	}
	return f.deeper(func() string { return f.run(s) })
}

const tooDeep = "nested more deeply than the reading follows"

// deeper does what is nested one level further, unless that is too deep.
func (f *Frame) deeper(do func() string) string {
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting {
		f.M.Abort(tooDeep)
		return ""
	}
	return do()
}

func (f *Frame) run(s *syntax.Stmt) string {
	f.status = Maybe
	var out string
	if len(s.Redirs) > 0 {
		out = f.redirected(s)
	} else {
		out = f.command(s.Cmd)
	}
	if s.Negated {
		f.status = not(f.status)
	}
	return out
}

// command runs one command of any shape. Of if, case and the loops the status is unknown.
func (f *Frame) command(c syntax.Command) (out string) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return f.simple(c)
	case *syntax.BinaryCmd:
		return f.binary(c)
	case *syntax.Block:
		return f.list(c.Stmts)
	case *syntax.Subshell:
		return f.Child().list(c.Stmts)
	case *syntax.IfClause:
		out = f.ifClause(c)
	case *syntax.WhileClause:
		out = f.while(c)
	case *syntax.ForClause:
		out = f.forClause(c)
	case *syntax.CaseClause:
		out = f.caseClause(c)
	case *syntax.FuncDecl:
		if chain := behindFunc(c); chain != nil {
			return f.command(chain)
		}
		f.declare(c)
		return ""
	case *syntax.DeclClause:
		f.declClause(c)
		return ""
	case *syntax.TimeClause:
		return f.stmt(c.Stmt)
	case *syntax.CoprocClause:
		return f.stmt(c.Stmt)
	case *syntax.ArithmCmd:
		f.arith(c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			f.arith(x)
		}
	case *syntax.TestClause:
		f.status = f.testExpr(c.X)
		return ""
	}
	f.status = Maybe
	return out
}

func pipes(b *syntax.BinaryCmd) bool { return b.Op == syntax.Pipe || b.Op == syntax.PipeAll }

// binary runs a && b, a || b and pipelines. Long chains lean to the left: they are walked, not
// recursed into.
func (f *Frame) binary(c *syntax.BinaryCmd) string {
	if pipes(c) {
		return f.pipeline(c)
	}
	var chain []*syntax.BinaryCmd
	first := &syntax.Stmt{Cmd: c}
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || pipes(b) || first.Negated || len(first.Redirs) > 0 {
			break
		}
		chain = append(chain, b)
		first = b.X
	}
	var out strings.Builder
	out.WriteString(f.stmt(first))
	for i := len(chain) - 1; i >= 0 && !f.M.Exhausted(); i-- {
		if text := f.then(chain[i].Op == syntax.AndStmt,
			chain[i].Y); out.Len() < shellword.MaxShell {
			out.WriteString(text)
		}
	}
	return out.String()
}

// then runs the right side of && or ||, for certain, never or perhaps.
func (f *Frame) then(and bool, s *syntax.Stmt) string {
	runs := f.status
	if !and {
		runs = not(runs)
	}
	switch runs {
	case Yes:
		return f.stmt(s)
	case No:
		return ""
	}
	f.left = false // exit may not have happened
	vars := f.copyVars()
	out := f.stmt(s)
	f.left = false
	f.vars = f.joinVars(vars, f.vars)
	if and && f.status == Yes || !and && f.status == No { // whether it ran decides
		f.status = Maybe
	}
	return out
}

// copyVars keeps the variables as they are before a branch.
func (f *Frame) copyVars() map[string]variable {
	f.M.Burn(len(f.vars) / 4)
	return maps.Clone(f.vars)
}

// pipeline runs each part in a shell of its own, fed by what the part before prints.
func (f *Frame) pipeline(c *syntax.BinaryCmd) string {
	var parts []*syntax.Stmt
	var walk func(s *syntax.Stmt, depth int)
	walk = func(s *syntax.Stmt, depth int) {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		plain := !s.Negated && len(s.Redirs) == 0
		if ok && depth < 2000 && plain && pipes(b) {
			walk(b.X, depth+1)
			walk(b.Y, depth+1)
			return
		}
		parts = append(parts, s)
	}
	walk(c.X, 0)
	walk(c.Y, 0)
	stdin := f.Stdin
	out := ""
	for _, s := range parts {
		g := f.Child()
		g.Stdin = stdin
		out = g.stmt(s)
		f.status = g.status
		stdin = &Stream{Text: shellword.ClipHole(out)}
		if f.M.Exhausted() {
			break
		}
	}
	return out
}

func (f *Frame) ifClause(c *syntax.IfClause) string {
	if !f.M.Burn(1) {
		return ""
	}
	if len(c.Cond) == 0 { // else
		return f.list(c.Then)
	}
	out := f.list(c.Cond)
	switch f.status {
	case Yes:
		return out + f.list(c.Then)
	case No:
		return out + f.elseOf(c)
	}
	f.left = false
	vars := f.copyVars()
	out += f.list(c.Then)
	left, after := f.left, f.vars
	f.left, f.vars = false, vars
	out += f.elseOf(c)
	f.vars = f.joinVars(after, f.vars)
	f.left = left && f.left && c.Else != nil
	return out
}

func (f *Frame) elseOf(c *syntax.IfClause) string {
	if c.Else == nil {
		return ""
	}
	return f.deeper(func() string { return f.ifClause(c.Else) })
}

// caseClause runs the arms that may match; an arm that must match ends the search.
func (f *Frame) caseClause(c *syntax.CaseClause) string {
	subject := f.Whole(c.Word).Text
	before := f.copyVars()
	joined := before
	out := ""
	for _, item := range c.Items {
		match := No
		for _, p := range item.Patterns {
			if truth := f.matches(f.pattern(p), subject); match != Yes && truth != No {
				match = truth
			}
		}
		if match == No {
			continue
		}
		f.vars = maps.Clone(before)
		out += f.list(item.Stmts)
		if match == Yes && item.Op == syntax.Break {
			return out
		}
		f.left = false
		joined = f.joinVars(joined, f.vars)
	}
	f.vars = joined
	return out
}
