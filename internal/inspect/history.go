package inspect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"hooks/internal/config"
	"hooks/internal/english"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// History writes the skills' history lines to out, or only those of run runID if it is set.
// Archived runs come first, in the order they were written. History holds only one batch of lines
// in memory. Damaged lines are skipped and reported together at the end.
func (d *Inspector) History(skills []loop.Skill, runID string, out report.History) error {
	var bad damages
	found, w := runID == "", d.walk()
	for v := range w.each(w.projects()) {
		project := v.named()
		for files := range v.folders(false) {
			for _, skill := range skills {
				for l, text := range bad.lines(files, skill, "cursors", "gates", "usage_by_model") {
					if runID != "" && l.RunID != runID {
						continue
					}
					found = true
					if err := out.Row(project, l, text); err != nil {
						return fmt.Errorf("write history: %w", err)
					}
				}
			}
		}
	}
	err := w.err()
	if err == nil && !found {
		return hint.New("see `hooks loop list` for the runs",
			"run %q has no iteration", runID)
	}
	err = errors.Join(err, out.Close(), store.Hinted(errors.Join(bad.list...)))
	if bad.more > 0 {
		err = errors.Join(err, errors.New("and "+english.Plural(bad.more, "more damaged line")))
	}
	return err
}

// damages holds the errors for the first damaged lines and counts the rest.
type damages struct {
	list []error
	more int
}

// maxDamages is the maximum number of damaged lines that are reported individually.
const maxDamages = 5

// maxBatch is the size, in bytes, beyond which a batch of history lines is parsed.
const maxBatch = 1 << 20

// skimmed is a raw history line and the result of parsing it.
type skimmed struct {
	raw store.RawLine
	l   *loop.Iteration
	err error
}

// lines yields the parsed lines of a history with their raw text, oldest first. It does not parse
// the fields named in without. It skips damaged lines and records their errors. It parses each
// batch on all processors, because parsing dominates the time for a long history.
func (d *damages) lines(
	files *store.Store, skill loop.Skill, without ...string,
) iter.Seq2[*loop.Iteration, []byte] {
	return func(yield func(*loop.Iteration, []byte) bool) {
		var batch []skimmed
		size := 0
		for raw, err := range files.RawLines(skill) {
			raw.JSON = bytes.Clone(raw.JSON)
			batch, size = append(batch, skimmed{raw: raw, err: err}), size+len(raw.JSON)
			if size > maxBatch {
				if !d.skim(batch, yield, without) {
					return
				}
				batch, size = batch[:0], 0
			}
		}
		d.skim(batch, yield, without)
	}
}

// skim parses a batch and yields its lines. It returns false if yield did.
func (d *damages) skim(
	batch []skimmed, yield func(*loop.Iteration, []byte) bool, without []string,
) bool {
	var done sync.WaitGroup
	for part := range slices.Chunk(batch, len(batch)/runtime.GOMAXPROCS(0)+1) {
		done.Go(func() {
			for i := range part {
				if s := &part[i]; s.err == nil {
					s.l, s.err = s.raw.Skim(without...)
				}
			}
		})
	}
	done.Wait()
	for _, s := range batch {
		switch {
		case s.err == nil:
			if !yield(s.l, s.raw.JSON) {
				return false
			}
		case len(d.list) < maxDamages:
			d.list = append(d.list, s.err)
		default:
			d.more++
		}
	}
	return true
}

// CostQuery selects spend to report. By is model, iteration, run, task, phase, day or project.
type CostQuery struct {
	By    string
	RunID string // "" for all runs
	// Since excludes iterations that ended before it, and spend outside of iterations. The zero
	// time excludes nothing.
	Since time.Time
}

// Cost returns a table of the spend. Sums are exact. Spend that fits no row goes into a row for the
// rest, so every grouping has the same total.
func (d *Inspector) Cost(q CostQuery) (report.Cost, error) {
	c := report.Cost{By: q.By, All: d.Everywhere}
	if now := d.Now(); q.By == "day" {
		if c.Zone = now.Location().String(); c.Zone == "Local" { // the system names no zone
			c.Zone = now.Format("MST (UTC-07:00)")
		}
	}
	if !q.Since.IsZero() {
		c.Since = &q.Since
	}
	found, all, w := false, costRows{}, d.walk()
	shared := slices.Contains([]string{"model", "day", "project"}, q.By) // rows span several runs
	for l := range w.runs() {
		if q.RunID != "" && l.Budget.RunID != q.RunID {
			continue
		}
		found = true
		run := l.spending(q)
		rest := report.CostRow{Rest: outside[q.By], Tokens: run.total}
		if !shared {
			rest.Rest = run.run.RunID + " " + rest.Rest
		}
		for _, row := range run.rows.list {
			rest.Tokens = rest.Tokens.Less(row.Tokens)
			all.add(row)
		}
		if rest.Tokens != (loop.Tokens{}) {
			all.add(rest)
		}
		c.Total = c.Total.Add(run.total)
		c.Notes = loop.AppendNew(c.Notes, run.notes...)
	}
	if shared {
		slices.SortStableFunc(all.list, report.CostRow.Compare)
	}
	c.Rows = all.list
	return c, cmp.Or(w.err(), missing(q.RunID, found))
}

// outside maps a grouping to the name of the row for the rest. Other groupings have no such row.
var outside = map[string]string{"model": "recorded without a model", "day": "outside of iterations",
	"iteration": "outside of its iterations", "task": "outside of its tasks",
	"phase": "outside of its phases"}

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

