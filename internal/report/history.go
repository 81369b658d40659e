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

// History writes lines as they come; Close ends it. After an error of its writer it writes nothing.
type History struct {
	// Runs is called before the first row of a project, if it is set.
	Runs func(project string, runs []SpentRun) error
	// Row writes a line, of whose snapshot little is read. project is set where runs of several are
	// shown; text is the whole line, good until the next one.
	Row   func(project string, l *loop.Iteration, text []byte) error
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

// MaxRows bounds the iterations in a table for people unless they ask for more.
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
	skill            loop.Skill
	lines            []string          // the rows that are certainly shown, drawn
	rows             []*loop.Iteration // those after them
	hidden           int               // rows before them
	dollars, minutes *spark
	outside          loop.USD // of its iterations, as its last line has it
}

// spent is all that the run spent.
func (r *runRows) spent() loop.USD { return loop.USD(r.dollars.sum) + r.outside }

func (t *historyTable) row(project string, l *loop.Iteration, _ []byte) error {
	name := t.Screen.clean(string(l.Skill) + " " + cmp.Or(l.RunID, "unknown") +
		prefixed(", ", project))
	if n := len(t.runs); n == 0 || t.runs[n-1].name != name {
		width := max(8, t.Width/3)
		t.runs = append(t.runs, &runRows{name: name, dollars: newSpark(width),
			minutes: newSpark(width), skill: l.Skill})
	}
	run := t.runs[len(t.runs)-1]
	run.outside = max(run.outside, l.Budget.DollarsOutside)
	if l.Ran() {
		run.dollars.add(int64(max(0, l.Dollars)))
		run.minutes.add(int64(minutesOf(l)))
		if !l.EndedAt.IsZero() {
			t.days[l.EndedAt.In(t.Now.Location()).Format(time.DateOnly)] += max(0, l.Dollars)
		}
	}
	if t.most == 0 {
		run.lines = append(run.lines, t.draw(l))
		return nil
	}
	run.rows = append(run.rows, l)
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
			(oldest == nil || run.rows[0].StartedAt.Before(oldest.rows[0].StartedAt)) {
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
		rows, spent = rows+run.hidden, spent+run.spent()
		return true
	})
	return rows, spent
}

func (t *historyTable) draw(l *loop.Iteration) string {
	columns, cells := t.cells(l)
	line := (&table{columns: columns}).line(cells)
	return t.paint(outcomeStyle(l.Outcome), t.cut(line, t.Width))
}

// cells are the cells of a row with their columns. Those of a kind of loop come before the minutes
// or, on a narrow screen, replace them.
func (t *historyTable) cells(l *loop.Iteration) (columns []column, cells []string) {
	add := func(name string, width int, right bool, cell string) {
		columns = append(columns, column{name: name, width: width, right: right})
		cells = append(cells, cell)
	}
	outcome, minutes := outcomeName(l.Outcome), true
	add("#", 4, true, numberOf(l, "-"))
	if t.short {
		add("at", len("15:04"), false, t.started(l.StartedAt))
	} else {
		add("started", len("Jan 02 15:04"), false, t.started(l.StartedAt))
	}
	switch l.Skill {
	case loop.Tasks:
		task, try, verdict := "-", "", outcome
		if a := l.Task; a != nil { // else it began no attempt
			task, try = strconv.Itoa(a.Task), strconv.Itoa(a.Try)
			verdict = string(a.Judgement.Verdict)
		}
		if minutes = !t.short; t.short {
			add("task", 4, false, task+prefixed(".", try))
		} else {
			add("task", 4, true, task)
			add("try", 3, true, try)
		}
		add("verdict", len(loop.Unfinished), false, verdict)
	case loop.Audit:
		phase, verdict := "-", outcome
		if a := l.Audit; a != nil && a.Phase != "" {
			phase, verdict = phaseName(a), spaced(string(a.Judgement.Verdict))
		}
		minutes = !t.short
		add("phase", len(loop.FinalAuditing), false, phase)
		add("verdict", len(loop.Undecided), false, verdict)
	default:
		add("outcome", 7, false, outcome)
	}
	if minutes {
		add("min", 3, true, strconv.Itoa(minutesOf(l)))
	}
	add("dollars", 7, true, "$"+l.Dollars.String())
	add("details", 0, false, details(l))
	return columns, cells
}

// details lists the remaining facts of an iteration.
func details(l *loop.Iteration) string {
	list := []string{strings.Join(l.PRsTouched, " "), strings.Join(l.Fired, " ")}
	if a := l.Audit; a != nil {
		list = append(list, prefixed("opened ", strings.Join(a.Opened, " ")),
			prefixed("resolved ", strings.Join(a.Resolved, " ")))
	}
	if l.Overrun != nil {
		list = append(list, "$"+l.Overrun.Over.String()+" over")
	}
	if n := loop.Refusals(l.Denied); n > 0 {
		list = append(list, fmt.Sprintf("%d refused", n))
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

// between reports whether a line is of a tick that stopped at its entry, or of a stop between two
// iterations.
func between(l *loop.Iteration) bool { return l.Outcome == loop.Stopped && !l.Began() }

// numberOf is an iteration's number, or none where none began.
func numberOf(l *loop.Iteration, none string) string {
	if between(l) {
		return none
	}
	return strconv.Itoa(l.Iteration)
}

// outcomeName is an outcome for people.
func outcomeName(outcome loop.LineOutcome) string {
	if outcome == loop.SkippedLock {
		return "skipped"
	}
	return string(outcome)
}

func outcomeStyle(outcome loop.LineOutcome) string {
	switch outcome {
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
		columns, _ := t.cells(&loop.Iteration{Skill: run.skill})
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
			write(plain, "dollars  %s  $%s to $%s, $%s in all%s", d, loop.USD(d.least),
				loop.USD(d.most), run.spent(), when(run.outside > 0,
					fmt.Sprintf(", $%s outside of iterations", run.outside)))
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
	return History{Whole: true, Row: func(project string, _ *loop.Iteration, text []byte) error {
		text = term.JSON(text)
		if project != "" {
			name, _ := json.Marshal(project)
			lead := slices.Concat([]byte(`{"project":`), term.JSON(name), []byte(","))
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
	_ = line([]string{"run_id", "skill", "seq", "iteration", "outcome", "started_at", "ended_at",
		"minutes", "dollars", "tokens_in", "tokens_out", "agents_dispatched", "comments_pushed",
		"merges_attempted", "prs_touched", "stop_conditions_fired", "calls_refused", "dollars_over",
		"task", "try", "verdict"}, "project")
	when := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	return History{Row: func(project string, l *loop.Iteration, _ []byte) error {
		over, task := loop.Overrun{}, loop.TaskLine{}
		if l.Overrun != nil {
			over = *l.Overrun
		}
		if l.Task != nil {
			task = *l.Task
		}
		number := strconv.Itoa
		return line([]string{cell(l.RunID), cell(string(l.Skill)), number(l.Seq),
			number(l.Iteration), cell(string(l.Outcome)), when(l.StartedAt), when(l.EndedAt),
			number(minutesOf(l)), exact(l.Dollars), fmt.Sprint(l.TokensIn), fmt.Sprint(l.TokensOut),
			number(l.Agents), number(l.Comments), number(l.Merges),
			cell(strings.Join(l.PRsTouched, " ")), cell(strings.Join(l.Fired, " ")),
			number(loop.Refusals(l.Denied)), exact(over.Over), number(task.Task), number(task.Try),
			cell(string(task.Judgement.Verdict))}, cell(project))
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
