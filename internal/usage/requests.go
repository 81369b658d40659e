package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Limits on what a cursor remembers. Lines of a forgotten request are counted again.
const (
	openMain  = 7   // requests in the main transcript remembered between two Counts
	openAgent = 2   // requests remembered for a subagent, whose requests never overlap
	maxModel  = 128 // maximum length of a model's name in bytes
)

// tally is the usage counted so far for a request.
type tally struct {
	loop.Counted
	by *source // the transcript where it is counted
}

// assistant adds an assistant line's usage, except what is already counted for its request.
func (c *counter) assistant(s *source, r record) {
	u, ok, bad := r.spent()
	if bad {
		c.res.Skipped++
	}
	if !ok {
		return
	}
	id := ""
	if request := r.text("requestId"); u.id+request != "" {
		id = u.id + " " + request
	}
	// a copy of another transcript's line
	if known := c.requests[id]; known != nil && known.by != s {
		return
	}
	c.spend(s, r.at(), id, u)
	for i, a := range u.advisors {
		if id != "" {
			a.id = fmt.Sprintf("%s advisor-%d", id, i)
		}
		c.spend(s, r.at(), a.id, a)
	}
}

// spend counts the part of a request's usage that is not yet counted. A request without an id is
// always counted in full.
func (c *counter) spend(s *source, at, id string, u spent) {
	now := c.requests[id]
	if now == nil {
		model := strings.Clone(u.model[:min(len(u.model), maxModel)])
		now = &tally{loop.Counted{ID: id, Model: model}, s}
	}
	before := now.Tokens
	now.Tokens = greater(before, u.Tokens)
	price := u.request
	price.Tokens = now.Tokens
	now.Tokens.Dollars = max(before.Dollars, c.rate(now.Model).cost(price))
	more := now.Tokens.Less(before)
	s.spent[now.Model] = s.spent[now.Model].Add(more)
	c.res.ByModel[now.Model] = c.res.ByModel[now.Model].Add(more)
	if c.added != nil {
		c.added(cmp.Or(at, s.until), now.Model, more)
	}
	if id != "" {
		c.remember(now)
	}
}

// remember makes r its transcript's newest request and forgets the oldest ones beyond the limit.
func (c *counter) remember(r *tally) {
	s, limit := r.by, openAgent
	if s.main {
		limit = openMain
	}
	s.open = slices.DeleteFunc(s.open, func(other *tally) bool { return other == r })
	s.open = append(s.open, r)
	s.open = slices.Delete(s.open, 0, max(0, len(s.open)-limit))
	c.requests[r.ID] = r
}

// rate returns a model's row. If the price is a guess, it adds a note the first time.
func (c *counter) rate(model string) Row {
	row, found := c.rates[model]
	if found {
		return row
	}
	row, known := c.table.Find(model)
	if !known {
		c.res.Notes = append(c.res.Notes, fmt.Sprintf("Unknown model in cost accounting: %s — "+
			"priced like the nearest known one. Add a row to ### Loop Cost Rates in CLAUDE.md to "+
			"fix.", model))
	}
	c.rates[model] = row
	return row
}

// untilMark is the id prefix of the only entry in Cursor.Open that is not a request. That entry
// holds the newest timestamp seen, which separates old lines from new ones in a replaced file.
const untilMark = "until "

// opened returns the requests that a source's next cursor remembers.
func (s *source) opened() (open []loop.Counted) {
	for _, r := range s.open {
		open = append(open, r.Counted)
	}
	if s.until != "" {
		open = append(open, loop.Counted{ID: untilMark + s.until})
	}
	return open
}

// greater returns the larger of a and b for each field.
func greater(a, b loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: max(a.Input, b.Input), Output: max(a.Output, b.Output),
		CacheRead:    max(a.CacheRead, b.CacheRead),
		CacheWrite5m: max(a.CacheWrite5m, b.CacheWrite5m),
		CacheWrite1h: max(a.CacheWrite1h, b.CacheWrite1h),
		WebSearches:  max(a.WebSearches, b.WebSearches), Messages: max(a.Messages, b.Messages),
		Dollars: max(a.Dollars, b.Dollars),
	}
}
