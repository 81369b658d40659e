package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/term"
)

// HistoryRow is one line of a history, without the fields that only its JSON shows.
type HistoryRow struct {
	Project   string // only where runs of several are shown
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
	Audit     *loop.AuditLine // of an audit loop
	Over      loop.USD        // past the dollar ceiling
	JSON      []byte          // the whole line; good until the next row
}

// History writes rows as they come; Close ends it. After an error of its writer it writes nothing.
type History struct {
	// Runs is called before the first row of a project, if it is set.
	Runs  func(project string, runs []SpentRun) error
	Row   func(HistoryRow) error
	Close func() error
	Whole bool // the lines themselves are printed, so all of each must be sound
}

// Where names the projects that a question without an answer is about.
func (s Screen) Where(all bool) string {
	if all {
		return "in any project of this machine"
	}
	return "in " + s.clean(cmp.Or(s.Dir, "this project")) +
		"; `hooks status --all` shows every project"
}

// MaxRows is how many iterations a table for people shows where not all are asked for.
const MaxRows = 40

// HistoryTable draws one table a run, with the dollars and minutes of all its iterations as bars,
// and the dollars of the last days. It shows the last most iterations, all of them for 0, and the
// number of those before. The runs are those of all projects, or of one.
func HistoryTable(w io.Writer, s Screen, most int, all bool) History {
	s.Width = max(s.Width, minWidth)
	t := &historyTable{Screen: s, out: bufio.NewWriterSize(w, 64<<10), most: most, all: all,
		short: s.Width < 60, days: map[string]loop.USD{}}
	return History{Row: t.row, Close: t.close}
}

type historyTable struct {
	Screen
	out   *bufio.Writer
	most  int
	all   bool
	short bool // the day of a start, or its time if that is today
	runs  []*runRows
	shown int // rows of runs
	days  map[string]loop.USD
}

// runRows is one run's part of the table.
type runRows struct {
	name             string // skill and id
	skill            string
	lines            []string     // the rows that are certainly shown, drawn
	rows             []HistoryRow // those after them
	hidden           int          // rows before them
	dollars, minutes *spark
}

