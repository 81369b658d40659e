package usage

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// line counts one line. A nil line was too long to look at.
func (c *counter) line(t *transcript, line []byte) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if line != nil && len(line) == 0 {
		return
	}
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		c.res.Skipped++
		return
	}
	if c.money && headType(line) == "user" || !t.matters(line) && !c.awaited(line) {
		return
	}
	parse := read
	if c.money { // a first look, which the count at the end replaces
		parse = fields
	}
	r, ok := parse(line)
	if !ok {
		c.res.Skipped++
		return
	}
	if t.counted(r, c.lines.offset) || r.copied {
		return
	}
	switch r.kind {
	case "assistant":
		c.calls(r)
		c.assistant(t, r)
	case "user":
		c.returned(r)
		c.user(t, r)
	}
}

// matters says, as cheaply as can be, whether a line may hold usage or something that a person did.
func (t *transcript) matters(line []byte) bool {
	switch headType(line) {
	case "assistant":
		return markUsage.in(line)
	case "user":
		return t.main && (markInterrupt.in(line) || markAnswers.in(line))
	case "":
		return markUsage.in(line) || t.main && (markInterrupt.in(line) || markAnswers.in(line))
	}
	return false
}

// counted says whether a line belongs to what was counted before the cursor, and keeps the newest time.
func (t *transcript) counted(r record, end int64) bool {
	old := t.floor != "" && r.at != "" && r.at < t.floor
	blind := t.before > 0 && (r.at == "" || t.floor == "") && end <= t.before
	if r.at > t.until {
		t.until = strings.Clone(r.at)
	}
	return old || blind
}

// user takes note of what a person did in the main transcript.
func (c *counter) user(t *transcript, r record) {
	if !t.main || r.sidechain {
		return
	}
	if r.interrupted() {
		c.res.Interrupted = append(c.res.Interrupted, strings.Clone(r.prompt))
	}
	if a, ok := r.answer(); ok {
		c.res.Answers = append(c.res.Answers, a)
		c.res.Answers = c.res.Answers[max(0, len(c.res.Answers)-maxAnswers):]
	}
}

// assistant adds what a request used more than was counted for it.
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

// spent counts what a request used more than was counted for it before, and says whether it is a new one. Of requests
// without an id each counts.
func (c *counter) spent(t *transcript, at, id string, s spent) (fresh bool) {
	before, known := t.ledger.known(id)
	if !known {
		before = loop.Counted{ID: id, Model: c.rate(s.model).name}
	}
	now := before
	now.Tokens = most(before.Tokens, s.Tokens)
	price := s.request
	price.Tokens = now.Tokens
	now.Tokens.Dollars = max(before.Tokens.Dollars, c.rate(now.Model).row.cost(price))
	c.add(t.index, now.Model, minus(now.Tokens, before.Tokens))
	if c.told != nil {
		c.told(cmp.Or(at, t.until), now.Model, minus(now.Tokens, before.Tokens))
	}
	if id == "" {
		return false
	}
	t.ledger.put(now)
	return !known
}

// rate finds a model's row once, and warns of a guess once.
func (c *counter) rate(model string) rated {
	if r, ok := c.rates[model]; ok {
		return r
	}
	name := strings.Clone(model[:min(len(model), 128)])
	row, known := c.table.Find(name)
	if !known && !slices.Contains(c.res.Unknown, name) {
		c.res.Unknown = append(c.res.Unknown, name)
	}
	if len(c.rates) < 1000 { // only rubbish names more models
		c.rates[name] = rated{row, name}
	}
	return rated{row, name}
}

func (c *counter) add(index int, model string, more loop.Tokens) {
	if c.apart != nil {
		if c.apart[index] == nil {
			c.apart[index] = map[string]loop.Tokens{}
		}
		c.apart[index][model] = c.apart[index][model].Add(more)
	}
	c.res.ByModel[model] = c.res.ByModel[model].Add(more)
}

// maxOwners bounds the requests of subagents that are remembered while the main transcript is read.
const maxOwners = 1 << 16

// own remembers which file counts a request: by its whole id, and by the message id alone for an old client's copies.
func (c *counter) own(index int, id string) {
	if c.single || len(c.owners) >= 2*maxOwners {
		return
	}
	message, _, _ := strings.Cut(id, " ")
	for _, key := range []uint64{maphash.String(c.seed, id), maphash.String(c.seed, message)} {
		if _, taken := c.owners[key]; !taken {
			c.owners[key] = index
		}
	}
}

// elsewhere says whether another file counts this request. Old clients repeat subagents' lines in the main transcript,
// marked as a sidechain; those are known by the message id alone.
func (c *counter) elsewhere(t *transcript, r record, message, id string) bool {
	if c.single {
		return false
	}
	key := maphash.String(c.seed, id)
	if t.main && r.sidechain {
		key = maphash.String(c.seed, message)
	}
	owner, ok := c.owners[key]
	return ok && owner != t.index
}
