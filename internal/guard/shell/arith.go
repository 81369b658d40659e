package shell

import (
	"strconv"
	"strings"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// arithText is the value of $((…)) as text, a hole when it is not known.
func (f *Frame) arithText(x syntax.ArithmExpr) string {
	if n, ok := f.arith(x); ok {
		return strconv.Itoa(n)
	}
	return word.Hole
}

// arithTruth is the status of ((…)) and let.
func (f *Frame) arithTruth(x syntax.ArithmExpr) Truth {
	if x == nil {
		return Maybe
	}
	n, ok := f.arith(x)
	switch {
	case !ok:
		return Maybe
	case n != 0:
		return Yes
	}
	return No
}

// arith evaluates an arithmetic expression, with its assignments and substitutions.
func (f *Frame) arith(x syntax.ArithmExpr) (int, bool) {
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting {
		f.M.GiveUp(tooDeep)
	}
	if !f.M.Spend(1) {
		return 0, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		return f.arithWord(x)
	case *syntax.ParenArithm:
		return f.arith(x.X)
	case *syntax.UnaryArithm:
		return f.arithUnary(x)
	case *syntax.BinaryArithm:
		return f.arithBinary(x)
	}
	return 0, false
}

func (f *Frame) arithWord(w *syntax.Word) (int, bool) {
	text := f.one(w)
	if n, err := strconv.Atoi(text); err == nil {
		return n, len(text) < 10
	}
	if syntax.ValidName(text) {
		v, known := f.lookup(text)
		if !known || len(v.alts) != 1 {
			return 0, false
		}
		if v.alts[0] == "" {
			return 0, true
		}
		n, err := strconv.Atoi(v.alts[0])
		return n, err == nil && len(v.alts[0]) < 10
	}
	return 0, text == ""
}

func (f *Frame) arithUnary(x *syntax.UnaryArithm) (int, bool) {
	n, ok := f.arith(x.X)
	if !ok {
		f.forget(x.X)
		return 0, false
	}
	switch x.Op {
	case syntax.Minus:
		return -n, true
	case syntax.Plus:
		return n, true
	case syntax.Not:
		return word.Btoi(n == 0), true
	case syntax.Inc, syntax.Dec:
		next := n + 1
		if x.Op == syntax.Dec {
			next = n - 1
		}
		f.assignArith(x.X, next)
		if x.Post {
			return n, true
		}
		return next, true
	}
	return 0, false
}

func (f *Frame) assignArith(x syntax.ArithmExpr, n int) {
	if w, ok := x.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
		f.Set(w.Lit(), strconv.Itoa(n))
	}
}

// forget makes an assigned variable unknown.
func (f *Frame) forget(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
		f.Set(w.Lit(), word.Hole)
	}
}

func (f *Frame) arithBinary(x *syntax.BinaryArithm) (int, bool) {
	if x.Op == syntax.Assgn {
		n, ok := f.arith(x.Y)
		if !ok {
			f.forget(x.X)
			return 0, false
		}
		f.assignArith(x.X, n)
		return n, true
	}
	a, ok1 := f.arith(x.X)
	if op, isAssign := assigning(x.Op); isAssign {
		b, ok2 := f.arith(x.Y)
		n, ok := calc(op, a, b)
		if !ok || !ok1 || !ok2 {
			f.forget(x.X)
			return 0, false
		}
		f.assignArith(x.X, n)
		return n, true
	}
	b, ok2 := f.arith(x.Y)
	if !ok1 || !ok2 {
		return 0, false
	}
	return calc(x.Op, a, b)
}

func assigning(op syntax.BinAritOperator) (syntax.BinAritOperator, bool) {
	switch op {
	case syntax.AddAssgn:
		return syntax.Add, true
	case syntax.SubAssgn:
		return syntax.Sub, true
	case syntax.MulAssgn:
		return syntax.Mul, true
	}
	return op, false
}

func calc(op syntax.BinAritOperator, a, b int) (int, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 {
			return 0, false
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Eql:
		return word.Btoi(a == b), true
	case syntax.Neq:
		return word.Btoi(a != b), true
	case syntax.Lss:
		return word.Btoi(a < b), true
	case syntax.Gtr:
		return word.Btoi(a > b), true
	case syntax.Leq:
		return word.Btoi(a <= b), true
	case syntax.Geq:
		return word.Btoi(a >= b), true
	}
	return 0, false
}

// assignedIn names the variables that an expression assigns.
func assignedIn(x syntax.ArithmExpr) map[string]bool {
	names := map[string]bool{}
	if x == nil {
		return names
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.UnaryArithm:
			if w, ok := n.X.(*syntax.Word); ok {
				names[w.Lit()] = true
			}
		case *syntax.BinaryArithm:
			if w, ok := n.X.(*syntax.Word); ok && strings.HasSuffix(n.Op.String(), "=") {
				names[w.Lit()] = true
			}
		}
		return true
	})
	delete(names, "")
	return names
}
