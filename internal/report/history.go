package report

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/term"
)

// HistoryRow is one line of a history, without the fields that only its JSON shows.
type HistoryRow struct {
	RunID     string
	Skill     string
	Seq       int64
	Iteration int64
	Unbegun   bool // the tick stopped at its entry, or the run between two iterations
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
	Task      int64    // of a task loop, from 1; 0 for none
	Try       int64
	Verdict   string
	Over      loop.USD // past the dollar ceiling
	JSON      []byte   // the whole line; good until the next row
}

// History writes rows as they come; Close ends it. After an error of its writer it writes nothing.
type History struct {
	Runs  func([]SpentRun) error // called before the first row, if it is set
	Row   func(HistoryRow) error
	Close func() error
	Whole bool // the lines themselves are printed, so all of each must be sound
}

// MostRows is how many iterations a table for people shows where not all are asked for.
const MostRows = 40

// HistoryTable draws one table a run, with the dollars and minutes of all its iterations as bars.
// It shows the last most iterations, all of them for 0, and the number of those before.
func HistoryTable(w io.Writer, s Screen, most int) History {
	s.Width = max(s.Width, minWidth)
	t := &historyTable{Screen: s, out: bufio.NewWriterSize(w, 64<<10), most: most}
	started := column{name: "started", width: len("Jan 02 15:04")}
	if t.short = s.Width < 60; t.short {
		started = column{name: "at", width: len("15:04")}
	}
	number, minutes := column{name: "#", width: 4, right: true}, column{name: "min", width: 3,
		right: true}
	dollars := column{name: "dollars", width: 7, right: true}
	t.columns = []column{number, started, {name: "outcome", width: 7}, minutes, dollars,
		{name: "PRs, cause"}}
	verdict := column{name: "verdict", width: len(loop.Unfinished)}
	t.tasks.columns = []column{number, started, {name: "task", width: 4, right: true},
		{name: "try", width: 3, right: true}, verdict, minutes, dollars, {name: "cause"}}
	if t.short {
		t.tasks.columns = []column{number, started, {name: "task", width: 4}, verdict, dollars,
			{name: "cause"}}
	}
	return History{Row: t.row, Close: t.close}
}

type historyTable struct {
	Screen
	table         // its columns; the rows are kept with their run
	tasks   table // the columns of a task loop
	out     *bufio.Writer
	most    int
	short   bool // the day of a start, or its time if that is today
	runs    []*runRows
	shown   int      // rows of runs
	earlier int      // rows of runs before them
	spent   loop.USD // in those
}

// runRows is one run's part of the table.
type runRows struct {
	name             string       // skill and id
	tasks            bool         // it is a task loop
	lines            []string     // the rows that are certainly shown, drawn
	rows             []HistoryRow // those after them
	hidden           int          // rows before them
	dollars, minutes *spark
}

func (t *historyTable) row(r HistoryRow) error {
	name := t.Screen.clean(r.Skill + " " + cmp.Or(r.RunID, "unknown"))
	if n := len(t.runs); n == 0 || t.runs[n-1].name != name {
		width := max(8, t.Width/3)
		t.runs = append(t.runs, &runRows{name: name, dollars: newSpark(width),
			minutes: newSpark(width), tasks: r.Skill == string(loop.Tasks)})
	}
	run := t.runs[len(t.runs)-1]
	if r.Outcome != string(loop.SkippedLock) {
		run.dollars.add(int64(max(0, r.Dollars)))
		run.minutes.add(int64(minutesOf(r.Started, r.Ended)))
	}
	if t.most == 0 {
		run.lines = append(run.lines, t.draw(r))
		return nil
	}
	r.JSON = nil
	run.rows = append(run.rows, r)
	if t.shown++; t.shown > t.most {
		t.hide()
	}
	return nil
}

// hide removes the oldest row, and its run if that has no other.
func (t *historyTable) hide() {
	run := t.runs[0]
	run.rows, run.hidden, t.shown = run.rows[1:], run.hidden+1, t.shown-1
	if len(run.rows) == 0 && len(t.runs) > 1 {
		t.earlier, t.spent = t.earlier+run.hidden, t.spent+loop.USD(run.dollars.sum)
		t.runs = t.runs[1:]
	}
}

func (t *historyTable) draw(r HistoryRow) string {
	outcome, number := r.Outcome, strconv.FormatInt(r.Iteration, 10)
	if outcome == string(loop.SkippedLock) {
		outcome = "skipped"
	}
	if r.Unbegun {
		number = "-"
	}
	last := strings.Join(append(r.PRs[:len(r.PRs):len(r.PRs)], r.Causes...), " ")
	if r.Over > 0 {
		last += " $" + r.Over.String() + " over"
	}
	if r.Refused > 0 {
		last += fmt.Sprintf(" %d refused", r.Refused)
	}
	last = strings.TrimSpace(last)
	minutes, dollars := strconv.Itoa(minutesOf(r.Started, r.Ended)), "$"+r.Dollars.String()
	line := ""
	switch task, try, verdict := r.attempt(outcome); {
	case r.Skill != string(loop.Tasks):
		line = t.line([]string{number, t.started(r.Started), outcome, minutes, dollars, last})
	case t.short:
		line = t.tasks.line([]string{number, t.started(r.Started),
			task + prefixed(".", try), verdict, dollars, last})
	default:
		line = t.tasks.line([]string{number, t.started(r.Started), task, try, verdict, minutes,
			dollars, last})
	}
	return t.paint(outcomeStyle(r.Outcome), t.cut(line, t.Width))
}