func (t *historyTable) row(r HistoryRow) error {
	name := t.Screen.clean(r.Skill + " " + cmp.Or(r.RunID, "unknown") +
		prefixed(", ", r.Project))
	if n := len(t.runs); n == 0 || t.runs[n-1].name != name {
		width := max(8, t.Width/3)
		t.runs = append(t.runs, &runRows{name: name, dollars: newSpark(width),
			minutes: newSpark(width), skill: r.Skill})
	}
	run := t.runs[len(t.runs)-1]
	if r.Outcome != string(loop.SkippedLock) {
		run.dollars.add(int64(max(0, r.Dollars)))
		run.minutes.add(int64(minutesOf(r.Started, r.Ended)))
		if !r.Ended.IsZero() {
			t.days[r.Ended.In(t.Now.Location()).Format(time.DateOnly)] += max(0, r.Dollars)
		}
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

// hide removes the oldest row of all runs.
func (t *historyTable) hide() {
	var oldest *runRows
	for _, run := range t.runs {
		if len(run.rows) > 0 &&
			(oldest == nil || run.rows[0].Started.Before(oldest.rows[0].Started)) {
			oldest = run
		}
	}
	oldest.rows, oldest.hidden, t.shown = oldest.rows[1:], oldest.hidden+1, t.shown-1
}

// dropHidden takes away the runs without a row that is shown, and returns how many rows they had
// and what these spent.
func (t *historyTable) dropHidden() (rows int, spent loop.USD) {
	t.runs = slices.DeleteFunc(t.runs, func(run *runRows) bool {
		if len(run.lines)+len(run.rows) > 0 {
			return false
		}
		rows, spent = rows+run.hidden, spent+loop.USD(run.dollars.sum)
		return true
	})
	return rows, spent
}

func (t *historyTable) draw(r HistoryRow) string {
	columns, cells := t.cells(r)
	line := (&table{columns: columns}).line(cells)
	return t.paint(outcomeStyle(r.Outcome), t.cut(line, t.Width))
}

// cells are the cells of a row with their columns. Those of a kind of loop come before the minutes
// or, on a narrow screen, replace them.
func (t *historyTable) cells(r HistoryRow) (columns []column, cells []string) {
	add := func(name string, width int, right bool, cell string) {
		columns = append(columns, column{name: name, width: width, right: right})
		cells = append(cells, cell)
	}
	number, outcome, minutes := strconv.FormatInt(r.Iteration, 10), outcomeName(r.Outcome), true
	if r.Unbegun {
		number = "-"
	}
	add("#", 4, true, number)
	if t.short {
		add("at", len("15:04"), false, t.started(r.Started))
	} else {
		add("started", len("Jan 02 15:04"), false, t.started(r.Started))
	}
	switch loop.KindOf(loop.Skill(r.Skill)).Scope {
	case loop.TaskLoop:
		task, try, verdict := "-", "", outcome
		if r.Task > 0 { // else it began no attempt
			task, try = strconv.FormatInt(r.Task, 10), strconv.FormatInt(r.Try, 10)
			verdict = r.Verdict
		}
		if minutes = !t.short; t.short {
			add("task", 4, false, task+prefixed(".", try))
		} else {
			add("task", 4, true, task)
			add("try", 3, true, try)
		}
		add("verdict", len(loop.Unfinished), false, verdict)
	case loop.AuditLoop:
		phase, verdict := "-", outcome
		if a := r.Audit; a != nil && a.Phase != "" {
			phase, verdict = phaseName(a), spaced(string(a.Judgement.Verdict))
		}
		minutes = !t.short
		add("phase", len(loop.FinalAuditing), false, phase)
		add("verdict", len(loop.Undecided), false, verdict)
	default:
		add("outcome", 7, false, outcome)
	}
	if minutes {
		add("min", 3, true, strconv.Itoa(minutesOf(r.Started, r.Ended)))
	}
	add("dollars", 7, true, "$"+r.Dollars.String())
	add("details", 0, false, r.details())
	return columns, cells
}

// details are what else is known of an iteration.
func (r HistoryRow) details() string {
	list := []string{strings.Join(r.PRs, " "), strings.Join(r.Causes, " ")}
	if a := r.Audit; a != nil {
		list = append(list, prefixed("opened ", strings.Join(a.Opened, " ")),
			prefixed("resolved ", strings.Join(a.Resolved, " ")))
	}
	if r.Over > 0 {
		list = append(list, "$"+r.Over.String()+" over")
	}
	if r.Refused > 0 {
		list = append(list, fmt.Sprintf("%d refused", r.Refused))
	}
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), ", ")
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

// outcomeName is an outcome for people.
func outcomeName(outcome string) string {
	if outcome == string(loop.SkippedLock) {
		return "skipped"
	}
	return outcome
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
	rest := "hooks history --last 0"
	if t.all {
		rest = "hooks history --all --last 0"
	}
	write := func(style, format string, args ...any) {
		line := t.cut(fmt.Sprintf(format, args...), t.Width)
		_, _ = t.out.WriteString(t.paint(style, line) + "\n")
	}
	if earlier, spent := t.dropHidden(); earlier > 0 {
		write(faint, "%s of earlier runs, $%s in all: %s", loop.Plural(earlier, "iteration"), spent,
			rest)
		write(plain, "")
	}
	for i, run := range t.runs {
		if i > 0 {
			write(plain, "")
		}
		write(strong, "%s", run.name)
		columns, _ := t.cells(HistoryRow{Skill: run.skill})
		write(faint, "%s", (&table{columns: columns}).header())
		if run.hidden > 0 {
			write(faint, "%s before these: %s", thousands(int64(run.hidden)), rest)
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
		_, _ = t.out.WriteString("no iteration has ended " + t.Where(t.all) + "\n")
	}
	if len(t.days) > 1 {
		t.byDay(write)
	}
	return t.out.Flush()
}

// shownDays is of how many days the table shows the dollars.
const shownDays = 7

// byDay draws the dollars of the last days on which an iteration ended.
func (t *historyTable) byDay(write func(style, format string, args ...any)) {
	write(plain, "")
	write(strong, "dollars by day")
	days := slices.Sorted(maps.Keys(t.days))
	if earlier := len(days) - shownDays; earlier > 0 {
		write(faint, "%s before these: hooks cost --by day", loop.Plural(earlier, "day"))
		days = days[earlier:]
	}
	var most loop.USD
	for _, day := range days {
		most = max(most, t.days[day])
	}
	for _, day := range days {
		spent := t.days[day]
		write(plain, "%s  %s  %s", day, pad("$"+spent.String(), len("dollars"), true),
			bar(int64(spent), int64(most), max(8, t.Width/3)))
	}
}

// HistoryJSON is one JSON array with a history line a line, as it is on disk; after the project if
// runs of several are shown.
func HistoryJSON(w io.Writer) History {
	lines := array{out: bufio.NewWriterSize(w, 64<<10)}
	return History{Whole: true, Row: func(r HistoryRow) error {
		text := term.JSON(r.JSON)
		if r.Project != "" {
			project, _ := json.Marshal(r.Project)
			lead := slices.Concat([]byte(`{"project":`), term.JSON(project), []byte(","))
			text = append(lead, bytes.TrimPrefix(text, []byte("{"))...)
		}
		return lines.add(text)
	}, Close: func() error {
		lines.end()
		_ = lines.out.WriteByte('\n')
		return lines.out.Flush()
	}}
}

// HistoryCSV is a table for spreadsheets, with a header line. Times are UTC, dollars exact.
// Where the runs are those of all projects, the project is its last column.
func HistoryCSV(w io.Writer, all bool) History {
	out := csv.NewWriter(w)
	line := func(cells []string, project string) error {
		if all {
			cells = append(cells, project)
		}
		return out.Write(cells)
	}
	_ = line([]string{"run_id", "skill", "seq", "iteration", "outcome", "started_at",
		"ended_at",
		"minutes", "dollars", "tokens_in", "tokens_out", "agents_dispatched", "comments_pushed",
		"merges_attempted", "prs_touched", "stop_conditions_fired", "calls_refused",
		"dollars_over", "task", "try", "verdict"}, "project")
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	when := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	return History{Row: func(r HistoryRow) error {
		return line([]string{cell(r.RunID), cell(r.Skill), number(r.Seq), number(r.Iteration),
			cell(r.Outcome), when(r.Started), when(r.Ended),
			strconv.Itoa(minutesOf(r.Started, r.Ended)),
			exact(r.Dollars), number(r.TokensIn), number(r.TokensOut), number(r.Agents),
			number(r.Comments), number(r.Merges), cell(strings.Join(r.PRs, " ")),
			cell(strings.Join(r.Causes, " ")), number(r.Refused), exact(r.Over), number(r.Task),
			number(r.Try), cell(r.Verdict)}, cell(r.Project))
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
