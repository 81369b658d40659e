package shell

import (
	"strconv"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// testExpr is the truth of [[ … ]] as far as its texts are known. What asks the disk is unknown.
func (f *Frame) testExpr(x syntax.TestExpr) Truth {
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting {
		f.M.GiveUp(tooDeep)
	}
	if !f.M.Spend(1) {
		return Maybe
	}
	switch x := x.(type) {
	case *syntax.Word:
		return nonEmpty(f.one(x))
	case *syntax.ParenTest:
		return f.testExpr(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return not(f.testExpr(x.X))
		}
		if w, ok := x.X.(*syntax.Word); ok {
			return testUnary(x.Op.String(), f.one(w))
		}
	case *syntax.BinaryTest:
		return f.testBinary(x)
	}
	return Maybe
}

func (f *Frame) testBinary(x *syntax.BinaryTest) Truth {
	switch x.Op {
	case syntax.AndTest:
		return both(f.testExpr(x.X), f.testExpr(x.Y))
	case syntax.OrTest:
		return not(both(not(f.testExpr(x.X)), not(f.testExpr(x.Y))))
	}
	a, ok1 := x.X.(*syntax.Word)
	b, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		return Maybe
	}
	left := f.one(a)
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		pat := f.pattern(b)
		if word.Unknown(left) || word.Unknown(pat) {
			return Maybe
		}
		if x.Op == syntax.TsNoMatch {
			return not(f.glob(pat, left))
		}
		return f.glob(pat, left)
	}
	return testCompare(left, x.Op.String(), f.one(b))
}

func nonEmpty(s string) Truth {
	if word.Unknown(s) {
		return Maybe
	}
	return TruthOf(s != "")
}

func testUnary(op, s string) Truth {
	switch op {
	case "-n":
		return nonEmpty(s)
	case "-z":
		return not(nonEmpty(s))
	}
	return Maybe
}

func testCompare(a, op, b string) Truth {
	if word.Unknown(a) || word.Unknown(b) {
		return Maybe
	}
	switch op {
	case "=", "==":
		return TruthOf(a == b)
	case "!=":
		return TruthOf(a != b)
	}
	x, err1 := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil {
		return Maybe
	}
	op, ok := map[string]string{
		"-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">=",
	}[op]
	if !ok {
		return Maybe
	}
	n, _ := calc(op, x, y)
	return TruthOf(n != 0)
}

// testArgs is the truth of [ … ] and test for the forms of one to three arguments, negated or not.
func testArgs(argv []word.Word) Truth {
	if len(argv) > 0 && argv[len(argv)-1].Text == "]" {
		argv = argv[:len(argv)-1]
	}
	for _, w := range argv {
		if w.Split {
			return Maybe
		}
	}
	switch {
	case len(argv) == 0:
		return No
	case len(argv) == 1:
		return nonEmpty(argv[0].Text)
	case len(argv) == 3 && argv[1].Text != "-a" && argv[1].Text != "-o":
		if argv[0].Text == "!" {
			return not(testUnary(argv[1].Text, argv[2].Text))
		}
		return testCompare(argv[0].Text, argv[1].Text, argv[2].Text)
	case argv[0].Text == "!":
		return not(testArgs(argv[1:]))
	case len(argv) == 2:
		return testUnary(argv[0].Text, argv[1].Text)
	}
	return Maybe
}