// spending is the spend of one run.
type spending struct {
	CostQuery
	*loopState
	run   loop.Budget
	rows  costRows
	total loop.Tokens // if Since is set, only for iterations since then
	notes []string
}

// spending reads a run's spend. The last line has the totals for the whole run. spending reads the
// other lines only if the rows need them.
func (l *loopState) spending(q CostQuery) *spending {
	s := &spending{CostQuery: q, loopState: l, run: *l.Budget}
	// The last line is newer than the budget if a crash prevented the budget from being written.
	last, err := l.last((*loop.Iteration).Ran)
	switch {
	case err != nil:
		s.notes = append(s.notes, fmt.Sprintf("%v, so the run may have spent more", err))
	case last != nil && last.Budget.Seq > s.run.Seq:
		s.run = last.Budget
	}
	models := loop.Sum(s.run.TokensByModel)
	without := loop.Tokens{Input: s.run.TokensIn, Output: s.run.TokensOut,
		Dollars: s.run.DollarsEstimate}.Less(
		loop.Tokens{Input: models.In(), Output: models.Output, Dollars: models.Dollars})
	whole := models.Add(without)
	byLine := q.By == "iteration" || q.By == "day" || !q.Since.IsZero() || s.run.Groups(q.By)
	switch {
	case byLine:
		if last == nil || !last.EndedAt.Before(q.Since) {
			s.readLines()
		}
	case q.By == "model":
		for model, t := range s.run.TokensByModel {
			s.rows.add(report.CostRow{Model: model, Tokens: t})
		}
	default:
		row, _ := s.row(&loop.Iteration{})
		row.Tokens = whole
		s.rows.add(row)
	}
	if l.present && l.open() && s.run.Seq <= l.Budget.Seq {
		s.notes = append(s.notes, l.notes...)
		if byLine {
			s.add(l.unended())
		}
	}
	if q.Since.IsZero() {
		s.total = whole
	}
	slices.SortStableFunc(s.rows.list, report.CostRow.Compare)
	return s
}

// unended returns a history line for the open iteration, as if it ended now.
func (l *loopState) unended() *loop.Iteration {
	line := &loop.Iteration{Iteration: l.Tick.Iteration, Outcome: "open", EndedAt: l.now,
		UsageByModel: l.since.ByModel}
	if l.Tick.Attempt != nil && l.Budget.Own != nil {
		line.Own = l.Budget.Own.Line(l.Tick)
	}
	return line
}

// readLines adds the run's iterations, oldest first, except skipped ticks. It also adds notes about
// damaged lines.
func (s *spending) readLines() {
	var bad damages
	for it := range bad.lines(s.files, s.run.Skill, "cursors", "gates") {
		if it.Of(s.run.RunID) && it.Ran() {
			s.add(it)
		}
	}
	s.notes = nil // bad includes the error in the last line
	for _, err := range bad.list {
		s.notes = append(s.notes, fmt.Sprintf("%v, so its spend is in no iteration", err))
	}
	if bad.more > 0 {
		s.notes = append(s.notes, "and "+english.Plural(bad.more, "more damaged line"))
	}
}

// add adds an iteration to its row or, if s groups by model, to the rows of its models. It skips
// iterations that ended before s.Since. Iterations without a row count toward the rest.
func (s *spending) add(it *loop.Iteration) {
	if it.EndedAt.Before(s.Since) {
		return
	}
	t := loop.Sum(it.UsageByModel)
	if it.UsageByModel == nil { // a line with only the SPEC's fields
		t = loop.Tokens{Input: it.TokensIn, Output: it.TokensOut, Dollars: it.Dollars}
	}
	s.total = s.total.Add(t)
	row, ok := s.row(it)
	switch {
	case s.By == "model":
		for model, t := range it.UsageByModel {
			s.rows.add(report.CostRow{Model: strings.Clone(model), Tokens: t})
		}
	case ok && (t != loop.Tokens{} || s.By == "iteration"):
		row.Tokens = t
		s.rows.add(row)
	}
}

// row returns an iteration's row, without tokens, when grouped by s.By. A task's row sums its
// attempts, and a phase's row sums its sessions (A22, A23). ok is false if there is no such row.
func (s *spending) row(it *loop.Iteration) (row report.CostRow, ok bool) {
	row = report.CostRow{Project: s.named(), RunID: s.run.RunID, Skill: s.run.Skill}
	switch {
	case s.By == "project":
		return report.CostRow{Project: s.project}, true
	case s.By == "day":
		day := it.EndedAt.In(s.Now().Location()).Format(time.DateOnly)
		return report.CostRow{Day: day}, !it.EndedAt.IsZero()
	case s.By == "run":
		row.State = strings.TrimSpace(string(s.run.Status) + " " + s.run.StopCause)
		if !s.present && s.run.Status == loop.Active {
			row.State = "cut off"
		}
	case s.By == "iteration":
		row.Iteration = it.Iteration
		row.State = strings.Clone(string(it.Outcome)) // a substring would keep the line in memory
	case s.run.Groups(s.By):
		if it.Own == nil {
			return row, false
		}
		if row.Order, row.Task, row.Phase = it.Own.Cost(s.run.Own); row.Phase == "" {
			row.Number = row.Order
		}
		return row, row.Number > 0 || row.Phase != ""
	}
	return row, true
}

// Rates returns the project's price table.
func (d *Inspector) Rates() report.Rates {
	c := config.Load(tracker.Project(d.Env, cwd()))
	table := usage.NewTable(c.Rates)
	r := report.Rates{Source: table.Source, Dated: usage.Dated,
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
