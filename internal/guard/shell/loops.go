package shell

import (
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// MaxRounds is how many rounds of a loop are walked one by one.
const MaxRounds = 16

// forClause runs the body for every word of the list, as far as the list is known. A loop that
// counts runs it once.
func (f *Frame) forClause(c *syntax.ForClause) string {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		items := shellword.Lits(f.Args...)
		if loop.InPos.IsValid() {
			items = f.words(loop.Items)
		}
		return f.overItems(loop.Name.Value, items, c.Do)
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			f.arith(x)
		}
	}
	return f.list(c.Do)
}

func (f *Frame) overItems(name string, items []shellword.Word, body []*syntax.Stmt) string {
	out := ""
	for i, w := range items {
		if i == MaxRounds {
			f.Set(name, shellword.Unknown)
			return out + f.list(body)
		}
		f.Set(name, w.Text)
		out += f.list(body)
		f.left = false
		if f.M.Exhausted() {
			break
		}
	}
	return shellword.ClipHole(out)
}

// while runs the body once for each line that the condition reads from known input, and once where
// the condition may hold. Then it runs once more for what later rounds may hold.
func (f *Frame) while(c *syntax.WhileClause) string {
	out := ""
	var before map[string]variable
	for range MaxRounds {
		var fed string
		if before = f.copyVars(); f.Stdin != nil {
			fed = f.Stdin.Text
		}
		f.list(c.Cond)
		holds := f.status
		if c.Until {
			holds = not(holds)
		}
		if holds == No || f.M.Exhausted() {
			return shellword.ClipHole(out)
		}
		out += f.list(c.Do)
		f.left = false
		if holds != Yes || f.Stdin == nil || fed == f.Stdin.Text {
			break
		}
	}
	changed := changedVars(before, f.vars)
	for _, name := range changed {
		f.Set(name, shellword.Unknown)
	}
	if len(changed) > 0 {
		f.list(c.Cond)
		out += f.list(c.Do)
		f.left = false
	}
	return shellword.ClipHole(out)
}

func changedVars(before, after map[string]variable) []string {
	var names []string
	for name, v := range after {
		if old, ok := before[name]; !ok || !old.same(v) {
			names = append(names, name)
		}
	}
	return names
}
