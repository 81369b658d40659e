package shell

import (
	"strconv"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// arith is the value of an arithmetic expression: a number as written, anything else is unknown.
// Substitutions in it run, and the variables that it assigns become unknown.
func (f *Frame) arith(x syntax.ArithmExpr) string {
	if x == nil {
		return shellword.Unknown
	}
	if w, ok := x.(*syntax.Word); ok {
		text := f.Whole(w).Text
		if _, err := strconv.Atoi(text); err == nil {
			return text
		}
		return shellword.Unknown
	}
	f.runInside(x)
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			op := n.Op.String()
			if strings.HasSuffix(op, "=") && !shellword.Has("== != <= >=", op) {
				f.forget(n.X)
			}
		case *syntax.UnaryArithm:
			f.forget(n.X)
		}
		return true
	})
	return shellword.Unknown
}

// forget makes a variable unknown that an expression assigns.
func (f *Frame) forget(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
		f.Set(w.Lit(), shellword.Unknown)
	}
}

// runInside runs the substitutions within a part whose value is not computed.
func (f *Frame) runInside(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CmdSubst)
		if ok {
			f.substitute(c)
		}
		return !ok && f.M.Burn(1)
	})
}
