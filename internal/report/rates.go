package report

import (
	"fmt"
	"slices"

	"hooks/internal/loop"
)

// Rates is the price table in force.
type Rates struct {
	Source   string    `json:"rate_table_source"`
	Dated    string    `json:"built_in_table_dated"`
	AgeDays  int       `json:"built_in_table_age_days"`
	Rows     []RateRow `json:"rows"`
	Warnings []string  `json:"warnings,omitempty"` // rows of the configuration that cannot be read
}

// RateRow is what a model and its dated releases cost, in dollars for a million tokens of each
// kind.
type RateRow struct {
	Model        string   `json:"model"`
	Input        loop.USD `json:"input"`
	Output       loop.USD `json:"output"`
	CacheRead    loop.USD `json:"cache_read"`
	CacheWrite5m loop.USD `json:"cache_write_5m"`
	CacheWrite1h loop.USD `json:"cache_write_1h"`
	Fast         int64    `json:"fast_mode_times"`   // 1: no such price
	Long         int64    `json:"long_prompt_times"` // of a prompt over 100,000 tokens
	Source       string   `json:"source"`
}

// RateTable draws the table.
func RateTable(s Screen, r Rates) string {
	p := newPage(s.unwrapped())
	p.line(plain, "API-equivalent: dollars for a million tokens")
	p.blank()
	t := table{columns: []column{{name: "model"}, {name: "input", right: true},
		{name: "output", right: true}}}
	t.columns = append(t.columns, counts("cache read", "write 5m", "write 1h", "fast", "long")...)
	var sources []string
	for _, row := range r.Rows {
		sources = loop.AppendNew(sources, row.Source)
		cells := []string{fmt.Sprintf("%s [%d]", row.Model, 1+slices.Index(sources, row.Source))}
		for _, u := range []loop.USD{row.Input, row.Output, row.CacheRead, row.CacheWrite5m,
			row.CacheWrite1h} {
			cells = append(cells, exact(u))
		}
		t.add(append(cells, times(row.Fast), times(row.Long))...)
	}
	p.table(t)
	p.blank()
	for i, source := range sources {
		p.line(plain, "[%d] %s", i+1, source)
	}
	p.blank()
	p.line(plain, "The built-in rows are dated %s, %s ago.", r.Dated, loop.Plural(r.AgeDays, "day"))
	p.line(plain, "Rows under Loop Cost Rates in CLAUDE.md win per model.")
	p.notes("Warning", r.Warnings)
	return p.String()
}

func times(n int64) string {
	if n <= 1 {
		return "-"
	}
	return fmt.Sprint(n)
}

// StaleRates is the note that the built-in price table is old.
func StaleRates(dated string, days int) string {
	return fmt.Sprintf("The built-in price table is dated %s, %s ago: "+
		"compare `hooks cost --rates` with today's prices; "+
		"rows under ### Loop Cost Rates in CLAUDE.md win", dated,
		loop.Plural(days, "day"))
}

// maxWarnings bounds how many lines of the configuration a status block quotes.
const maxWarnings = 3

// ConfigNotes are the notes about lines of the configuration that have no effect.
func ConfigNotes(warnings []string) (notes []string) {
	for _, w := range warnings[:min(maxWarnings, len(warnings))] {
		notes = append(notes, "Configuration: "+w)
	}
	if more := len(warnings) - maxWarnings; more > 0 {
		notes = append(notes, fmt.Sprintf(
			"Configuration: %s (hooks cost --rates lists them)",
			loop.Plural(more, "more such line")))
	}
	return notes
}
