package usage

import (
	"cmp"
	"strings"

	"hooks/internal/config"
	"hooks/internal/loop"
)

// What Table.Source says, for rate_table_source (R61).
const (
	fromConfig  = "CLAUDE.md SDD config"
	fromBuiltin = "built-in default"
)

// Row is what one model costs, in pico-dollars for one token of each kind.
type Row struct {
	Model                                 string
	Input, Output                         loop.USD
	CacheRead, CacheWrite5m, CacheWrite1h loop.USD
	// Fast multiplies the row in fast mode, Long when the prompt is long; 1 where the model has no such price.
	Fast, Long int64
	// Source says where the row comes from, for people.
	Source string
	own    bool // from the project's configuration
}

// Table is the rates in force: the project's own rows, and the built-in ones for every other model (R60).
type Table struct {
	rows []Row
	own  bool
}

// NewTable puts a project's rows before the built-in ones. A row with only input and output gets 1.25, 2 and 0.1 times
// its input rate for cache writes of five minutes and one hour and for cache reads.
func NewTable(rows []config.Rate) Table {
	t := Table{own: len(rows) > 0}
	for _, r := range rows {
		t.rows = append(t.rows, ownRow(r))
	}
	for _, b := range builtin {
		t.rows = append(t.rows, Row{
			b.name, loop.USD(b.input * perMillion), loop.USD(b.output * perMillion), loop.USD(b.read * perMillion),
			loop.USD(b.write5m * perMillion), loop.USD(b.write1h * perMillion), b.fast, b.long, b.source, false,
		})
	}
	return t
}

// ownRow completes a configured row. The multipliers of fast mode and long prompts are the client's, so they come from
// the built-in row of the same model.
func ownRow(r config.Rate) Row {
	row := Row{
		Model: canonical(r.Model), Input: r.Input, Output: r.Output,
		CacheRead: (r.Input + 5) / 10, CacheWrite5m: (r.Input*5 + 2) / 4, CacheWrite1h: r.Input * 2,
		Fast: 1, Long: 1, Source: fromConfig, own: true,
	}
	for to, from := range map[*loop.USD]*loop.USD{
		&row.CacheRead: r.CacheRead, &row.CacheWrite5m: r.CacheWrite5m, &row.CacheWrite1h: r.CacheWrite1h,
	} {
		if from != nil {
			*to = *from
		}
	}
	return row
}

// Source is what budget.json records as rate_table_source (R61).
func (t Table) Source() string {
	if t.own {
		return fromConfig
	}
	return fromBuiltin
}

// Rows are the rates in force, the project's own first, for people to read: a built-in row whose model one of the
// project's rows prices is left out.
func (t Table) Rows() (rows []Row) {
	for _, r := range t.rows {
		if found, _ := t.Find(r.Model); found.own == r.own {
			rows = append(rows, found)
		}
	}
	return rows
}

// Find returns the row that prices a model. The project's rows win per model: its exact row, then its longest family.
// One of its rows that names a model exactly does not cover another model that the built-in table knows by a longer
// name: a row for claude-opus-5 says nothing about claude-opus-5-5.
//
// Known is false where the price is a guess that a person should hear about: another version of a known family, else
// the dearest row of the family, else the dearest row of all. It is never nothing.
func (t Table) Find(model string) (row Row, known bool) {
	name := canonical(model)
	own, ownFit := longest(t.rows, name, true)
	list, listFit := longest(t.rows, name, false)
	switch {
	case ownFit > 0 && (ownFit >= listFit || !t.lists(own.Model)):
		own.Fast, own.Long = max(list.Fast, 1), max(list.Long, 1)
		return own, true
	case listFit > 0:
		return list, !version(name[len(list.Model):])
	}
	return t.dearest(name), false
}

// lists says whether the built-in table has a row of exactly that name.
func (t Table) lists(name string) bool {
	for _, r := range t.rows {
		if !r.own && r.Model == name {
			return true
		}
	}
	return false
}

// longest finds the row, among the project's own or the built-in ones, whose name is the longest whole part that the
// model's name begins with.
func longest(rows []Row, name string, own bool) (best Row, fit int) {
	for _, r := range rows {
		rest, ok := strings.CutPrefix(name, r.Model)
		if ok && r.own == own && len(r.Model) > fit && (rest == "" || rest[0] == '-') {
			best, fit = r, len(r.Model)
		}
	}
	return best, fit
}

// version says whether what follows a row's name makes it another model, as "-6" does and a date does not.
func version(rest string) bool {
	part, _, _ := strings.Cut(strings.TrimPrefix(rest, "-"), "-")
	return part != "" && part != "0" && len(part) <= 2 && strings.Trim(part, "0123456789") == ""
}

// dearest is the dearest row among those that share the most parts of the name: at least the two that make a family,
// as in claude-sonnet. Fast mode is taken at its dearest too.
func (t Table) dearest(name string) (best Row) {
	most := -1
	for _, r := range t.rows {
		n := parts(name, r.Model)
		if n < 2 {
			n = 0
		}
		if n > most || n == most && r.dearer(best) {
			best, most = r, n
		}
	}
	best.Fast = max(best.Fast, 6)
	return best
}

// dearer compares by output, then input, then cache reads.
func (r Row) dearer(o Row) bool {
	return cmp.Or(cmp.Compare(r.Output, o.Output), cmp.Compare(r.Input, o.Input), cmp.Compare(r.CacheRead, o.CacheRead)) > 0
}

// parts counts the leading parts, between hyphens, that two names share.
func parts(a, b string) (n int) {
	for a != "" && b != "" {
		var pa, pb string
		pa, a, _ = strings.Cut(a, "-")
		pb, b, _ = strings.Cut(b, "-")
		if pa != pb {
			break
		}
		n++
	}
	return n
}

// canonical is a model's name as the tables write it. Vendors wrap it: us.anthropic.claude-opus-4-5-20251101-v1:0,
// anthropic/claude-opus-4.5, claude-opus-4-5@20251101, claude-opus-4-6[1m].
func canonical(model string) string {
	s := strings.ToLower(strings.TrimSpace(model))
	if i := strings.LastIndex(s, "claude-"); i > 0 && strings.ContainsRune("./:", rune(s[i-1])) {
		s = s[i:]
	}
	s, _, _ = strings.Cut(s, "[")
	return strings.NewReplacer(".", "-", "@", "-", ":", "-", "/", "-").Replace(s)
}
