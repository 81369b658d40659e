package usage

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// assistant adds what a request used beyond what was counted for it.
func (c *counter) assistant(t *transcript, r record) {
	s, ok, bad := r.spent()
	if bad {
		c.res.Skipped++
	}
	if !ok {
		return
	}
	id := ""
	if s.id+r.request != "" {
		id = s.id + " " + r.request
	}
	if c.elsewhere(t, r, s.id, id) {
		return
	}
	if fresh := c.spent(t, r.at, id, s); fresh && !t.main {
		c.own(t.index, id)
	}
	for i, a := range s.advisors {
		if id != "" {
			a.id = fmt.Sprintf("%s advisor-%d", id, i)
		}
		c.spent(t, r.at, a.id, a)
	}
}

// spent counts what a request used beyond what was counted for it before, and reports whether it is
// a new one. Of requests without an id each counts.
func (c *counter) spent(t *transcript, at, id string, s spent) (fresh bool) {
	before, known := c.ledger.known(id)
	if !known {
		before = loop.Counted{ID: id, Model: c.rate(s.model).name}
	}
	now := before
	now.Tokens = most(before.Tokens, s.Tokens)
	price := s.request
	price.Tokens = now.Tokens
	now.Tokens.Dollars = max(before.Tokens.Dollars, c.rate(now.Model).row.cost(price))
	more := minus(now.Tokens, before.Tokens)
	spent := &c.apart[t.index]
	if *spent == nil {
		*spent = map[string]loop.Tokens{}
	}
	(*spent)[now.Model] = (*spent)[now.Model].Add(more)
	if c.added != nil {
		c.added(cmp.Or(at, t.until), now.Model, more)
	}
	if id != "" {
		c.ledger.put(now)
	}
	return id != "" && !known
}

// rate finds a model's row once, and warns of a guess once.
func (c *counter) rate(model string) rated {
	if r, ok := c.rates[model]; ok {
		return r
	}
	name := strings.Clone(model[:min(len(model), 128)])
	row, known := c.table().Find(name)
	if !known && !slices.Contains(c.res.Unknown, name) {
		c.res.Unknown = append(c.res.Unknown, name)
	}
	if len(c.rates) < 1000 { // only rubbish names more models
		c.rates[name] = rated{row, name}
	}
	return rated{row, name}
}

// maxOwners bounds the requests of subagents that are remembered while the main transcript is read.
const maxOwners = 1 << 16

// own remembers which file counts a request: by its whole id, and by the message id alone for an
// old client's copies.
func (c *counter) own(index int, id string) {
	if len(c.list) == 1 || len(c.owners) >= 2*maxOwners { // alone it owns everything
		return
	}
	message, _, _ := strings.Cut(id, " ")
	for _, key := range []string{id, message} {
		hash := maphash.String(c.seed, key)
		if _, taken := c.owners[hash]; !taken {
			c.owners[hash] = index
		}
	}
}

// elsewhere reports whether another file counts this request. Old clients repeat subagents' lines
// in the main transcript, marked as a sidechain; those are known by the message id alone.
func (c *counter) elsewhere(t *transcript, r record, message, id string) bool {
	if len(c.list) == 1 {
		return false
	}
	if t.main && r.sidechain {
		id = message
	}
	owner, ok := c.owners[maphash.String(c.seed, id)]
	return ok && owner != t.index
}

// most is the greater number of each kind.
func most(a, b loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: max(a.Input, b.Input), Output: max(a.Output, b.Output),
		CacheRead:    max(a.CacheRead, b.CacheRead),
		CacheWrite5m: max(a.CacheWrite5m, b.CacheWrite5m),
		CacheWrite1h: max(a.CacheWrite1h, b.CacheWrite1h),
		WebSearches:  max(a.WebSearches, b.WebSearches), Messages: max(a.Messages, b.Messages),
		Dollars: max(a.Dollars, b.Dollars),
	}
}

// minus is what a has more than b, kind by kind.
func minus(a, b loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: a.Input - b.Input, Output: a.Output - b.Output, CacheRead: a.CacheRead - b.CacheRead,
		CacheWrite5m: a.CacheWrite5m - b.CacheWrite5m,
		CacheWrite1h: a.CacheWrite1h - b.CacheWrite1h,
		WebSearches:  a.WebSearches - b.WebSearches, Messages: a.Messages - b.Messages,
		Dollars: a.Dollars - b.Dollars,
	}
}
