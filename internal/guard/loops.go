package guard

import (
	"maps"

	"mvdan.cc/sh/v3/syntax"
)

const maxRounds = 16 // rounds of a loop that are walked one by one

// forClause runs the body for every word of the list, as far as the list is known.
func (f *frame) forClause(c *syntax.ForClause) string {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		items := lits(f.args...)
		if loop.InPos.IsValid() {
			items = f.words(loop.Items)
		}
		return f.overItems(loop.Name.Value, items, c.Do)
	case *syntax.CStyleLoop:
		f.arithTruth(loop.Init)
		out := f.list(c.Do)
		for name := range assignedIn(loop.Post) {
			f.set(name, hole)
		}
		return out + f.list(c.Do)
	}
	return f.list(c.Do)
}

func (f *frame) overItems(name string, items []word, body []*syntax.Stmt) string {
	out := ""
	for i, w := range items {
		if i == maxRounds {
			f.set(name, hole)
			return out + f.list(body)
		}
		f.set(name, w.text)
		out += f.list(body)
		f.left = false
		if f.m.tired() {
			break
		}
	}
	return clipHole(out)
}

// while runs the body for as long as the condition surely holds and something changes; then once more for what later
// rounds may hold.
func (f *frame) while(c *syntax.WhileClause) string {
	out := ""
	for range maxRounds {
		before, fed := maps.Clone(f.vars), f.fed()
		f.m.spend(1 + len(before)/4)
		f.list(c.Cond)
		holds := f.status
		if c.Until {
			holds = not(holds)
		}
		if holds == no || f.m.tired() {
			return clipHole(out)
		}
		out += f.list(c.Do)
		f.left = false
		changed := changedVars(before, f.vars)
		if holds == yes && (len(changed) > 0 || fed != f.fed()) {
			continue
		}
		if len(changed) == 0 {
			return clipHole(out)
		}
		return clipHole(out + f.laterRounds(c, changed))
	}
	return clipHole(out + f.laterRounds(c, nil))
}

func (f *frame) laterRounds(c *syntax.WhileClause, changed []string) string {
	for _, name := range changed {
		f.set(name, hole)
	}
	f.list(c.Cond)
	out := f.list(c.Do)
	f.left = false
	return out
}

func (f *frame) fed() string {
	if f.stdin == nil {
		return ""
	}
	return f.stdin.text
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
