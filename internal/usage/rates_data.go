package usage

import (
	"fmt"
	"time"

	"hooks/internal/english"
)

// Dated is the date when the built-in prices were measured. Newer models get their family's price,
// with a warning.
const Dated = "2026-11-20"

// The sources of built-in rows.
const (
	measured = "measured from the accounting of client 2.1.329 on 2026-11-20"
	catalog  = "read from the model catalog of client 2.1.329 on 2026-11-20"
	list     = "the public price list; no longer in the client's catalog"
)

// builtin lists the prices in dollars per million tokens, written as pico-dollars per token: input,
// output, cache read, five-minute cache write, one-hour cache write. The multipliers for fast mode
// and for prompts over longPrompt follow. A name also covers its dated releases.
var builtin = [...]Row{
	{"claude-opus-5-5", 4e6, 20e6, 0.2e6, 5e6, 8e6, 2, 1, measured},
	{"claude-opus-5", 5e6, 25e6, 0.5e6, 6.25e6, 10e6, 2, 1, measured},
	{"claude-opus-4-8", 5e6, 25e6, 0.5e6, 6.25e6, 10e6, 2, 1, measured},
	{"claude-opus-4-7", 5e6, 25e6, 0.5e6, 6.25e6, 10e6, 6, 1, measured},
	{"claude-opus-4-6", 5e6, 25e6, 0.5e6, 6.25e6, 10e6, 6, 1, measured},
	{"claude-opus-4-5", 5e6, 25e6, 0.5e6, 6.25e6, 10e6, 1, 1, measured},
	{"claude-opus-4-1", 15e6, 75e6, 1.5e6, 18.75e6, 30e6, 1, 1, catalog},
	{"claude-opus-4", 15e6, 75e6, 1.5e6, 18.75e6, 30e6, 1, 1, catalog},
	{"claude-3-opus", 15e6, 75e6, 1.5e6, 18.75e6, 30e6, 1, 1, list},
	{"claude-sonnet-5-5", 2e6, 10e6, 0.1e6, 2.5e6, 4e6, 1, 1, measured},
	{"claude-sonnet-5", 2e6, 10e6, 0.2e6, 2.5e6, 4e6, 1, 1, measured},
	{"claude-sonnet-4-6", 3e6, 15e6, 0.3e6, 3.75e6, 6e6, 1, 1, measured},
	{"claude-sonnet-4-5", 3e6, 15e6, 0.3e6, 3.75e6, 6e6, 1, 1, measured},
	{"claude-sonnet-4", 3e6, 15e6, 0.3e6, 3.75e6, 6e6, 1, 1, measured},
	{"claude-3-7-sonnet", 3e6, 15e6, 0.3e6, 3.75e6, 6e6, 1, 1, measured},
	{"claude-3-5-sonnet", 3e6, 15e6, 0.3e6, 3.75e6, 6e6, 1, 1, catalog},
	{"claude-haiku-5-5", 0.1e6, 0.5e6, 0.01e6, 0.125e6, 0.2e6, 1, 5, measured},
	{"claude-haiku-4-5", 1e6, 5e6, 0.1e6, 1.25e6, 2e6, 1, 1, measured},
	{"claude-3-5-haiku", 0.8e6, 4e6, 0.08e6, 1e6, 1.6e6, 1, 1, measured},
	{"claude-3-haiku", 0.25e6, 1.25e6, 0.03e6, 0.3e6, 0.5e6, 1, 1, list},
	{"claude-fable-5-2", 8e6, 40e6, 0.2e6, 10e6, 16e6, 2, 1, measured},
	{"claude-mythos-5-2", 8e6, 40e6, 0.2e6, 10e6, 16e6, 2, 1, measured},
	{"claude-fable-5-1", 10e6, 50e6, 0.25e6, 12.5e6, 20e6, 1, 1, measured},
	{"claude-mythos-5-1", 10e6, 50e6, 0.25e6, 12.5e6, 20e6, 1, 1, measured},
	{"claude-fable-5", 10e6, 50e6, 1e6, 12.5e6, 20e6, 1, 1, measured},
	{"claude-mythos-5", 10e6, 50e6, 1e6, 12.5e6, 20e6, 1, 1, measured},
}

// longPrompt is the prompt size in tokens above which a row's long multiplier applies. The size is
// the sum of input, cache reads and cache writes of one sampling.
const longPrompt = 100_000

// AgeDays returns the age of the built-in table in whole days, or 0 before its date.
func AgeDays(now time.Time) int {
	dated, _ := time.Parse(time.DateOnly, Dated)
	return max(0, int(now.Sub(dated)/(24*time.Hour)))
}

// Stale returns a warning if the built-in table is more than 90 days old, and "" otherwise.
func Stale(now time.Time) string {
	days := AgeDays(now)
	if days <= 90 {
		return ""
	}
	return fmt.Sprintf("The built-in price table is dated %s, %s ago; "+
		"compare `hooks cost --rates` with today's prices, "+
		"and add rows under ### Loop Cost Rates in CLAUDE.md to override it",
		Dated, english.Plural(days, "day"))
}
