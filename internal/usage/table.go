package usage

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/loop"
)

// Row is the price of one model, in pico-dollars per token of each kind.
type Row struct {
	Model                                 string
	Input, Output                         loop.USD
	CacheRead, CacheWrite5m, CacheWrite1h loop.USD
	// Fast and Long are the row's multipliers for fast mode and for long prompts. They are 1 if the
	// model has no such price.
	Fast, Long int64
	Source     string // origin of the row, shown to people
}

// Table holds the rates in effect: the project's rows, and the built-in ones for all other models
// (R60).
type Table struct {
	// Source is the value of rate_table_source in budget.json (R61): the file of the project's
	// first row, or the built-in table.
	Source    string
	own, list []Row
}

// NewTable returns a table with a project's rows and the built-in ones.
func NewTable(rows []config.Rate) Table {
	t := Table{Source: "built-in default", list: builtin[:]}
	for _, r := range rows {
		t.own = append(t.own, ownRow(r))
		t.Source = t.own[0].Source
	}
	return t
}

// ownRow fills in the prices that a configured row leaves out: five-minute cache writes, one-hour
// cache writes and cache reads cost 1.25, 2 and 0.1 times its input rate. It leaves the multipliers
// for fast mode and long prompts at 1, because Find takes them from the model's built-in row.
func ownRow(r config.Rate) Row {
	or := func(stated *loop.USD, usual loop.USD) loop.USD {
		if stated != nil {
			return *stated
		}
		return usual
	}
	source := "CLAUDE.md SDD config"
	if r.File != "" {
		source = r.File + " SDD config"
	}
	return Row{
		Model: canonical(r.Model), Input: r.Input, Output: r.Output,
		CacheRead:    or(r.CacheRead, (r.Input+5)/10),
		CacheWrite5m: or(r.CacheWrite5m, (r.Input*5+2)/4),
		CacheWrite1h: or(r.CacheWrite1h, r.Input*2),
		Fast:         1, Long: 1, Source: source,
	}
}

// Rows returns the rates in effect for display, the project's rows first. It omits built-in rows
// for models that the project prices.
func (t Table) Rows() (rows []Row) {
	for _, r := range slices.Concat(t.own, t.list) {
		if found, _ := t.Find(r.Model); found.Source == r.Source {
			rows = append(rows, found)
		}
	}
	return rows
}

// Find returns the row that prices a model. The project's row with the longest matching name takes
// precedence over the built-in rows. But a project row that names a built-in model exactly does not
// cover another model with a longer built-in name: a row for claude-opus-5 does not price
// claude-opus-5-5.
//
// known is false if the price is a guess to warn about: another version of a known family, else the
// dearest row of the family, else the dearest row of all. A guess is never zero.
func (t Table) Find(model string) (row Row, known bool) {
	name := canonical(model)
	own, list := longest(t.own, name), longest(t.list, name)
	exact := slices.ContainsFunc(t.list, func(r Row) bool { return r.Model == own.Model })
	switch {
	case own.Model != "" && (len(own.Model) >= len(list.Model) || !exact):
		own.Fast, own.Long = max(list.Fast, 1), max(list.Long, 1)
		return own, true
	case list.Model != "":
		return list, !version(name[len(list.Model):])
	}
	return t.dearest(name), false
}

// Dearer returns the price of model as a multiple of base's price, in tenths. It returns 0 if model
// is not dearer.
func (t Table) Dearer(model, base string) (tenths int64) {
	now, _ := t.Find(model)
	before, _ := t.Find(base)
	price, old := now.Input+now.Output, before.Input+before.Output
	if old == 0 || price <= old {
		return 0
	}
	return int64((price*10 + old/2) / old)
}

// longest returns the row whose name is the longest prefix of name that ends before a hyphen or at
// the end of name.
func longest(rows []Row, name string) (best Row) {
	for _, r := range rows {
		rest, ok := strings.CutPrefix(name, r.Model)
		if ok && len(r.Model) > len(best.Model) && (rest == "" || rest[0] == '-') {
			best = r
		}
	}
	return best
}

