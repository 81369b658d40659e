package inspect

import (
	"cmp"
	"slices"
	"time"

	"hooks/internal/loop"
	"hooks/internal/report"
)

// Cost is what the runs spent, or one of them, by model, iteration, run, task, phase, day,
// agent or project. Sums are exact. What belongs to no row has one of its own, so that every way
// comes to the same total. Of all runs of a project only the last most iterations have rows of
// their own.
func (d *Inspector) Cost(by, runID string, most int) (report.Cost, error) {
	c := report.Cost{By: by, All: d.Everywhere, Rows: []report.CostRow{}}
	if by == "day" {
		c.Zone = zoneOf(d.Now())
	}
	var ledgers []*ledger
	err := d.askTrees(func(v *question) error {
		list, err := v.ledgers(runID, by, most)
		ledgers = append(ledgers, list...)
		return err
	})
	if err == nil && runID != "" && len(ledgers) == 0 {
		err = noRun(runID)
	}
	var rest loop.Tokens
	for _, l := range ledgers {
		left := missing(l.total(), sumOf(l.rows))
		switch by {
		case "model", "day", "project":
			for _, row := range l.rows {
				c.Rows = addRow(c.Rows, row)
			}
			rest = rest.Add(left)
		default:
			c.Rows = withRest(append(c.Rows, l.rows...), left, l.run.RunID+" "+outside[by])
		}
		c.Total = c.Total.Add(l.total())
		c.Notes = loop.AppendNew(c.Notes, l.notes...)
	}
	if by == "model" || by == "day" {
		slices.SortStableFunc(c.Rows, inOrder)
	}
	c.Rows = withRest(c.Rows, rest, outside[by])
	return c, err
}

// outside names what the rows do not cover, by what they are of.
var outside = map[string]string{"model": "recorded without a model", "day": "outside of iterations",
	"iteration": "outside of its iterations", "task": "outside of its tasks",
	"phase": "outside of its phases", "agent": "not in its transcripts"}

// zoneOf names a time zone, with its distance from UTC where the name alone may not say it.
func zoneOf(now time.Time) string {
	if name := now.Location().String(); name != "Local" {
		return name
	}
	return now.Format("MST (UTC-07:00)")
}

// addRow adds to the row of the same project, task, phase, day, model or agent.
func addRow(rows []report.CostRow, row report.CostRow) []report.CostRow {
	i := slices.IndexFunc(rows, func(r report.CostRow) bool {
		return r.Project == row.Project && r.Number == row.Number && r.Phase == row.Phase &&
			r.Day == row.Day && r.Model == row.Model && r.SessionID == row.SessionID &&
			r.Agent == row.Agent
	})
	if i < 0 {
		return append(rows, row)
	}
	rows[i].Tokens = rows[i].Tokens.Add(row.Tokens)
	return rows
}

// inOrder puts the first task, phase or day first, and the dearest model or agent.
func inOrder(a, b report.CostRow) int {
	phase := func(r report.CostRow) int { return slices.Index(loop.Phases[:], r.Phase) }
	first := cmp.Or(a.Number-b.Number, phase(a)-phase(b), cmp.Compare(a.Day, b.Day))
	if first != 0 || a.Model+a.Agent == "" {
		return first
	}
	return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(a.Model+a.Agent, b.Model+b.Agent))
}

// withRest adds a row for what the others do not cover, if there is anything.
func withRest(rows []report.CostRow, rest loop.Tokens, what string) []report.CostRow {
	if rest != (loop.Tokens{}) {
		rows = append(rows, report.CostRow{Rest: what, Tokens: rest})
	}
	return rows
}

func sumOf(rows []report.CostRow) (sum loop.Tokens) {
	for _, r := range rows {
		sum = sum.Add(r.Tokens)
	}
	return sum
}

// missing is what a total has above a sum, kind by kind.
func missing(total, sum loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: max(0, total.Input-sum.Input), Output: max(0, total.Output-sum.Output),
		CacheRead:    max(0, total.CacheRead-sum.CacheRead),
		CacheWrite5m: max(0, total.CacheWrite5m-sum.CacheWrite5m),
		CacheWrite1h: max(0, total.CacheWrite1h-sum.CacheWrite1h),
		WebSearches:  max(0, total.WebSearches-sum.WebSearches),
		Messages:     max(0, total.Messages-sum.Messages),
		Dollars:      max(0, total.Dollars-sum.Dollars),
	}
}