// attempt are the cells of a task loop's row. An iteration without an attempt has its outcome for a
// verdict.
func (r HistoryRow) attempt(outcome string) (task, try, verdict string) {
	if r.Task == 0 {
		return "-", "", outcome
	}
	return strconv.FormatInt(r.Task, 10), strconv.FormatInt(r.Try, 10), r.Verdict
}

// started is the start of an iteration, with its year if that is not this one.
func (t *historyTable) started(at time.Time) string {
	at = at.In(t.Now.Location())
	switch {
	case at.IsZero():
		return "-"
	case at.Year() != t.Now.Year():
		return at.Format(time.DateOnly)
	case !t.short:
		return at.Format("Jan 02 15:04")
	case at.YearDay() != t.Now.YearDay():
		return at.Format("01-02")
	}
	return at.Format("15:04")
}

func outcomeStyle(outcome string) string {
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

func (t *historyTable) close() error {
	write := func(style, format string, args ...any) {
		line := t.cut(fmt.Sprintf(format, args...), t.Width)
		_, _ = t.out.WriteString(t.paint(style, line) + "\n")
	}
	if t.earlier > 0 {
		write(faint, "%s of earlier runs, $%s in all: hooks history --all",
			loop.Plural(t.earlier, "iteration"), t.spent)
		write(plain, "")
	}
	for i, run := range t.runs {
		if i > 0 {
			write(plain, "")
		}
		write(strong, "%s", run.name)
		if run.tasks {
			write(faint, "%s", t.tasks.header())
		} else {
			write(faint, "%s", t.header())
		}
		if run.hidden > 0 {
			write(faint, "%s before these: hooks history --all", thousands(int64(run.hidden)))
		}
		for _, r := range run.rows {
			run.lines = append(run.lines, t.draw(r))
		}
		for _, line := range run.lines {
			_, _ = t.out.WriteString(line + "\n")
		}
		if d, m := run.dollars, run.minutes; d.count > 1 {
			write(plain, "dollars  %s  $%s to $%s, $%s in all", d,
				loop.USD(d.least), loop.USD(d.most), loop.USD(d.sum))
			write(plain, "minutes  %s  %d to %d, %d in all", m, m.least, m.most, m.sum)
		}
	}
	if len(t.runs) == 0 {
		write(plain, "no iteration has ended in this project")
	}
	return t.out.Flush()
}

// HistoryJSON is one JSON array with a history line a line, as it is on disk.
func HistoryJSON(w io.Writer) History {
	lines := array{out: bufio.NewWriterSize(w, 64<<10)}
	return History{Whole: true, Row: func(r HistoryRow) error {
		return lines.add(term.JSON(r.JSON))
	}, Close: func() error {
		lines.end()
		_ = lines.out.WriteByte('\n')
		return lines.out.Flush()
	}}
}

// HistoryCSV is a table for spreadsheets, with a header line. Times are UTC, dollars exact.
func HistoryCSV(w io.Writer) History {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"run_id", "skill", "seq", "iteration", "outcome", "started_at",
		"ended_at",
		"minutes", "dollars", "tokens_in", "tokens_out", "agents_dispatched", "comments_pushed",
		"merges_attempted", "prs_touched", "stop_conditions_fired", "calls_refused",
		"dollars_over", "task", "try", "verdict"})
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	when := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	return History{Row: func(r HistoryRow) error {
		return out.Write([]string{cell(r.RunID), cell(r.Skill), number(r.Seq), number(r.Iteration),
			cell(r.Outcome), when(r.Started), when(r.Ended),
			strconv.Itoa(minutesOf(r.Started, r.Ended)),
			exact(r.Dollars), number(r.TokensIn), number(r.TokensOut), number(r.Agents),
			number(r.Comments), number(r.Merges), cell(strings.Join(r.PRs, " ")),
			cell(strings.Join(r.Causes, " ")), number(r.Refused), exact(r.Over), number(r.Task),
			number(r.Try), cell(r.Verdict)})
	}, Close: func() error {
		out.Flush()
		return out.Error()
	}}
}

// exact is an amount without rounding and without trailing zeros.
func exact(u loop.USD) string {
	text, _ := u.MarshalJSON()
	return string(text)
}

// cell keeps a spreadsheet from taking a foreign text for a formula.
func cell(text string) string {
	if text = clean(text); text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}
