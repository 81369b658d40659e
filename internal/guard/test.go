package guard

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// testExpr is the truth of [[ … ]] as far as its texts are known. What asks the disk is unknown.
func (f *frame) testExpr(x syntax.TestExpr) truth {
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting || !f.m.spend(1) {
		return maybe
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
	return maybe
}

func (f *frame) testBinary(x *syntax.BinaryTest) truth {
	switch x.Op {
	case syntax.AndTest:
		return both(f.testExpr(x.X), f.testExpr(x.Y))
	case syntax.OrTest:
		return not(both(not(f.testExpr(x.X)), not(f.testExpr(x.Y))))
	}
	a, ok1 := x.X.(*syntax.Word)
	b, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		return maybe
	}
	left := f.one(a)
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		pat := f.pattern(b)
		if unknown(left) || unknown(pat) {
			return maybe
		}
		if x.Op == syntax.TsNoMatch {
			return not(f.glob(pat, left))
		}
		return f.glob(pat, left)
	}
	return testCompare(left, x.Op.String(), f.one(b))
}

func nonEmpty(s string) truth {
	if unknown(s) {
		return maybe
	}
	return truthOf(s != "")
}

func testUnary(op, s string) truth {
	switch op {
	case "-n":
		return nonEmpty(s)
	case "-z":
		return not(nonEmpty(s))
	}
	return maybe
}

func testCompare(a, op, b string) truth {
	if unknown(a) || unknown(b) {
		return maybe
	}
	switch op {
	case "=", "==":
		return truthOf(a == b)
	case "!=":
		return truthOf(a != b)
	}
	x, err1 := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil {
		return maybe
	}
	switch op {
	case "-eq":
		return truthOf(x == y)
	case "-ne":
		return truthOf(x != y)
	case "-lt":
		return truthOf(x < y)
	case "-le":
		return truthOf(x <= y)
	case "-gt":
		return truthOf(x > y)
	case "-ge":
		return truthOf(x >= y)
	}
	return maybe
}

// testArgs is the truth of [ … ] and test for the forms of one to three arguments, negated or not.
func testArgs(argv []word) truth {
	if len(argv) > 0 && argv[len(argv)-1].text == "]" {
		argv = argv[:len(argv)-1]
	}
	for _, w := range argv {
		if w.split {
			return maybe
		}
	}
	switch {
	case len(argv) == 0:
		return no
	case len(argv) == 1:
		return nonEmpty(argv[0].text)
	case len(argv) == 3 && argv[1].text != "-a" && argv[1].text != "-o":
		if argv[0].text == "!" {
			return not(testUnary(argv[1].text, argv[2].text))
		}
		return testCompare(argv[0].text, argv[1].text, argv[2].text)
	case argv[0].text == "!":
		return not(testArgs(argv[1:]))
	case len(argv) == 2:
		return testUnary(argv[0].text, argv[1].text)
	}
	return maybe
}
