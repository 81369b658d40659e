package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/config"
	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// CostQuery selects the spend of runs. By is model, iteration, run, task, phase, day or project.
type CostQuery struct {
	By    string
	RunID string // "" for all runs
	// MaxRows bounds the iterations that have a separate row. The last ones are kept.
	MaxRows int
	// Since excludes iterations that ended before it, and spend outside of iterations. The zero
	// time excludes nothing.
	Since time.Time
}

// Cost returns the spend in rows. Sums are exact. Spend that fits no row gets a row for the rest,
// so every grouping has the same total.
func (d *Inspector) Cost(q CostQuery) (report.Cost, error) {
	c := report.Cost{By: q.By, All: d.Everywhere}
	if q.By == "day" {
		c.Zone = zoneOf(d.Now())
	}
	if !q.Since.IsZero() {
		c.Since = &q.Since
	}
	found, all := q.RunID == "", costRows{list: []report.CostRow{}}
	var rest loop.Tokens
	err := d.askTrees(func(v *question) error {
		return v.everyRun(func(files *store.Store, s *loopState, present bool) error {
			if q.RunID != "" && s.Budget.RunID != q.RunID {
				return nil
			}
			found = true
			l := v.ledger(files, s, present, q)
			q.MaxRows -= min(q.MaxRows, len(l.rows.list))
			left := l.total.Less(l.rows.sum())
			switch q.By {
			case "model", "day", "project":
				for _, row := range l.rows.list {
					all.add(row)
				}
				rest = rest.Add(left)
			default:
				all.list = append(all.list, l.rows.list...)
				all.addRest(left, l.run.RunID+" "+outside[q.By])
			}
			c.Total = c.Total.Add(l.total)
			c.Notes = loop.AppendNew(c.Notes, l.notes...)
			return nil
		})
	})
	if q.By == "model" || q.By == "day" {
		slices.SortStableFunc(all.list, report.CostRow.Compare)
	}
	all.addRest(rest, outside[q.By])
	if c.Rows = all.list; err == nil && !found {
		err = noRun(q.RunID)
	}
	return c, err
}

// outside maps a grouping to the name of the row for the rest.
var outside = map[string]string{"model": "recorded without a model", "day": "outside of iterations",
	"iteration": "outside of its iterations", "task": "outside of its tasks",
	"phase": "outside of its phases"}

// zoneOf returns the time zone of now, with its offset from UTC if only its abbreviation is known.
func zoneOf(now time.Time) string {
	if name := now.Location().String(); name != "Local" {
		return name
	}
	return now.Format("MST (UTC-07:00)")
}

// costRows is a list of rows with unique names.
type costRows struct {
	list []report.CostRow
	at   map[report.CostRow]int // index of a row by its name, which is the row without its tokens
}

// add adds row to the row with the same name, or appends it.
func (c *costRows) add(row report.CostRow) {
	name := row
	name.Tokens = loop.Tokens{}
	i, known := c.at[name]
	if known {
		c.list[i].Tokens = c.list[i].Tokens.Add(row.Tokens)
		return
	}
	if c.at == nil {
		c.at = map[report.CostRow]int{}
	}
	c.at[name] = len(c.list)
	c.list = append(c.list, row)
}

// addRest adds a row for the rest, unless rest is zero.
func (c *costRows) addRest(rest loop.Tokens, what string) {
	if rest != (loop.Tokens{}) {
		c.list = append(c.list, report.CostRow{Rest: what, Tokens: rest})
	}
}

func (c *costRows) sum() (sum loop.Tokens) {
	for _, r := range c.list {
		sum = sum.Add(r.Tokens)
	}
	return sum
}

// ledger is the spend of one run.
type ledger struct {
	CostQuery
	*question
	in    string // the project, if rows name it
	run   loop.Budget
	state string
	rows  costRows
	total loop.Tokens // with Since, only of the iterations since then
	notes []string
}

// ledger reads the spend of a run. The last line has the sums of the whole run. Other lines are
// read only if the rows need them.
func (v *question) ledger(
	files *store.Store, s *loopState, present bool, q CostQuery,
) *ledger {
	l := &ledger{CostQuery: q, question: v, in: v.named(), run: *s.Budget}
	// The last line is newer than the budget if a crash prevented the budget from being written.
	last, err := files.Last(l.run.Skill, func(line *loop.Iteration) bool {
		return line.Ran() && line.Of(l.run.RunID)
	})
	switch {
	case err != nil:
		l.notes = append(l.notes, fmt.Sprintf("%v: it may have spent more", err))
	case last != nil && last.Budget.Seq > l.run.Seq:
		l.run = last.Budget
	}
	l.state = strings.TrimSpace(string(l.run.Status) + " " + l.run.StopCause)
	if !present && l.run.Status == loop.Active {
		l.state = "cut off"
	}
	models := loop.Sum(l.run.TokensByModel)
	without := loop.Tokens{Input: l.run.TokensIn, Output: l.run.TokensOut,
		Dollars: l.run.DollarsEstimate}.Less(
		loop.Tokens{Input: models.In(), Output: models.Output, Dollars: models.Dollars})
	whole := models.Add(without)
	switch {
	case l.byLine():
		if last == nil || !last.EndedAt.Before(q.Since) {
			l.readLines(files)
		}
	case q.By == "model":
		for model, t := range l.run.TokensByModel {
			l.rows.add(report.CostRow{Model: model, Tokens: t})
		}
	default:
		row, _ := l.row(&loop.Iteration{})
		row.Tokens = whole
		l.rows.add(row)
	}
	if present && s.Tick != nil && s.Tick.RunID == l.run.RunID && l.run.Seq <= s.Budget.Seq {
		l.notes = append(l.notes, s.notes...)
		if l.byLine() {
			l.add(unended(s, v.now))
		}
	}
	if q.Since.IsZero() {
		l.total = whole
	}
	slices.SortStableFunc(l.rows.list, report.CostRow.Compare)
	if q.By == "iteration" {
		l.sumUp(len(l.rows.list) - q.MaxRows)
	}
	return l
}

