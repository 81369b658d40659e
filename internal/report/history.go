package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"hooks/internal/loop"
)

// HistoryRow is what a table of the history shows of one line.
type HistoryRow struct {
	RunID     string
	Skill     string
	Seq       int64
	Iteration int64
	Unbegun   bool // it had not begun: a tick stopped at its entry, or the run between two
	Outcome   string
	Started   time.Time
	Ended     time.Time
	Dollars   loop.USD
	TokensIn  int64
	TokensOut int64
	Agents    int64
	Comments  int64
	Merges    int64
	PRs       []string
	Causes    []string // of a halt
	Refused   int64    // tool calls
	Over      loop.USD // past the dollar ceiling
	JSON      []byte   // the whole line; good until the next row
}

// History writes rows as they come. Close ends it; after an error of the writer everything else does nothing.
type History interface {
	Row(HistoryRow) error
	Whole() bool // the lines are printed as they stand, so all of each must be sound
	Close() error
}

// MostRows is how many iterations a table for people shows where not all are asked for.
const MostRows = 40

// HistoryTable is one table a run, each with the dollars and minutes of all its iterations as a row of bars. It shows the
// last most iterations, all of them for 0, and says how many came before.
func HistoryTable(w io.Writer, s Screen, most int) History {
	s.Width = max(s.Width, leastWidth)
	return &historyTable{out: bufio.NewWriterSize(w, 64<<10), s: s, most: most}
}

type historyTable struct {
	out     *bufio.Writer
	s       Screen
	most    int
	runs    []*runTable // that are not written yet
	kept    int         // rows of them
	written int         // runs
	earlier int         // rows of runs before them
	spent   loop.USD    // in those
}

// runTable is one run's part of the table.
type runTable struct {
	name             string // skill and id
	rows             []HistoryRow
	hidden           int  // rows before them
	begun            bool // its head is written
	dollars, minutes *Spark
}

func (t *historyTable) Row(r HistoryRow) error {
	name := r.Skill + " " + orUnknown(r.RunID)
	if n := len(t.runs); n == 0 || t.runs[n-1].name != name {
		if t.most == 0 {
			t.writeAll()
		}
		width := max(8, t.s.Width/3)
		t.runs = append(t.runs, &runTable{name: name, dollars: NewSpark(width), minutes: NewSpark(width)})
	}
	run := t.runs[len(t.runs)-1]
	if r.Outcome != string(loop.SkippedLock) {
		run.dollars.Add(int64(max(0, r.Dollars)))
		run.minutes.Add(int64(minutesOf(r.Started, r.Ended)))
	}
	r.JSON = nil // good until the next row only
	if run.rows = append(run.rows, r); t.most == 0 {
		return t.writeRows(run)
	}
	if t.kept++; t.kept > t.most {
		t.hide()
	}
	return nil
}

// hide takes the oldest row out of the table, and a run with it that has none left.
func (t *historyTable) hide() {
	run := t.runs[0]
	run.rows, run.hidden, t.kept = run.rows[1:], run.hidden+1, t.kept-1
	if len(run.rows) == 0 && len(t.runs) > 1 {
		t.earlier, t.spent = t.earlier+run.hidden, t.spent+loop.USD(run.dollars.Sum)
		t.runs = t.runs[1:]
	}
}

// writeAll writes the runs whose rows are all there.
func (t *historyTable) writeAll() {
	for _, run := range t.runs {
		_ = t.writeRows(run)
		t.footer(run)
	}
	t.runs, t.kept = nil, 0
}

// writeRows writes a run's rows, its head first.
func (t *historyTable) writeRows(run *runTable) error {
	if !run.begun {
		t.header(run)
		run.begun = true
	}
	var err error
	for _, r := range run.rows {
		err = t.write(rowStyle(r.Outcome), t.row(r))
	}
	run.rows = run.rows[:0]
	return err
}

func (t *historyTable) header(run *runTable) {
	if t.written++; t.written > 1 {
		_ = t.out.WriteByte('\n')
	}
	_ = t.write(strong, run.name)
	started := "started"
	if t.narrow() {
		started = "at"
	}
	_ = t.write(faint, t.columns("#", started, "outcome", "min", "dollars", "PRs, cause"))
	if run.hidden > 0 {
		_ = t.write(faint, thousands(int64(run.hidden))+" before these: hooks history --all")
	}
}

func (t *historyTable) row(r HistoryRow) string {
	started := r.Started.In(t.s.Now.Location()).Format("Jan 02 15:04")
	if t.narrow() {
		started = started[len("Jan 02 "):]
	}
	outcome := r.Outcome
	if outcome == string(loop.SkippedLock) {
		outcome = "skipped"
	}
	last := strings.Join(append(r.PRs[:len(r.PRs):len(r.PRs)], r.Causes...), " ")
	if r.Over > 0 {
		last += " $" + r.Over.String() + " over"
	}
	if r.Refused > 0 {
		last += fmt.Sprintf(" %d refused", r.Refused)
	}
	last = strings.TrimSpace(last)
	number := strconv.FormatInt(r.Iteration, 10)
	if r.Unbegun {
		number = "-"
	}
	return t.columns(number, started, outcome, strconv.Itoa(minutesOf(r.Started, r.Ended)), "$"+r.Dollars.String(), last)
}

