package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/config"
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
	// Most bounds the iterations with a row of their own. The last ones are kept.
	Most int
	// Since excludes iterations that ended before it, and spend outside of iterations. The zero
	// time excludes nothing.
	Since time.Time
}

// Cost returns the spend in rows. Sums are exact. Spend that belongs to no row has a row of its
// own, so that every grouping has the same total.
func (d *Inspector) Cost(q CostQuery) (report.Cost, error) {
	c := report.Cost{By: q.By, All: d.Everywhere, Rows: []report.CostRow{}}
	if q.By == "day" {
		c.Zone = zoneOf(d.Now())
	}
	if !q.Since.IsZero() {
		c.Since = &q.Since
	}
	found, rest := q.RunID == "", loop.Tokens{}
	err := d.askTrees(func(v *question) error {
		return v.everyRun(func(files *store.Store, s *loopState, present bool) error {
			if q.RunID != "" && s.Budget.RunID != q.RunID {
				return nil
			}
			found = true
			l := v.ledger(files, s, present, q)
			q.Most -= min(q.Most, len(l.rows))
			left := missing(l.total(), l.rows)
			switch q.By {
			case "model", "day", "project":
				for _, row := range l.rows {
					c.Rows = addRow(c.Rows, row)
				}
				rest = rest.Add(left)
			default:
				c.Rows = withRest(append(c.Rows, l.rows...), left, l.run.RunID+" "+outside[q.By])
			}
			c.Total = c.Total.Add(l.total())
			c.Notes = loop.AppendNew(c.Notes, l.notes...)
			return nil
		})
	})
	if q.By == "model" || q.By == "day" {
		slices.SortStableFunc(c.Rows, report.CostRow.Compare)
	}
	c.Rows = withRest(c.Rows, rest, outside[q.By])
	if err == nil && !found {
		err = noRun(q.RunID)
	}
	return c, err
}

// outside maps a grouping to the name of its row for the rest.
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

// addRow adds row to the row with the same project, task, phase, day and model, or appends it.
func addRow(rows []report.CostRow, row report.CostRow) []report.CostRow {
	i := slices.IndexFunc(rows, func(r report.CostRow) bool {
		return r.Project == row.Project && r.Number == row.Number && r.Phase == row.Phase &&
			r.Day == row.Day && r.Model == row.Model
	})
	if i < 0 {
		return append(rows, row)
	}
	rows[i].Tokens = rows[i].Tokens.Add(row.Tokens)
	return rows
}

// withRest adds a row for the rest, unless rest is zero.
func withRest(rows []report.CostRow, rest loop.Tokens, what string) []report.CostRow {
	if rest != (loop.Tokens{}) {
		rows = append(rows, report.CostRow{Rest: what, Tokens: rest})
	}
	return rows
}

// missing returns the part of a total that is not in rows, for each kind of token.
func missing(total loop.Tokens, rows []report.CostRow) loop.Tokens {
	var sum loop.Tokens
	for _, r := range rows {
		sum = sum.Add(r.Tokens)
	}
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

// ledger is the spend of one run.
type ledger struct {
	CostQuery
	project string // its folder
	in      string // the same if rows name their project
	zone    *time.Location
	run     loop.Budget
	rows    []report.CostRow
	older   report.CostRow // sums up the iterations before the rows
	since   loop.Tokens    // spent by the iterations since Since
	notes   []string
}

// ledger reads the spend of a run. The last line has the sums of the whole run. Other lines are
// read only if the rows need them.
func (v *question) ledger(
	files *store.Store, s *loopState, present bool, q CostQuery,
) *ledger {
	l := &ledger{CostQuery: q, project: v.project, in: v.named(), zone: v.Now().Location(),
		run: *s.Budget}
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
	if l.byLine() && (last == nil || !last.EndedAt.Before(q.Since)) {
		l.readLines(files)
	}
	open := s.Tick != nil && s.Tick.RunID == l.run.RunID && l.run.Seq <= s.Budget.Seq
	if present && open {
		l.notes = append(l.notes, s.notes...)
		if l.byLine() {
			l.add(unended(s, v.now))
		}
	}
	switch {
	case l.byLine():
	case q.By == "model":
		for model, t := range l.run.TokensByModel {
			l.rows = append(l.rows, report.CostRow{Model: model, Tokens: t})
		}
	default:
		l.rows = []report.CostRow{l.whole(l.total())}
	}
	if q.By == "run" && !present && l.run.Status == loop.Active {
		for i := range l.rows {
			l.rows[i].State = "cut off"
		}
	}
	slices.SortStableFunc(l.rows, report.CostRow.Compare)
	if l.older.Iteration > 0 {
		l.rows = slices.Insert(l.rows, 0, l.olderRow())
	}
	return l
}

// byLine reports whether the rows are made from the lines of the iterations.
func (l *ledger) byLine() bool {
	switch l.By {
	case "iteration", "day":
		return true
	case "task":
		return loop.TasksOf(&l.run) != nil || !l.Since.IsZero()
	case "phase":
		return loop.AuditOf(&l.run) != nil || !l.Since.IsZero()
	}
	return !l.Since.IsZero()
}

// whole returns a row for the whole run, or for its project.
func (l *ledger) whole(t loop.Tokens) report.CostRow {
	if l.By == "project" {
		return report.CostRow{Project: l.project, Tokens: t}
	}
	row := l.row(t)
	if l.By == "run" {
		row.State = strings.TrimSpace(string(l.run.Status) + " " + l.run.StopCause)
	}
	return row
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
		l.notes = append(l.notes, fmt.Sprintf("%v: what it spent is in no iteration", err))
	}
	if bad.more > 0 {
		l.notes = append(l.notes, "and "+loop.Plural(bad.more, "more damaged line"))
	}
}

