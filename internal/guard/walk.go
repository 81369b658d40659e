package guard

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// run walks shell text in this very shell, as eval does, and returns what it would print.
func (f *frame) run(text string) string {
	if !f.m.spend(1 + len(text)/16) {
		return hole
	}
	stmts, problem := parseShell(text)
	src := f.src
	f.src = text
	out := f.list(stmts)
	f.src = src
	if problem != "" && !f.quiet {
		f.unparsed(text, problem)
	}
	return out
}

// unparsed notes text that could not be read to its end. Files of the project are not the call's fault.
func (f *frame) unparsed(text, problem string) {
	if f.disk {
		return
	}
	if f.depth > 0 && unknown(text) {
		f.opaque(text, "the text it would run is only known when it runs")
		return
	}
	if f.m.read.Unparsable == "" {
		f.m.read.Unparsable = problem
	}
}

// list runs statements one after the other.
func (f *frame) list(stmts []*syntax.Stmt) string {
	var out strings.Builder
	for _, s := range stmts {
		if f.left || f.m.tired() {
			break
		}
		if text := f.stmt(s); out.Len() < maxText {
			out.WriteString(text)
		}
	}
	return out.String()
}

func (f *frame) stmt(s *syntax.Stmt) string {
	if s == nil || !f.m.spend(1) {
		return ""
	}
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting {
		f.m.giveUp("nested too deeply")
		return ""
	}
	f.status = maybe
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

// command runs one command of any shape.
func (f *frame) command(c syntax.Command) string {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return f.simple(c)
	case *syntax.BinaryCmd:
		return f.binary(c)
	case *syntax.Block:
		return f.list(c.Stmts)
	case *syntax.Subshell:
		return f.child().list(c.Stmts)
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		out := f.compound(c)
		f.status = maybe // of whatever ran last, or of nothing
		return out
	case *syntax.FuncDecl:
		if chain := behindFunc(c); chain != nil {
			return f.command(chain)
		}
		f.declare(c)
	case *syntax.DeclClause:
		return f.declClause(c)
	case *syntax.TimeClause:
		return f.stmt(c.Stmt)
	case *syntax.CoprocClause:
		return f.stmt(c.Stmt)
	case *syntax.ArithmCmd:
		f.status = f.arithTruth(c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			f.status = f.arithTruth(x)
		}
	case *syntax.TestClause:
		f.status = f.testExpr(c.X)
	case *syntax.TestDecl:
		return f.child().stmt(c.Body)
	}
	return ""
}

func (f *frame) compound(c syntax.Command) string {
	switch c := c.(type) {
	case *syntax.IfClause:
		return f.ifClause(c)
	case *syntax.WhileClause:
		return f.while(c)
	case *syntax.ForClause:
		return f.forClause(c)
	case *syntax.CaseClause:
		return f.caseClause(c)
	}
	return ""
}

// binary runs a && b, a || b and pipelines. Long chains lean to the left: they are walked, not recursed into.
func (f *frame) binary(c *syntax.BinaryCmd) string {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		return f.pipeline(c)
	}
	var chain []*syntax.BinaryCmd
	first := &syntax.Stmt{Cmd: c}
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op == syntax.Pipe || b.Op == syntax.PipeAll || (first.Negated || len(first.Redirs) > 0) {
			break
		}
		chain = append(chain, b)
		first = b.X
	}
	var out strings.Builder
	out.WriteString(f.stmt(first))
	for i := len(chain) - 1; i >= 0 && !f.m.tired(); i-- {
		if text := f.then(chain[i].Op == syntax.AndStmt, chain[i].Y); out.Len() < maxText {
			out.WriteString(text)
		}
	}
	return out.String()
}

// then runs the right side of && or ||, for certain, never or perhaps.
func (f *frame) then(and bool, s *syntax.Stmt) string {
	before := f.status
	runs := before
	if !and {
		runs = not(before)
	}
	switch runs {
	case yes:
		return f.stmt(s)
	case no:
		return ""
	}
	if f.left { // exit may not have happened
		f.left = false
	}
	vars := maps.Clone(f.vars)
	f.m.spend(len(vars) / 4)
	out := f.stmt(s)
	f.left = false
	f.vars = f.joinVars(vars, f.vars)
	if and && f.status == yes || !and && f.status == no { // whether it ran decides
		f.status = maybe
	}
	return out
}

// pipeline runs each part in a shell of its own, fed by what the part before prints.
func (f *frame) pipeline(c *syntax.BinaryCmd) string {
	var parts []*syntax.Stmt
	var walk func(s *syntax.Stmt, depth int)
	walk = func(s *syntax.Stmt, depth int) {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if ok && depth < 2000 && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && !s.Negated && len(s.Redirs) == 0 {
			walk(b.X, depth+1)
			walk(b.Y, depth+1)
			return
		}
		parts = append(parts, s)
	}
	walk(c.X, 0)
	walk(c.Y, 0)
	stdin := f.stdin
	out := ""
	for _, s := range parts {
		g := f.child()
		g.stdin = stdin
		out = g.stmt(s)
		f.status = g.status
		stdin = &stream{text: clipHole(out)}
		if f.m.tired() {
			break
		}
	}
	return out
}

func (f *frame) ifClause(c *syntax.IfClause) string {
	if c == nil || !f.m.spend(1) {
		return ""
	}
	if len(c.Cond) == 0 { // else
		return f.list(c.Then)
	}
	out := f.list(c.Cond)
	switch f.status {
	case yes:
		return out + f.list(c.Then)
	case no:
		return out + f.elseOf(c)
	}
	f.left = false
	vars := maps.Clone(f.vars)
	f.m.spend(len(vars) / 4)
	out += f.list(c.Then)
	left := f.left
	f.left = false
	after := f.vars
	f.vars = vars
	out += f.elseOf(c)
	f.vars = f.joinVars(after, f.vars)
	f.left = left && f.left && c.Else != nil
	f.status = maybe
	return out
}

func (f *frame) elseOf(c *syntax.IfClause) string {
	if c.Else == nil {
		return ""
	}
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting {
		f.m.giveUp("nested too deeply")
		return ""
	}
	return f.ifClause(c.Else)
}

// caseClause runs the arms that may match; an arm that must match ends the search.
func (f *frame) caseClause(c *syntax.CaseClause) string {
	subject := f.one(c.Word)
	before := maps.Clone(f.vars)
	f.m.spend(len(before) / 4)
	joined := before
	out := ""
	for _, item := range c.Items {
		match := f.armMatches(item, subject)
		if match == no {
			continue
		}
		f.vars = maps.Clone(before)
		out += f.list(item.Stmts)
		if match == yes && item.Op == syntax.Break {
			return out
		}
		f.left = false
		joined = f.joinVars(joined, f.vars)
	}
	f.vars = joined
	return out
}

func (f *frame) armMatches(item *syntax.CaseItem, subject string) truth {
	match := no
	for _, p := range item.Patterns {
		pat := f.pattern(p)
		switch {
		case pat == "*":
			return yes
		case unknown(subject) || unknown(pat):
			match = maybe
		default:
			switch f.glob(pat, subject) {
			case yes:
				return yes
			case maybe:
				match = maybe
			}
		}
	}
	return match
}
