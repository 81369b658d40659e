package shell

import (
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// Truth is an exit status that may be unknown.
type Truth int

const (
	Maybe Truth = iota
	Yes
	No
)

func not(t Truth) Truth {
	switch t {
	case Yes:
		return No
	case No:
		return Yes
	}
	return Maybe
}

// TruthOf is Yes or No.
func TruthOf(b bool) Truth {
	if b {
		return Yes
	}
	return No
}

// testExpr is the truth of [[ … ]] as far as its texts are known. Numbers and files are unknown.
func (f *Frame) testExpr(x syntax.TestExpr) Truth {
	f.nest++
	defer func() { f.nest-- }()
	if f.nest > maxNesting {
		f.M.Abort(tooDeep)
	}
	if !f.M.Burn(1) {
		return Maybe
	}
	switch x := x.(type) {
	case *syntax.Word:
		return nonEmpty(f.Whole(x).Text)
	case *syntax.ParenTest:
		return f.testExpr(x.X)
	case *syntax.UnaryTest:
		switch truth := f.testExpr(x.X); x.Op {
		case syntax.TsNot, syntax.TsEmpStr:
			return not(truth)
		case syntax.TsNempStr:
			return truth
		}
	case *syntax.BinaryTest:
		return f.testBinary(x)
	}
	return Maybe
}

func (f *Frame) testBinary(x *syntax.BinaryTest) Truth {
	a, isWord := x.X.(*syntax.Word)
	b, ok := x.Y.(*syntax.Word)
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		decides := TruthOf(x.Op == syntax.OrTest) // either side alone
		left, right := f.testExpr(x.X), f.testExpr(x.Y)
		switch {
		case left == decides || right == decides:
			return decides
		case left == right:
			return left
		}
		return Maybe
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		if !isWord || !ok {
			return Maybe
		}
		truth := f.matches(f.pattern(b), f.Whole(a).Text)
		if x.Op == syntax.TsNoMatch {
			return not(truth)
		}
		return truth
	}
	f.runInside(x)
	return Maybe
}

// matches compares a text with a pattern: Maybe when a part is unknown or the work is too much.
func (f *Frame) matches(pat, s string) Truth {
	switch work := len(pat) * len(s); {
	case pat == "*":
		return Yes
	case shellword.HasUnknown(s) || shellword.HasUnknown(pat),
		work > 1<<20 || !f.M.Burn(1+work/1024):
		return Maybe
	}
	return TruthOf(shellword.GlobMatch(pat, s))
}

func nonEmpty(s string) Truth {
	if shellword.HasUnknown(s) {
		return Maybe
	}
	return TruthOf(s != "")
}

// testArgs is the truth of [ … ] and test with one to three arguments, negated or not.
func testArgs(argv []shellword.Word) Truth {
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
	case len(argv) == 3 && shellword.Has("= == !=", argv[1].Text):
		a, b := argv[0].Text, argv[2].Text
		if shellword.HasUnknown(a) || shellword.HasUnknown(b) {
			return Maybe
		}
		return TruthOf((a == b) == (argv[1].Text != "!="))
	case argv[0].Text == "!":
		return not(testArgs(argv[1:]))
	case len(argv) == 2 && argv[0].Text == "-n":
		return nonEmpty(argv[1].Text)
	case len(argv) == 2 && argv[0].Text == "-z":
		return not(nonEmpty(argv[1].Text))
	}
	return Maybe
}