// byLine reports whether the rows are made from the lines of the iterations.
func (l *ledger) byLine() bool {
	return l.By == "iteration" || l.By == "day" || !l.Since.IsZero() ||
		l.By == "task" && tasks.Of(&l.run) != nil ||
		l.By == "phase" && audit.Of(&l.run) != nil
}

// unended returns a history line for the open iteration, as if it ended now.
func unended(s *loopState, now time.Time) *loop.Iteration {
	line := &loop.Iteration{Iteration: s.Tick.Iteration, Outcome: "open", EndedAt: now,
		UsageByModel: s.since.ByModel}
	if s.Tick.Attempt != nil && s.Budget.Own != nil {
		line.Own = s.Budget.Own.Line(s.Tick)
	}
	return line
}

// readLines adds the run's iterations that were not skipped, oldest first. A damaged line makes a
// note.
func (l *ledger) readLines(files *store.Store) {
	var bad damages
	_ = bad.lines(files, l.run.Skill, skim("gates", "cursors"),
		func(it *loop.Iteration, _ []byte) error {
			if it.Of(l.run.RunID) && it.Ran() {
				l.add(it)
			}
			return nil
		})
	l.notes = nil // bad includes the error of the last line
	for _, err := range bad.list {
		l.notes = append(l.notes, fmt.Sprintf("%v: what it spent is not in any iteration", err))
	}
	if bad.more > 0 {
		l.notes = append(l.notes, "and "+loop.Plural(bad.more, "more damaged line"))
	}
}

// add adds an iteration to its row or, by model, to the rows of its models. An iteration without a
// row counts in the rest.
func (l *ledger) add(it *loop.Iteration) {
	if it.EndedAt.Before(l.Since) {
		return
	}
	t := loop.Sum(it.UsageByModel)
	if it.UsageByModel == nil { // a line with only the SPEC's fields
		t = loop.Tokens{Input: it.TokensIn, Output: it.TokensOut, Dollars: it.Dollars}
	}
	l.total = l.total.Add(t)
	row, ok := l.row(it)
	switch {
	case l.By == "model":
		for model, t := range it.UsageByModel {
			l.rows.add(report.CostRow{Model: strings.Clone(model), Tokens: t})
		}
	case ok && (t != loop.Tokens{} || l.By == "iteration"):
		row.Tokens = t
		l.rows.add(row)
	}
}

// row returns the name of an iteration's row: its day, its task with all attempts, its phase over
// all sessions (A22, A23), its run or project. It returns false if the iteration has no row.
func (l *ledger) row(it *loop.Iteration) (row report.CostRow, ok bool) {
	row = report.CostRow{Project: l.in, RunID: l.run.RunID, Skill: l.run.Skill}
	list, task, phase := tasks.Of(&l.run), tasks.LineOf(it), audit.LineOf(it)
	switch {
	case l.By == "project":
		return report.CostRow{Project: l.project}, true
	case l.By == "day":
		day := it.EndedAt.In(l.Now().Location()).Format(time.DateOnly)
		return report.CostRow{Day: day}, !it.EndedAt.IsZero()
	case l.By == "run":
		row.State = l.state
	case l.By == "iteration":
		row.Iteration = it.Iteration
		row.State = strings.Clone(string(it.Outcome)) // a substring would keep the line in memory
	case l.By == "task" && list != nil:
		if task == nil || task.Task < 1 {
			return row, false
		}
		row.Number, row.Task = task.Task, "the pull request"
		if row.Number <= len(list.List) {
			row.Task = list.List[row.Number-1].Title
		}
	case l.By == "phase" && audit.Of(&l.run) != nil:
		if phase == nil || phase.Phase == "" {
			return row, false
		}
		row.Phase = phase.Phase
	}
	return row, true
}

// sumUp replaces the first n rows by one row with their sum.
func (l *ledger) sumUp(n int) {
	if n <= 0 {
		return
	}
	first := costRows{list: l.rows.list[:n]}
	command := "hooks cost --by iteration --last 0"
	if l.in != "" {
		command = "hooks cost --by iteration --all --last 0"
	}
	older := report.CostRow{Tokens: first.sum(),
		Rest: fmt.Sprintf("%s %s, %d earlier: %s", l.run.Skill, l.run.RunID, n, command)}
	l.rows.list = append([]report.CostRow{older}, l.rows.list[n:]...)
}

// Rates returns the project's price table.
func (d *Inspector) Rates() report.Rates {
	c := config.Load(tracker.Project(d.Env, cwd()))
	table := usage.NewTable(c.Rates)
	r := report.Rates{Source: table.Source(), Dated: usage.Dated,
		AgeDays: usage.AgeDays(d.Now().UTC()), Warnings: c.Warnings}
	const million = 1_000_000
	for _, row := range table.Rows() {
		r.Rows = append(r.Rows, report.RateRow{Model: row.Model, Input: row.Input * million,
			Output: row.Output * million, CacheRead: row.CacheRead * million,
			CacheWrite5m: row.CacheWrite5m * million, CacheWrite1h: row.CacheWrite1h * million,
			Fast: row.Fast, Long: row.Long, Source: row.Source})
	}
	return r
}