func (t *historyTable) narrow() bool { return t.s.Width < 60 }

func (t *historyTable) columns(n, started, outcome, minutes, dollars, last string) string {
	when := len("Jan 02 15:04")
	if t.narrow() {
		when = len("15:04")
	}
	return strings.TrimRight(pad(n, 4, true)+"  "+pad(started, when, false)+"  "+pad(outcome, 7, false)+pad(minutes, 5, true)+pad(dollars, 9, true)+"  "+last, " ")
}

func rowStyle(outcome string) string {
	switch loop.LineOutcome(outcome) {
	case loop.Errored:
		return bad
	case loop.Stopped, loop.Waiting:
		return warn
	case loop.SkippedLock:
		return faint
	}
	return plain
}

func (t *historyTable) footer(run *runTable) {
	if run.dollars.Count < 2 {
		return
	}
	d, m := run.dollars, run.minutes
	_ = t.write(plain, fmt.Sprintf("dollars  %s  $%s to $%s, $%s in all", d, loop.USD(d.Least), loop.USD(d.Most), loop.USD(d.Sum)))
	_ = t.write(plain, fmt.Sprintf("minutes  %s  %d to %d, %d in all", m, m.Least, m.Most, m.Sum))
}

func (t *historyTable) write(style, line string) error {
	p := page{Screen: t.s}
	_, _ = t.out.WriteString(p.paint(style, t.s.cut(line, t.s.Width)))
	return t.out.WriteByte('\n')
}

// Whole says no: a table shows a few fields.
func (t *historyTable) Whole() bool { return false }

// Close writes what is left.
func (t *historyTable) Close() error {
	if t.earlier > 0 {
		_ = t.write(faint, thousands(int64(t.earlier))+" iterations of earlier runs, $"+t.spent.String()+" in all: hooks history --all")
		_ = t.out.WriteByte('\n')
	}
	t.writeAll()
	if t.written == 0 {
		_, _ = t.out.WriteString("no iteration has ended in this project\n")
	}
	return t.out.Flush()
}

// HistoryJSON is one JSON array with a history line a line, as it stands on disk.
func HistoryJSON(w io.Writer) History { return &historyJSON{out: bufio.NewWriterSize(w, 64<<10)} }

type historyJSON struct {
	out  *bufio.Writer
	rows int
}

func (j *historyJSON) Row(r HistoryRow) error {
	lead := ",\n"
	if j.rows++; j.rows == 1 {
		lead = "[\n"
	}
	_, _ = j.out.WriteString(lead)
	_, err := j.out.Write(Visible(r.JSON))
	return err
}

// Whole says yes: the lines are the output.
func (j *historyJSON) Whole() bool { return true }

// Close ends the array.
func (j *historyJSON) Close() error {
	end := "\n]\n"
	if j.rows == 0 {
		end = "[]\n"
	}
	_, _ = j.out.WriteString(end)
	return j.out.Flush()
}

// HistoryCSV is a table for spreadsheets, with a header line. Times are UTC, dollars exact.
func HistoryCSV(w io.Writer) History {
	c := historyCSV{csv.NewWriter(w)}
	_ = c.out.Write([]string{"run_id", "skill", "seq", "iteration", "outcome", "started_at", "ended_at", "minutes", "dollars", "tokens_in", "tokens_out",
		"agents_dispatched", "comments_pushed", "merges_attempted", "prs_touched",
		"stop_conditions_fired", "calls_refused", "dollars_over"})
	return c
}

type historyCSV struct{ out *csv.Writer }

func (c historyCSV) Row(r HistoryRow) error {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	dollars, _ := r.Dollars.MarshalJSON()
	over, _ := r.Over.MarshalJSON()
	return c.out.Write([]string{
		cell(r.RunID), cell(r.Skill), number(r.Seq), number(r.Iteration), cell(r.Outcome), r.Started.UTC().Format(time.RFC3339), r.Ended.UTC().Format(time.RFC3339),
		strconv.Itoa(minutesOf(r.Started, r.Ended)), string(dollars), number(r.TokensIn), number(r.TokensOut), number(r.Agents), number(r.Comments),
		number(r.Merges), cell(strings.Join(r.PRs, " ")), cell(strings.Join(r.Causes, " ")),
		number(r.Refused), string(over),
	})
}

// cell keeps a spreadsheet from taking a foreign text for a formula.
func cell(text string) string {
	if text = clean(text); text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

// Whole says no: a table shows a few fields.
func (c historyCSV) Whole() bool { return false }

// Close writes what is left.
func (c historyCSV) Close() error {
	c.out.Flush()
	return c.out.Error()
}