// add adds an iteration as a row of its own, or to the row of its day, models, task with all
// attempts, phase over all sessions (A22, A23), run or project. An iteration that belongs to none
// of the rows is in the rest.
func (l *ledger) add(it *loop.Iteration) {
	if it.EndedAt.Before(l.Since) {
		return
	}
	row := l.row(loop.Sum(it.UsageByModel))
	if it.UsageByModel == nil { // the line has only the SPEC's fields
		row.Tokens = loop.Tokens{Input: it.TokensIn, Output: it.TokensOut, Dollars: it.Dollars}
	}
	l.since = l.since.Add(row.Tokens)
	if l.By == "iteration" {
		row.Iteration = it.Iteration
		row.State = strings.Clone(string(it.Outcome)) // a substring would keep the line in memory
		if l.rows = append(l.rows, row); len(l.rows) > l.Most {
			l.older.Tokens = l.older.Tokens.Add(l.rows[0].Tokens)
			l.older.Iteration++
			l.rows = l.rows[1:]
		}
		return
	}
	switch tasks := loop.TasksOf(&l.run); {
	case row.Tokens == (loop.Tokens{}):
		return
	case l.By == "model":
		for model, t := range it.UsageByModel {
			l.rows = addRow(l.rows, report.CostRow{Model: strings.Clone(model), Tokens: t})
		}
		return
	case l.By == "day" && !it.EndedAt.IsZero():
		row = report.CostRow{Day: it.EndedAt.In(l.zone).Format(time.DateOnly), Tokens: row.Tokens}
	case l.By == "task" && tasks != nil && loop.TaskOf(it) != nil && loop.TaskOf(it).Task > 0:
		row.Number, row.Task = loop.TaskOf(it).Task, "the pull request"
		if row.Number <= len(tasks.List) {
			row.Task = tasks.List[row.Number-1].Title
		}
	case l.By == "phase" && loop.PhaseOf(it) != nil && loop.PhaseOf(it).Phase != "":
		row.Phase = loop.PhaseOf(it).Phase
	case l.By == "day", l.By == "task" && tasks != nil,
		l.By == "phase" && loop.AuditOf(&l.run) != nil:
		return
	default:
		row = l.whole(row.Tokens)
	}
	l.rows = addRow(l.rows, row)
}

// row returns a row of the run.
func (l *ledger) row(t loop.Tokens) report.CostRow {
	return report.CostRow{Project: l.in, RunID: l.run.RunID, Skill: l.run.Skill, Tokens: t}
}

// olderRow returns the row for the iterations without a row of their own.
func (l *ledger) olderRow() report.CostRow {
	all := ""
	if l.in != "" {
		all = " --all"
	}
	return report.CostRow{Tokens: l.older.Tokens, Rest: fmt.Sprintf(
		"%s %s, %d earlier: hooks cost --by iteration%s --last 0", l.run.Skill, l.run.RunID,
		l.older.Iteration, all)}
}

// total returns the run's spend by kind, as far as its budget has the kinds. With Since it returns
// the spend of the iterations since then.
func (l *ledger) total() loop.Tokens {
	if !l.Since.IsZero() {
		return l.since
	}
	return loop.Sum(l.run.TokensByModel).Add(report.Unmodelled(&l.run))
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
