package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/term"
)

// History writes history lines one by one. Close writes remaining output and must be called last.
type History struct {
	// Row writes a line. project is as in Stand. text is the line as stored on disk; it is valid
	// only until the next call.
	Row   func(project string, l *loop.Iteration, text []byte) error
	Close func() error
}

// Where names the searched projects, for the end of a message such as "no loop has run".
func Where(s page.Screen, all bool) string {
	if all {
		return "in any project on this machine"
	}
	return "in " + term.Line(cmp.Or(s.Dir, "this project")) +
		"; `hooks status --all` shows every project"
}

// HistoryTable returns a History that draws a table for each run. It draws the last maxRows
// iterations, or all if maxRows is 0, and counts the earlier ones. all means that the history
// covers all projects.
func HistoryTable(w io.Writer, s page.Screen, maxRows int, all bool) History {
	t := &historyTable{maxRows: maxRows, flags: when(all, "--all ")}
	return History{Row: t.add, Close: func() error {
		text := cmp.Or(page.Draw(s, t), "no iteration has ended "+Where(s, all))
		_, err := io.WriteString(w, text+"\n")
		return err
	}}
}

type historyTable struct {
	maxRows int    // 0 for all iterations
	flags   string // flags for the command that shows all iterations
	rows    []historyRow
	earlier int // number of older rows
}

// historyRow is a candidate row of the table, with the name of its run.
type historyRow struct {
	run string
	*loop.Iteration
}

func (t *historyTable) add(project string, l *loop.Iteration, _ []byte) error {
	run := fmt.Sprintf("%s %s%s", l.Skill, cmp.Or(l.RunID, "unknown"), prefixed(", ", project))
	if t.rows = append(t.rows, historyRow{run, l}); len(t.rows) > 2*t.maxRows {
		t.keepNewest()
	}
	return nil
}

// keepNewest drops the oldest rows, regardless of their run, so that at most t.maxRows remain.
func (t *historyTable) keepNewest() {
	if older := len(t.rows) - t.maxRows; t.maxRows > 0 && older > 0 {
		slices.SortStableFunc(t.rows,
			func(a, b historyRow) int { return a.StartedAt.Compare(b.StartedAt) })
		t.rows = slices.Delete(t.rows, 0, older)
		t.earlier += older
	}
}

// Draw draws the newest iterations, with one table for each run.
func (t *historyTable) Draw(p *page.Text) {
	t.keepNewest()
	if t.earlier > 0 {
		p.Line(page.Faint, "%s not shown; `hooks history %s--last 0` shows all",
			english.Plural(t.earlier, "earlier iteration"), t.flags)
	}
	var runs []string
	tables := map[string]page.Table{}
	for _, r := range t.rows {
		runs = loop.AppendNew(runs, r.run)
		columns, cells := iterationCells(p.Screen, r.Iteration)
		shown := tables[r.run]
		shown.Columns = append(columns, page.Column{Name: "details", Loose: true})
		shown.Rows = append(shown.Rows, page.Row{Style: outcomeStyle(r.Outcome),
			Cells: append(cells, page.Words(details(r.Iteration)))})
		tables[r.run] = shown
	}
	for _, run := range runs {
		p.Blank()
		p.Line(page.Strong, "%s", run)
		p.Table(tables[run])
	}
}

// iterationCells returns an iteration's table cells and their columns.
func iterationCells(s page.Screen, l *loop.Iteration) (columns []page.Column, cells []page.Cell) {
	add := func(c page.Column, text string) {
		columns, cells = append(columns, c), append(cells, page.Words(text))
	}
	outcome, started, number := string(l.Outcome), "-", strconv.Itoa(l.Iteration)
	if l.Outcome == loop.SkippedLock {
		outcome = "skipped"
	}
	if l.Outcome == loop.Stopped && !l.Began() { // stopped at an entry or between iterations
		number = "-"
	}
	if !l.StartedAt.IsZero() {
		started = s.Dated(l.StartedAt)
	}
	add(page.Column{Name: "#", Right: true, Class: "num"}, number)
	add(page.Column{Name: "started", Class: "at", Spare: 1}, started)
	names, shown := loop.KindOf(l.Skill).Columns, []string{"-", ""}
	if l.Own != nil && len(l.Own.Cells()) == len(names) { // otherwise no attempt began
		shown, outcome = l.Own.Cells(), l.Judged().Verdict.String()
	}
	for i, name := range names {
		c := page.Column{Name: name, Right: name != "phase", Class: "task"}
		if name == "try" {
			c.Class, c.Spare = name, 2
		}
		add(c, shown[i])
	}
	verdict := cmp.Or(when(names != nil, "verdict"), "outcome")
	add(page.Column{Name: verdict, Class: "out", Tag: true}, outcome)
	add(page.Column{Name: "min", Right: true, Class: "min", Spare: 2},
		strconv.Itoa(minutesOf(l)))
	add(page.Column{Name: "dollars", Right: true, Class: "usd"}, "$"+l.Dollars.String())
	return columns, cells
}