// version reports whether rest, which follows a row's name, is a version such as "-6", so that the
// name denotes another model. A date is not a version.
func version(rest string) bool {
	part, _, _ := strings.Cut(strings.TrimPrefix(rest, "-"), "-")
	return part != "" && part != "0" && len(part) <= 2 && strings.Trim(part, "0123456789") == ""
}

// dearest returns the dearest row of a model's family, such as claude-sonnet, or of all rows if the
// family has none. It also assumes the dearest fast mode.
func (t Table) dearest(name string) (best Row) {
	parts := strings.SplitN(name, "-", 3)
	family := strings.Join(parts[:min(len(parts), 2)], "-") + "-"
	for _, prefix := range []string{family, ""} {
		for _, r := range slices.Concat(t.own, t.list) {
			more := cmp.Or(cmp.Compare(r.Output, best.Output),
				cmp.Compare(r.Input, best.Input), cmp.Compare(r.CacheRead, best.CacheRead))
			if more > 0 && strings.HasPrefix(r.Model, prefix) {
				best = r
			}
		}
		if best.Model != "" {
			break
		}
	}
	best.Fast = max(best.Fast, 6)
	return best
}

// canonical returns a model's name as the tables spell it. Vendors write
// us.anthropic.claude-opus-4-5-20251101-v1:0, anthropic/claude-opus-4.5, claude-opus-4-5@20251101
// or claude-opus-4-6[1m].
func canonical(model string) string {
	s := strings.ToLower(strings.TrimSpace(model))
	if i := strings.LastIndex(s, "claude-"); i > 0 && strings.ContainsRune("./:", rune(s[i-1])) {
		s = s[i:]
	}
	s, _, _ = strings.Cut(s, "[")
	return strings.NewReplacer(".", "-", "@", "-", ":", "-", "/", "-").Replace(s)
}

// webSearch is the price of one server-side web search.
const webSearch = loop.Cent

// maxTokens is the maximum number of tokens of each kind in one request. It is far above any real
// number. Even at the highest price that a configuration may set, the price of a request cannot
// overflow. A line with more tokens counts as unreadable.
const maxTokens = 10_000_000

// request holds the usage of one request to a model.
type request struct {
	Tokens loop.Tokens // Dollars is ignored
	Fast   bool        // usage.speed is "fast"
	US     bool        // usage.inference_geo is "us"
	// Parts holds the samplings of the request if there were several, for example because a server
	// tool ran in between. Each has its own prompt, which may or may not be long.
	Parts []loop.Tokens
}

// cost prices one request with the client's own formula, to the pico-dollar: each kind at its rate,
// the row's multipliers for a long prompt and fast mode, 1.1 times the tokens' price for US
// inference, and a cent for each web search.
func (r Row) cost(q request) loop.USD {
	var all loop.Tokens
	for _, n := range q.Parts {
		all = all.Add(n)
	}
	parts, sum := q.Parts, loop.USD(0)
	all.WebSearches, all.Messages, all.Dollars = q.Tokens.WebSearches, q.Tokens.Messages,
		q.Tokens.Dollars
	if all != q.Tokens { // the parts do not add up to the total
		parts = []loop.Tokens{q.Tokens}
	}
	for _, n := range parts {
		sum += r.sampling(n)
	}
	if q.Fast {
		sum *= loop.USD(max(r.Fast, 1))
	}
	if q.US {
		sum = (sum*11 + 5) / 10
	}
	return sum + webSearch*loop.USD(q.Tokens.WebSearches)
}

// sampling prices the tokens of one prompt and its response.
func (r Row) sampling(n loop.Tokens) loop.USD {
	sum := r.Input*loop.USD(n.Input) + r.Output*loop.USD(n.Output) +
		r.CacheRead*loop.USD(n.CacheRead) + r.CacheWrite5m*loop.USD(n.CacheWrite5m) +
		r.CacheWrite1h*loop.USD(n.CacheWrite1h)
	if n.In() > longPrompt {
		return sum * loop.USD(max(r.Long, 1))
	}
	return sum
}
