package doctor

import (
	"slices"

	"hooks/internal/loop"
	"hooks/internal/usage"
)

func rates(m *machine, n *notes) {
	table, days := usage.NewTable(m.config.Rates), usage.AgeDays(m.Now)
	n.note("%s; the built-in table is of %s, %s old",
		table.Source(), usage.Dated, loop.Plural(days, "day"))
	for _, r := range m.config.Rates {
		if r.Input == 0 || r.Output == 0 {
			n.warn("write the model's price; with 0 the dollar ceiling never fires for it",
				"line %d of Loop Cost Rates: %s costs $0", r.Line, r.Model)
		}
	}
	if days > usage.StaleDays {
		n.warn("update hooks, or add the new prices to ### Loop Cost Rates in CLAUDE.md",
			"the built-in prices are %s old", loop.Plural(days, "day"))
	}
}

// skippedLines checks that the last run could read its transcripts. What it could not read is not
// counted.
func skippedLines(m *machine, n *notes) {
	newest := slices.MaxFunc(m.history().runs, func(a, b loop.Budget) int {
		return a.StartedAt.Compare(b.StartedAt)
	})
	if newest.SkippedLines > 0 {
		n.warn("update hooks if the client was updated; see `hooks cost` for what was counted",
			"run %s: %s could not be read, and what they spent is in no sum",
			newest.RunID, loop.Plural(newest.SkippedLines, "transcript line"))
		return
	}
	n.note("run %s: every line was read", newest.RunID)
}
