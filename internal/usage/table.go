package usage

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/loop"
)

// The values of Table.Source, for rate_table_source (R61).
const (
	fromConfig   = "CLAUDE.md SDD config"
	fromSettings = config.SettingsFile + " SDD config"
	fromBuiltin  = "built-in default"
)

// Row is the price of one model, in pico-dollars for one token of each kind.
type Row struct {
	Model                                 string
	Input, Output                         loop.USD
	CacheRead, CacheWrite5m, CacheWrite1h loop.USD
	// Fast multiplies the row in fast mode, Long when the prompt is long; 1 if the model has no
	// such price.
	Fast, Long int64
	Source     string // where the row comes from, for people
}

// Table is the rates in force: the project's own rows, and the built-in ones for every other model
// (R60).
type Table struct{ own, list []Row }

// NewTable puts a project's rows before the built-in ones.
func NewTable(rows []config.Rate) (t Table) {
	for _, r := range rows {
		t.own = append(t.own, ownRow(r))
	}
	for _, b := range builtin {
		price := func(thousandths int64) loop.USD { return loop.USD(thousandths * perMillion) }
		t.list = append(t.list, Row{
			b.name, price(b.input), price(b.output),
			price(b.read), price(b.write5m), price(b.write1h), b.fast, b.long, b.source,
		})
	}
	return t
}

// ownRow completes a configured row: cache writes of five minutes and one hour and cache reads cost
// 1.25, 2 and 0.1 times its input rate unless it states them. The multipliers of fast mode and long
// prompts are the client's: Find takes them from the built-in row of the same model.
func ownRow(r config.Rate) Row {
	or := func(stated *loop.USD, usual loop.USD) loop.USD {
		if stated != nil {
			return *stated
		}
		return usual
	}
	return Row{
		Model: canonical(r.Model), Input: r.Input, Output: r.Output,
		CacheRead:    or(r.CacheRead, (r.Input+5)/10),
		CacheWrite5m: or(r.CacheWrite5m, (r.Input*5+2)/4),
		CacheWrite1h: or(r.CacheWrite1h, r.Input*2),
		Fast:         1, Long: 1, Source: sourceOf(r),
	}
}

func sourceOf(r config.Rate) string {
	if r.File == config.SettingsFile {
		return fromSettings
	}
	return fromConfig
}

// Source is recorded in budget.json as rate_table_source (R61): the first file that has a row.
func (t Table) Source() string {
	if len(t.own) > 0 {
		return t.own[0].Source
	}
	return fromBuiltin
}

// Rows are the rates in force, the project's own first, for people to read, without the built-in
// rows of models that one of the project's rows prices.
func (t Table) Rows() (rows []Row) {
	for _, list := range [][]Row{t.own, t.list} {
		for _, r := range list {
			found, _ := t.Find(r.Model)
			if isOwn(found) == isOwn(r) {
				rows = append(rows, found)
			}
		}
	}
	return rows
}

// isOwn reports whether a row is the project's.
func isOwn(r Row) bool { return r.Source == fromConfig || r.Source == fromSettings }

// Find returns the row that prices a model. The project's rows win per model: its exact row, then
// its longest family. One of its rows that names a model exactly does not cover another model that
// the built-in table knows by a longer name: a row for claude-opus-5 does not price
// claude-opus-5-5.
//
// Known is false if the price is a guess that a person should hear about: another version of a
// known family, else the dearest row of the family, else the dearest row of all. It is never zero.
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

// Dearer returns a model's price in tenths of another one's, 0 unless it is dearer.
func (t Table) Dearer(model, than string) (tenths int64) {
	now, _ := t.Find(model)
	before, _ := t.Find(than)
	price, base := now.Input+now.Output, before.Input+before.Output
	if base == 0 || price <= base {
		return 0
	}
	return int64((price*10 + base/2) / base)
}

// longest finds the row whose name is the longest whole part that the model's name begins with.
func longest(rows []Row, name string) (best Row) {
	for _, r := range rows {
		rest, ok := strings.CutPrefix(name, r.Model)
		if ok && len(r.Model) > len(best.Model) && (rest == "" || rest[0] == '-') {
			best = r
		}
	}
	return best
}

// version reports whether what follows a row's name makes it another model, as "-6" does and a date
// does not.
func version(rest string) bool {
	part, _, _ := strings.Cut(strings.TrimPrefix(rest, "-"), "-")
	return part != "" && part != "0" && len(part) <= 2 && strings.Trim(part, "0123456789") == ""
}

// dearest is the dearest row among those that share the most parts of the name: at least the two
// that make a family, as in claude-sonnet. Fast mode is taken at its dearest too.
func (t Table) dearest(name string) (best Row) {
	most := -1
	for _, r := range slices.Concat(t.own, t.list) {
		n := parts(name, r.Model)
		if n < 2 {
			n = 0
		}
		dearer := cmp.Or(cmp.Compare(r.Output, best.Output), cmp.Compare(r.Input, best.Input),
			cmp.Compare(r.CacheRead, best.CacheRead)) > 0
		if n > most || n == most && dearer {
			best, most = r, n
		}
	}
	best.Fast = max(best.Fast, 6)
	return best
}

// parts counts the leading parts, between hyphens, that two names share.
func parts(a, b string) (n int) {
	as, bs := strings.Split(a, "-"), strings.Split(b, "-")
	for n < min(len(as), len(bs)) && as[n] == bs[n] {
		n++
	}
	return n
}

// canonical is a model's name as the tables write it. Vendors wrap it:
// us.anthropic.claude-opus-4-5-20251101-v1:0, anthropic/claude-opus-4.5, claude-opus-4-5@20251101,
// claude-opus-4-6[1m].
func canonical(model string) string {
	s := strings.ToLower(strings.TrimSpace(model))
	if i := strings.LastIndex(s, "claude-"); i > 0 && strings.ContainsRune("./:", rune(s[i-1])) {
		s = s[i:]
	}
	s, _, _ = strings.Cut(s, "[")
	return strings.NewReplacer(".", "-", "@", "-", ":", "-", "/", "-").Replace(s)
}
