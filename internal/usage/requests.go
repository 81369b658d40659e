package usage

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// assistant adds the usage of an assistant line beyond what was counted for its request.
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

// spent counts the usage of a request beyond what was counted for it before, and reports whether
// the request is new. Each request without an id counts.
func (c *counter) spent(t *transcript, at, id string, s spent) (fresh bool) {
	before, known := c.ledger.known(id)
	if !known {
		before = loop.Counted{ID: id, Model: c.rate(s.model).name}
	}
	now := before
	now.Tokens = combine(before.Tokens, s.Tokens, greater)
	price := s.request
	price.Tokens = now.Tokens
	now.Tokens.Dollars = max(before.Tokens.Dollars, c.rate(now.Model).row.cost(price))
	more := combine(now.Tokens, before.Tokens, difference)
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

// rate returns a model's row, cached by name, and records a model whose price is a guess.
func (c *counter) rate(model string) rated {
	if r, ok := c.rates[model]; ok {
		return r
	}
	name := strings.Clone(model[:min(len(model), 128)])
	row, known := c.table().Find(name)
	if !known && !slices.Contains(c.res.Unknown, name) {
		c.res.Unknown = append(c.res.Unknown, name)
	}
	if len(c.rates) < 1000 { // only invalid data names more models
		c.rates[name] = rated{row, name}
	}
	return rated{row, name}
}

// maxOwners bounds the subagents' requests that are remembered while the main transcript is read.
const maxOwners = 1 << 16

// own remembers which file counts a request: by its whole id, and by the message id alone for
// copies by an old client.
func (c *counter) own(index int, id string) {
	if len(c.list) == 1 || len(c.owners) >= 2*maxOwners { // a single file needs no owner
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

// elsewhere reports whether another file counts this request. Old clients copy subagents' lines to
// the main transcript, marked as a sidechain; those are matched by the message id alone.
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

func greater(a, b int64) int64    { return max(a, b) }
func difference(a, b int64) int64 { return a - b }

// combine applies f to each kind of token.
func combine(a, b loop.Tokens, f func(a, b int64) int64) loop.Tokens {
	return loop.Tokens{
		Input: f(a.Input, b.Input), Output: f(a.Output, b.Output),
		CacheRead:    f(a.CacheRead, b.CacheRead),
		CacheWrite5m: f(a.CacheWrite5m, b.CacheWrite5m),
		CacheWrite1h: f(a.CacheWrite1h, b.CacheWrite1h),
		WebSearches:  f(a.WebSearches, b.WebSearches), Messages: f(a.Messages, b.Messages),
		Dollars: loop.USD(f(int64(a.Dollars), int64(b.Dollars))),
	}
}
