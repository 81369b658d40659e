package inspect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// Cost is what the runs spent, or one of them, by model, iteration, run, task, phase, day,
// agent or project. Sums are exact. What belongs to no row has one of its own, so that every way
// comes to the same total. Of all runs of a project only the last most iterations have rows of
// their own.
func (d *Inspector) Cost(by, runID string, most int) (report.Cost, error) {
	c := report.Cost{By: by, All: d.Everywhere, Rows: []report.CostRow{}}
	var ledgers []*ledger
	err := d.ask(func(v *question) error {
		list, err := v.ledgers(runID, by, most)
		ledgers = append(ledgers, list...)
		if by == "agent" {
			table := usage.NewTable(config.Load(v.project).Rates)
			for _, l := range list {
				c.Rows = append(c.Rows, l.byAgent(table)...)
			}
		}
		return err
	})
	if err == nil && runID != "" && len(ledgers) == 0 {
		err = noRun(runID)
	}
	switch by {
	case "model":
		c.Rows = costByModel(ledgers)
	case "day":
		c.Zone, c.Rows = zoneOf(d.Now()), costByDay(ledgers, d.Now())
	}
	for _, l := range ledgers {
		switch by {
		case "iteration":
			c.Rows = append(c.Rows, l.byIteration()...)
		case "task":
			c.Rows = append(c.Rows, l.byTask()...)
		case "phase":
			c.Rows = append(c.Rows, l.byPhase()...)
		case "run":
			state := strings.TrimSpace(string(l.run.Status) + " " + l.run.StopCause)
			if l.archived && l.run.Status == loop.Active {
				state = "cut off"
			}
			c.Rows = append(c.Rows, l.row(0, state, l.total()))
		case "project":
			in := cmp.Or(l.in, d.Project())
			c.Rows = addRow(c.Rows, report.CostRow{Project: in, Tokens: l.total()})
		}
		c.Total = c.Total.Add(l.total())
		c.Notes = loop.AppendNew(c.Notes, l.notes...)
	}
	return c, err
}

func costByModel(list []*ledger) []report.CostRow {
	rows := []report.CostRow{}
	var rest loop.Tokens
	for _, l := range list {
		var sum loop.Tokens
		for model, t := range l.run.TokensByModel {
			sum = sum.Add(t)
			rows = addRow(rows, report.CostRow{Model: model, Tokens: t})
		}
		rest = rest.Add(l.beyond(sum))
	}
	dearestFirst(rows)
	return withRest(rows, rest, "recorded without a model")
}

// costByDay counts an iteration on the day on which it ended, and the open one today, by the clock
// of whoever asks. The oldest day is first.
func costByDay(list []*ledger, now time.Time) []report.CostRow {
	rows := []report.CostRow{}
	var rest loop.Tokens
	for _, l := range list {
		spent := l.spent
		if l.tick != nil {
			spent = append(spent, iterationSpent{ended: now, Tokens: l.live})
		}
		var sum loop.Tokens
		for _, s := range spent {
			if s.ended.IsZero() || s.Tokens == (loop.Tokens{}) {
				continue // without its end it is in the rest
			}
			sum = sum.Add(s.Tokens)
			day := s.ended.In(now.Location()).Format(time.DateOnly)
			rows = addRow(rows, report.CostRow{Day: day, Tokens: s.Tokens})
		}
		rest = rest.Add(missing(l.total(), sum))
	}
	slices.SortFunc(rows, func(a, b report.CostRow) int { return cmp.Compare(a.Day, b.Day) })
	return withRest(rows, rest, "outside of iterations")
}

// zoneOf names a time zone, with its distance from UTC where the name alone may not say it.
func zoneOf(now time.Time) string {
	if name := now.Location().String(); name != "Local" {
		return name
	}
	return now.Format("MST (UTC-07:00)")
}

// addRow adds to the row of the same project, day, model or agent.
func addRow(rows []report.CostRow, row report.CostRow) []report.CostRow {
	i := slices.IndexFunc(rows, func(r report.CostRow) bool {
		return r.Project == row.Project && r.Day == row.Day && r.Model == row.Model &&
			r.SessionID == row.SessionID && r.Agent == row.Agent
	})
	if i < 0 {
		return append(rows, row)
	}
	rows[i].Tokens = rows[i].Tokens.Add(row.Tokens)
	return rows
}

func dearestFirst(rows []report.CostRow) {
	slices.SortStableFunc(rows, func(a, b report.CostRow) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars),
			cmp.Compare(a.Model+a.Agent, b.Model+b.Agent))
	})
}

