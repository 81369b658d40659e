package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// ledger is one run with everything that says what it spent.
type ledger struct {
	run   loop.Budget
	lines []loop.Iteration // in which work may have been done, oldest first
	tick  *loop.Tick       // the open iteration
	live  loop.Tokens      // what that has spent so far, part of run already
	notes []string
}

// Cost tells what the project's runs spent, apart by model, iteration, run or agent; of one run, or of all for "".
// Sums are exact. What one way cannot tell apart stands in a row of its own, so that every way comes to the same total.
func (a *App) Cost(by, runID string) (report.Cost, error) {
	c := report.Cost{By: by, Rows: []report.CostRow{}}
	v, err := a.visitor()
	if err != nil {
		return c, absent(err)
	}
	ledgers, err := v.ledgers(runID, by == "iteration" || by == "agent")
	if err != nil {
		return c, err
	}
	if runID != "" && len(ledgers) == 0 {
		return c, hint.New("the runs are listed by `hooks loop list`", "there is no run %q", runID)
	}
	switch by {
	case "model":
		c.Rows = costByModel(ledgers)
	case "iteration":
		c.Rows = rowsOf(ledgers, (*ledger).byIteration)
	case "agent":
		table := usage.NewTable(v.config().Rates)
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

// ledgers reads the runs, the newest first: the present ones and those in the archive. Only what tells the iterations
// apart needs all lines; else the last one has the sums.
func (v *visit) ledgers(runID string, all bool) (list []*ledger, err error) {
	err = v.everyRun(func(files *store.Store, s store.State, skill loop.Skill, present bool) {
		if runID != "" && s.Budget.RunID != runID {
			return
		}
		read := lastLedger
		if all {
			read = readLedger
		}
		l := read(files, s, skill)
		if present {
			v.addOpen(l, s)
		}
		list = append(list, l)
	})
	return list, err
}

// everyRun shows every run that has a budget once, the present ones first, then the archive from its newest. A run that
// was taken up again after its archiving was cut off lies in both.
func (v *visit) everyRun(show func(files *store.Store, s store.State, skill loop.Skill, present bool)) error {
	shown := map[string]bool{}
	in := func(files *store.Store, present bool) {
		for _, skill := range loop.Skills() {
			if s, _ := files.Load(skill); s.Budget != nil && !shown[s.Budget.RunID] {
				shown[s.Budget.RunID] = s.Budget.RunID != ""
				show(files, s, skill, present)
			}
		}
	}
	in(v.files, true)
	ids, err := v.files.Archives()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, id := range slices.Backward(ids) {
		files, err := v.files.Archived(id)
		if err != nil {
			return err
		}
		in(files, false)
		files.Close()
	}
	return nil
}

// lastLedger is a run with its last line alone, which knows more than a budget that a crash kept from being written.
func lastLedger(files *store.Store, s store.State, skill loop.Skill) *ledger {
	l := &ledger{run: *s.Budget}
	last, err := files.Last(skill, func(line *loop.Iteration) bool {
		return line.Ran() && line.Of(l.run.RunID)
	})
	switch {
	case err != nil:
		l.notes = append(l.notes, fmt.Sprintf("%v: it may have spent more", err))
	case last != nil && last.Budget.Seq > l.run.Seq:
		l.run = last.Budget
	}
	return l
}

// readLedger gathers all of a run's lines.
func readLedger(files *store.Store, s store.State, skill loop.Skill) *ledger {
	l := &ledger{run: *s.Budget}
	for line, err := range files.Lines(skill) {
		switch {
		case err != nil:
			l.notes = append(l.notes, fmt.Sprintf("%v: what it spent stands in no iteration", err))
		case line.Ran() && line.Of(l.run.RunID):
			l.lines = append(l.lines, line)
		}
	}
	if n := len(l.lines); n > 0 && l.lines[n-1].Budget.Seq > l.run.Seq {
		l.run = l.lines[n-1].Budget
	}
	return l
}

// addOpen counts what the open iteration has spent so far. Nothing is saved.
func (v *visit) addOpen(l *ledger, s store.State) {
	if s.Tick == nil || s.Tick.RunID != l.run.RunID || l.run.Seq > s.Budget.Seq {
		return
	}
	v.ev.Transcript = s.Tick.Transcript
	spent, notes := v.spent(&thread{l.run.Skill, store.State{Budget: &l.run, Tick: s.Tick}})
	l.tick, l.notes = s.Tick, append(l.notes, notes...)
	for _, t := range spent.ByModel {
		l.live = l.live.Add(t)
	}
	l.run.Spend(spent)
}

// total is what the run spent by kind; what a budget of the SPEC's own fields alone says is not told apart by kind.
func (l *ledger) total() (t loop.Tokens) {
	for _, m := range l.run.TokensByModel {
		t = t.Add(m)
	}
	return t.Add(l.untold(t))
}

// untold is what the run's counters hold beyond a sum.
func (l *ledger) untold(t loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: max(0, l.run.TokensIn-t.In()), Output: max(0, l.run.TokensOut-t.Output),
		Dollars: max(0, l.run.DollarsEstimate-t.Dollars),
	}
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
	for _, line := range l.lines {
		add(line.Iteration, string(line.Outcome), spentIn(&line))
	}
	if l.tick != nil {
		add(l.tick.Iteration, "open", l.live)
	}
	return withRest(rows, beyond(l.total(), rows), l.run.RunID+" outside of its iterations")
}

// spentIn is an iteration's usage. A line of the SPEC's own fields alone does not tell the kinds of input.
func spentIn(line *loop.Iteration) (t loop.Tokens) {
	for _, m := range line.UsageByModel {
		t = t.Add(m)
	}
	if line.UsageByModel == nil {
		t = loop.Tokens{Input: line.TokensIn, Output: line.TokensOut, Dollars: line.Dollars}
	}
	return t
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

// stretches are the parts of sessions that the run was counted from, as its lines and its open iteration tell.
func (l *ledger) stretches() (list []usage.Stretch) {
	grow := func(b *loop.Budget, began usage.Stretch) {
		if len(b.Cursors) == 0 {
			return
		}
		if n := len(list); n == 0 || list[n-1].Transcript != b.Cursors[0].Path {
			began.Transcript = b.Cursors[0].Path // the first cursor is the main transcript's
			list = append(list, began)
		}
		list[len(list)-1].UpTo = b.Cursors
	}
	for _, line := range l.lines {
		began := usage.Stretch{Since: line.StartedAt}
		if len(line.Budget.LastPrompts) > 0 {
			began.Prompt = line.Budget.LastPrompts[0]
		}
		grow(&line.Budget, began)
	}
	if l.tick != nil {
		grow(&l.run, usage.Stretch{Since: l.tick.StartedAt, Prompt: l.tick.Prompts[0]})
	} else if len(list) > 0 {
		grow(&l.run, usage.Stretch{Since: l.run.StartedAt})
	}
	return list
}

// Rates is the price table in force in the project.
func (a *App) Rates() report.Rates {
	c := config.Load(tracker.Project(a.Env, a.cwd()))
	table := usage.NewTable(c.Rates)
	r := report.Rates{Source: table.Source(), Dated: usage.Dated, AgeDays: usage.AgeDays(a.now()), Warnings: c.WarningTexts()}
	const million = 1_000_000
	for _, row := range table.Rows() {
		r.Rows = append(r.Rows, report.RateRow{
			Model: row.Model, Input: row.Input * million, Output: row.Output * million, CacheRead: row.CacheRead * million,
			CacheWrite5m: row.CacheWrite5m * million, CacheWrite1h: row.CacheWrite1h * million,
			Fast: row.Fast, Long: row.Long, Source: row.Source,
		})
	}
	return r
}