// details describes an iteration's facts that have no column in the history table.
func details(l *loop.Iteration) string {
	list := slices.Clone(l.PRsTouched)
	if calls := refused(l.Denied); calls != "" {
		list = append(list, calls+" refused")
	}
	return commas(append(list, remarks(l)...)...)
}

func outcomeStyle(outcome loop.LineOutcome) string {
	switch outcome {
	case loop.Errored:
		return page.Bad
	case loop.Stopped, loop.Waiting:
		return page.Warn
	case loop.SkippedLock:
		return page.Faint
	}
	return page.Plain
}

// HistoryJSON returns a History that writes a JSON array with one iteration per line, as stored on
// disk. If a row's project is set, it becomes the first field.
func HistoryJSON(w io.Writer) History {
	out, lead := bufio.NewWriterSize(w, 64<<10), "[\n"
	return History{Row: func(project string, _ *loop.Iteration, text []byte) error {
		text = term.JSON(text)
		if project != "" {
			name, _ := json.Marshal(project)
			first := slices.Concat([]byte(`{"project":`), term.JSON(name), []byte(","))
			text = append(first, bytes.TrimPrefix(text, []byte("{"))...)
		}
		_, _ = out.WriteString(lead)
		lead = ",\n"
		_, err := out.Write(text)
		return err
	}, Close: func() error {
		_, _ = out.WriteString(cmp.Or(when(lead == "[\n", "[]\n"), "\n]\n"))
		return out.Flush()
	}}
}

// HistoryCSV returns a History that writes CSV with a header line. If all is set, the last column
// is the project.
func HistoryCSV(w io.Writer, all bool) History {
	out := csv.NewWriter(w)
	write := func(part int, project string, l *loop.Iteration) error {
		fields := csvFields(l)
		if all {
			fields = append(fields, [2]string{"project", project})
		}
		return out.Write(each(fields, func(f [2]string) string {
			cell := term.Line(f[part])
			if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
				cell = "'" + cell // a spreadsheet would evaluate it as a formula
			}
			return cell
		}))
	}
	_ = write(0, "", &loop.Iteration{})
	return History{Row: func(project string, l *loop.Iteration, _ []byte) error {
		return write(1, project, l)
	}, Close: func() error {
		out.Flush()
		return out.Error()
	}}
}

// csvFields returns a line's column names and values. Times are in UTC, and dollars are exact.
func csvFields(l *loop.Iteration) [][2]string {
	over := cmp.Or(l.Overrun, &loop.Overrun{}).Over
	task, verdict := []string{"0", "0"}, attempt.Verdict("")
	if own := taskOf(l); own != nil {
		task, verdict = own.Cells(), own.Judged().Verdict
	}
	number := strconv.Itoa
	at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	return [][2]string{
		{"run_id", l.RunID}, {"skill", string(l.Skill)}, {"seq", number(l.Seq)},
		{"iteration", number(l.Iteration)}, {"outcome", string(l.Outcome)},
		{"started_at", at(l.StartedAt)}, {"ended_at", at(l.EndedAt)},
		{"minutes", number(minutesOf(l))}, {"dollars", l.Dollars.Decimal()},
		{"tokens_in", fmt.Sprint(l.TokensIn)}, {"tokens_out", fmt.Sprint(l.TokensOut)},
		{"agents_dispatched", number(l.Agents)}, {"comments_pushed", number(l.Comments)},
		{"merges_attempted", number(l.Merges)}, {"prs_touched", strings.Join(l.PRsTouched, " ")},
		{"stop_conditions_fired", strings.Join(l.Fired, " ")},
		{"calls_refused", number(loop.Refusals(l.Denied))}, {"dollars_over", over.Decimal()},
		{"task", task[0]}, {"try", task[1]}, {"verdict", string(verdict)},
	}
}
