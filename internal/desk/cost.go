package desk

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// Cost tells what the project's runs spent, apart by model, iteration, run or agent; of one run, or of all for "".
// Sums are exact. What one way cannot tell apart stands in a row of its own, so that every way comes to the same total. Of
// all runs together the last most iterations have rows of their own, the earlier ones of each run one together.
func (d *Desk) Cost(by, runID string, most int) (report.Cost, error) {
	c := report.Cost{By: by, Rows: []report.CostRow{}}
	v, err := d.visit()
	if err != nil || v.files == nil {
		return c, err
	}
	defer v.files.Close()
	ledgers, err := v.ledgers(runID, by, most)
	if err != nil {
		return c, err
	}
	if runID != "" && len(ledgers) == 0 {
		return c, noRun(runID)
	}
	switch by {
	case "model":
		c.Rows = costByModel(ledgers)
	case "iteration":
		c.Rows = rowsOf(ledgers, (*ledger).byIteration)
	case "agent":
		table := usage.NewTable(config.Load(v.project).Rates)
		c.Rows = rowsOf(ledgers, func(l *ledger) []report.CostRow { return l.byAgent(table) })
	default:
		c.Rows = rowsOf(ledgers, (*ledger).whole)
	}
	for _, l := range ledgers {
		c.Total = c.Total.Add(l.total())
		c.Notes = loop.AppendNew(c.Notes, l.notes...)
	}
	return c, nil
}

func rowsOf(list []*ledger, rows func(*ledger) []report.CostRow) []report.CostRow {
	out := []report.CostRow{}
	for _, l := range list {
		out = append(out, rows(l)...)
	}
	return out
}

func (l *ledger) whole() []report.CostRow {
	state := string(l.run.Status)
	if l.run.StopCause != "" {
		state += " " + l.run.StopCause
	}
	return []report.CostRow{{RunID: l.run.RunID, Skill: l.run.Skill, State: state, Tokens: l.total()}}
}

func costByModel(list []*ledger) []report.CostRow {
	rows := []report.CostRow{}
	var rest loop.Tokens
	for _, l := range list {
		var told loop.Tokens
		for model, t := range l.run.TokensByModel {
			told = told.Add(t)
			if i := slices.IndexFunc(rows, func(r report.CostRow) bool { return r.Model == model }); i >= 0 {
				rows[i].Tokens = rows[i].Tokens.Add(t)
			} else {
				rows = append(rows, report.CostRow{Model: model, Tokens: t})
			}
		}
		rest = rest.Add(l.untold(told))
	}
	dearestFirst(rows)
	return withRest(rows, rest, "recorded without a model")
}

func dearestFirst(rows []report.CostRow) {
	slices.SortStableFunc(rows, func(a, b report.CostRow) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(a.Model+a.Agent, b.Model+b.Agent))
	})
}

// withRest adds a row for what the others do not cover, if there is anything.
func withRest(rows []report.CostRow, rest loop.Tokens, what string) []report.CostRow {
	if rest != (loop.Tokens{}) {
		rows = append(rows, report.CostRow{Rest: what, Tokens: rest})
	}
	return rows
}

func (l *ledger) byIteration() (rows []report.CostRow) {
	add := func(n int, state string, t loop.Tokens) {
		rows = append(rows, report.CostRow{RunID: l.run.RunID, Skill: l.run.Skill, Iteration: n, State: state, Tokens: t})
	}
	rows = make([]report.CostRow, 0, len(l.spent)+3)
	rows = withRest(rows, l.older.Tokens, fmt.Sprintf("%s %s, %d earlier: hooks cost --by iteration --all", l.run.RunID, l.run.Skill, l.older.iteration))
	for _, s := range l.spent {
		add(s.iteration, string(s.outcome), s.Tokens)
	}
	if l.tick != nil {
		add(l.tick.Iteration, "open", l.live)
	}
	return withRest(rows, beyond(l.total(), rows), l.run.RunID+" outside of its iterations")
}

// beyond is what a total holds that the rows do not, kind by kind.
func beyond(total loop.Tokens, rows []report.CostRow) loop.Tokens {
	var sum loop.Tokens
	for _, r := range rows {
		sum = sum.Add(r.Tokens)
	}
	return loop.Tokens{
		Input: max(0, total.Input-sum.Input), Output: max(0, total.Output-sum.Output), CacheRead: max(0, total.CacheRead-sum.CacheRead),
		CacheWrite5m: max(0, total.CacheWrite5m-sum.CacheWrite5m), CacheWrite1h: max(0, total.CacheWrite1h-sum.CacheWrite1h),
		WebSearches: max(0, total.WebSearches-sum.WebSearches), Dollars: max(0, total.Dollars-sum.Dollars),
	}
}

// byAgent reads the transcripts of the run's sessions again, at the rates of now.
func (l *ledger) byAgent(table usage.Table) (rows []report.CostRow) {
	for _, s := range l.stretches() {
		agents, err := usage.ByAgent(s, table)
		if err != nil {
			l.notes = append(l.notes, err.Error())
		}
		for _, a := range agents {
			rows = addAgent(rows, s.Transcript, a)
		}
	}
	dearestFirst(rows)
	var sum loop.Tokens
	for _, r := range rows {
		sum = sum.Add(r.Tokens)
	}
	if over := sum.Dollars - l.total().Dollars; over > 0 {
		l.notes = append(l.notes, fmt.Sprintf("run %s was counted at other rates: its transcripts come to $%s more at those of now", l.run.RunID, report.Mills(over)))
	}
	return withRest(rows, beyond(l.total(), rows), l.run.RunID+" not in its transcripts")
}

// addAgent adds to the row of the same agent, which may have worked in several stretches of its session.
func addAgent(rows []report.CostRow, transcript string, a usage.Agent) []report.CostRow {
	row := report.CostRow{
		SessionID: strings.TrimSuffix(filepath.Base(transcript), ".jsonl"), Agent: cmp.Or(a.ID, "main"), Type: a.Type, Task: a.Task,
	}
	for _, t := range a.ByModel {
		row.Tokens = row.Tokens.Add(t)
	}
	i := slices.IndexFunc(rows, func(r report.CostRow) bool { return r.SessionID == row.SessionID && r.Agent == row.Agent })
	if i < 0 {
		return append(rows, row)
	}
	rows[i].Tokens = rows[i].Tokens.Add(row.Tokens)
	return rows
}
