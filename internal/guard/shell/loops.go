package shell

import (
	"maps"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// MaxRounds is how many rounds of a loop are walked one by one.
const MaxRounds = 16

// forClause runs the body for every word of the list, as far as the list is known.
func (f *Frame) forClause(c *syntax.ForClause) string {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		items := word.Lits(f.Args...)
		if loop.InPos.IsValid() {
			items = f.words(loop.Items)
		}
		return f.overItems(loop.Name.Value, items, c.Do)
	case *syntax.CStyleLoop:
		f.arith(loop.Init)
		out := f.list(c.Do)
		f.arith(loop.Post)
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Post} {
			if head, ok := x.(*syntax.BinaryArithm); ok {
				f.assignArith(head.X, word.Hole)
			}
		}
		return out + f.list(c.Do)
	}
	return f.list(c.Do)
}

func (f *Frame) overItems(name string, items []word.Word, body []*syntax.Stmt) string {
	out := ""
	for i, w := range items {
		if i == MaxRounds {
			f.Set(name, word.Hole)
			return out + f.list(body)
		}
		f.Set(name, w.Text)
		out += f.list(body)
		f.left = false
		if f.M.Tired() {
			break
		}
	}
	return word.ClipHole(out)
}

// while runs the body for as long as the condition surely holds and something changes; then once more for what later
// rounds may hold.
func (f *Frame) while(c *syntax.WhileClause) string {
	out := ""
	var changed []string
	for range MaxRounds {
		before, fed := maps.Clone(f.vars), f.fed()
		f.M.Spend(1 + len(before)/4)
		f.list(c.Cond)
		holds := f.status
		if c.Until {
			holds = not(holds)
		}
		if holds == No || f.M.Tired() {
			return word.ClipHole(out)
		}
		out += f.list(c.Do)
		f.left = false
		changed = changedVars(before, f.vars)
		if holds == Yes && (len(changed) > 0 || fed != f.fed()) {
			continue
		}
		if len(changed) == 0 {
			return word.ClipHole(out)
		}
		return word.ClipHole(out + f.laterRounds(c, changed))
	}
	return word.ClipHole(out + f.laterRounds(c, changed))
}

func (f *Frame) laterRounds(c *syntax.WhileClause, changed []string) string {
	for _, name := range changed {
		f.Set(name, word.Hole)
	}
	f.list(c.Cond)
	out := f.list(c.Do)
	f.left = false
	return out
}

func (f *Frame) fed() string {
	if f.Stdin == nil {
		return ""
	}
	return f.Stdin.Text
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
