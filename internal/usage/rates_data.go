package usage

import "time"

// Dated is the date on which the built-in prices were measured. Newer models are priced like their
// family, with a warning.
const Dated = "2026-11-20"

// StaleDays is the age of the built-in table, in days, after which a person is warned.
const StaleDays = 90

// The sources of built-in rows.
const (
	measured = "the client's own accounting, version 2.1.329, measured 2026-11-20"
	catalog  = "the client's model catalog, version 2.1.329, read 2026-11-20"
	list     = "the public price list; not in the client's catalog any more"
)

// builtin lists prices in thousandths of a dollar per million tokens: input, output, cache read,
// five-minute cache write, one-hour cache write. fast and long are the multipliers for fast mode
// and for a prompt over longPrompt. A name covers its dated releases too.
var builtin = [...]struct {
	name                                  string
	input, output, read, write5m, write1h int64
	fast, long                            int64
	source                                string
}{
	{"claude-opus-5-5", 4000, 20000, 200, 5000, 8000, 2, 1, measured},
	{"claude-opus-5", 5000, 25000, 500, 6250, 10000, 2, 1, measured},
	{"claude-opus-4-8", 5000, 25000, 500, 6250, 10000, 2, 1, measured},
	{"claude-opus-4-7", 5000, 25000, 500, 6250, 10000, 6, 1, measured},
	{"claude-opus-4-6", 5000, 25000, 500, 6250, 10000, 6, 1, measured},
	{"claude-opus-4-5", 5000, 25000, 500, 6250, 10000, 1, 1, measured},
	{"claude-opus-4-1", 15000, 75000, 1500, 18750, 30000, 1, 1, catalog},
	{"claude-opus-4", 15000, 75000, 1500, 18750, 30000, 1, 1, catalog},
	{"claude-3-opus", 15000, 75000, 1500, 18750, 30000, 1, 1, list},
	{"claude-sonnet-5-5", 2000, 10000, 100, 2500, 4000, 1, 1, measured},
	{"claude-sonnet-5", 2000, 10000, 200, 2500, 4000, 1, 1, measured},
	{"claude-sonnet-4-6", 3000, 15000, 300, 3750, 6000, 1, 1, measured},
	{"claude-sonnet-4-5", 3000, 15000, 300, 3750, 6000, 1, 1, measured},
	{"claude-sonnet-4", 3000, 15000, 300, 3750, 6000, 1, 1, measured},
	{"claude-3-7-sonnet", 3000, 15000, 300, 3750, 6000, 1, 1, measured},
	{"claude-3-5-sonnet", 3000, 15000, 300, 3750, 6000, 1, 1, catalog},
	{"claude-haiku-5-5", 100, 500, 10, 125, 200, 1, 5, measured},
	{"claude-haiku-4-5", 1000, 5000, 100, 1250, 2000, 1, 1, measured},
	{"claude-3-5-haiku", 800, 4000, 80, 1000, 1600, 1, 1, measured},
	{"claude-3-haiku", 250, 1250, 30, 300, 500, 1, 1, list},
	{"claude-fable-5-2", 8000, 40000, 200, 10000, 16000, 2, 1, measured},
	{"claude-mythos-5-2", 8000, 40000, 200, 10000, 16000, 2, 1, measured},
	{"claude-fable-5-1", 10000, 50000, 250, 12500, 20000, 1, 1, measured},
	{"claude-mythos-5-1", 10000, 50000, 250, 12500, 20000, 1, 1, measured},
	{"claude-fable-5", 10000, 50000, 1000, 12500, 20000, 1, 1, measured},
	{"claude-mythos-5", 10000, 50000, 1000, 12500, 20000, 1, 1, measured},
}

// perMillion converts thousandths of a dollar per million tokens to pico-dollars per token.
const perMillion = 1000

// longPrompt is the prompt size above which a row's long multiplier applies, in tokens: input,
// cache reads and cache writes of one request together.
const longPrompt = 100_000

// AgeDays returns the age of the built-in table in whole days, or 0 before its date.
func AgeDays(now time.Time) int {
	dated, _ := time.Parse(time.DateOnly, Dated)
	return max(0, int(now.Sub(dated)/(24*time.Hour)))
}