// withRest adds a row for what the others do not cover, if there is anything.
func withRest(rows []report.CostRow, rest loop.Tokens, what string) []report.CostRow {
	if rest != (loop.Tokens{}) {
		rows = append(rows, report.CostRow{Rest: what, Tokens: rest})
	}
	return rows
}

// row is a row of the run, or of one of its iterations.
func (l *ledger) row(iteration int, state string, t loop.Tokens) report.CostRow {
	return report.CostRow{Project: l.in, RunID: l.run.RunID, Skill: l.run.Skill,
		Iteration: iteration, State: state, Tokens: t}
}

func (l *ledger) byIteration() (rows []report.CostRow) {
	rows = make([]report.CostRow, 0, len(l.spent)+3)
	all := ""
	if l.in != "" {
		all = " --all"
	}
	rows = withRest(rows, l.older.Tokens,
		fmt.Sprintf("%s %s, %d earlier: hooks cost --by iteration%s --last 0",
			l.run.Skill, l.run.RunID, l.older.iteration, all))
	for _, s := range l.spent {
		rows = append(rows, l.row(s.iteration, s.outcome, s.Tokens))
	}
	if l.tick != nil {
		rows = append(rows, l.row(l.tick.Iteration, "open", l.live))
	}
	return withRest(rows, missing(l.total(), sumOf(rows)), l.run.RunID+" outside of its iterations")
}

// byTask sums all attempts at each task, the first task first. A run without tasks is one row.
func (l *ledger) byTask() (rows []report.CostRow) {
	if l.run.Tasks == nil {
		return []report.CostRow{l.row(0, "", l.total())}
	}
	for i := range l.run.Tasks.List {
		rows = append(rows, l.taskRow(i+1, l.run.Tasks.List[i].Title))
	}
	rows = append(rows, l.taskRow(len(rows)+1, "the pull request"))
	return l.under(rows, func(s iterationSpent) int { return int(s.task) - 1 }, "tasks")
}

// byPhase sums the iterations of each phase of an audit loop, over all sessions. A run without
// phases is one row (A22, A23).
func (l *ledger) byPhase() (rows []report.CostRow) {
	if l.run.Audit == nil {
		return []report.CostRow{l.row(0, "", l.total())}
	}
	for _, phase := range loop.Phases {
		row := l.row(0, "", loop.Tokens{})
		row.Phase = phase
		rows = append(rows, row)
	}
	at := func(s iterationSpent) int { return slices.Index(loop.Phases[:], s.phase) }
	return l.under(rows, at, "phases")
}

// under adds the iterations, the open one too, to the rows of their tasks or phases. A row without
// any spend is left out, and the rest gets a row of its own.
func (l *ledger) under(
	rows []report.CostRow, at func(iterationSpent) int, units string,
) []report.CostRow {
	spent := l.spent
	if l.tick != nil && l.tick.Attempt != nil {
		a := l.tick.Attempt
		spent = append(spent, iterationSpent{task: int64(a.Task), phase: a.Phase, Tokens: l.live})
	}
	for _, s := range spent {
		if i := at(s); i >= 0 && i < len(rows) {
			rows[i].Tokens = rows[i].Tokens.Add(s.Tokens)
		}
	}
	rows = slices.DeleteFunc(rows, func(r report.CostRow) bool {
		return r.Tokens == (loop.Tokens{})
	})
	return withRest(rows, missing(l.total(), sumOf(rows)), l.run.RunID+" outside of its "+units)
}

func (l *ledger) taskRow(number int, title string) report.CostRow {
	row := l.row(0, "", loop.Tokens{})
	row.Number, row.Task = number, title
	return row
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

// byAgent reads the transcripts of the run's sessions again, at today's rates. An agent may have
// worked in several stretches of its session.
func (l *ledger) byAgent(table usage.Table) (rows []report.CostRow) {
	for _, s := range l.stretches() {
		agents, err := usage.ByAgent(s, table)
		if err != nil {
			l.notes = append(l.notes, err.Error())
		}
		for _, a := range agents {
			session := strings.TrimSuffix(filepath.Base(s.Transcript), ".jsonl")
			row := report.CostRow{Project: l.in, SessionID: session, Agent: cmp.Or(a.ID, "main"),
				Type: a.Type, Task: a.Task}
			for _, t := range a.ByModel {
				row.Tokens = row.Tokens.Add(t)
			}
			rows = addRow(rows, row)
		}
	}
	dearestFirst(rows)
	sum := sumOf(rows)
	if over := sum.Dollars - l.total().Dollars; over > 0 {
		l.notes = append(l.notes, fmt.Sprintf("run %s was counted at other rates: "+
			"its transcripts come to $%s more at those of now", l.run.RunID, report.Mills(over)))
	}
	return withRest(rows, missing(l.total(), sum), l.run.RunID+" not in its transcripts")
}
