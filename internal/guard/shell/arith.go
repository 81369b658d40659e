package shell

import (
	"strconv"

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
	n, ok := f.arith(x)
	if !ok {
		return Maybe
	}
	return TruthOf(n != 0)
}

// arith evaluates sums, products and comparisons of numbers. What it does not know makes the
// variables unknown that it assigns; substitutions are run.
func (f *Frame) arith(x syntax.ArithmExpr) (n int, ok bool) {
	f.deeper(func() string {
		if f.M.Spend(1) {
			n, ok = f.arithOne(x)
		}
		return ""
	})
	return n, ok
}

func (f *Frame) arithOne(x syntax.ArithmExpr) (int, bool) {
	switch x := x.(type) {
	case *syntax.Word:
		text := f.one(x)
		if v, known := f.lookup(text); known && syntax.ValidName(text) && len(v.alts) == 1 {
			text = v.alts[0]
		}
		n, ok := word.Atoi(text)
		return n, ok && len(text) < 10
	case *syntax.ParenArithm:
		return f.arith(x.X)
	case *syntax.UnaryArithm:
		f.arith(x.X)
		f.assignArith(x.X, word.Hole)
	case *syntax.BinaryArithm:
		op, a, known := x.Op.String(), 0, true
		assigns := x.Op == syntax.Assgn ||
			len(op) == 2 && op[1] == '=' && op[0] != '=' && op[0] != '!' &&
				op[0] != '<' && op[0] != '>'
		if x.Op != syntax.Assgn {
			a, known = f.arith(x.X)
		}
		b, ok := f.arith(x.Y)
		n, computed := calc(op, a, b)
		ok = ok && known && computed
		switch {
		case assigns && ok:
			f.assignArith(x.X, strconv.Itoa(n))
		case assigns:
			f.assignArith(x.X, word.Hole)
		}
		return n, ok
	}
	return 0, false
}

func (f *Frame) assignArith(x syntax.ArithmExpr, value string) {
	if w, ok := x.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
		f.Set(w.Lit(), value)
	}
}

// calc is a sum, a product or a comparison; += and its kin count as their first half.
func calc(op string, a, b int) (int, bool) {
	switch op {
	case "=":
		return b, true
	case "==":
		return word.Btoi(a == b), true
	case "!=":
		return word.Btoi(a != b), true
	case "<", ">=":
		return word.Btoi(a < b == (op == "<")), true
	case ">", "<=":
		return word.Btoi(a > b == (op == ">")), true
	}
	switch {
	case op[0] == '+':
		return a + b, true
	case op[0] == '-':
		return a - b, true
	case op[0] == '*' && op != "**":
		return a * b, true
	}
	return 0, false
}
