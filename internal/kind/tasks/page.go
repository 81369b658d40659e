package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// Listing is the run's task list with results, as shown by `hooks tasks` (T5, T63).
type Listing struct {
	RunID     string      `json:"run_id"`
	Status    loop.Status `json:"status"`
	StopCause string      `json:"stop_cause,omitempty"`
	Spec      string      `json:"spec"`
	ListPath  string      `json:"list_path"`
	Issue     string      `json:"issue,omitempty"`
	Mode      string      `json:"mode"`
	Drive     string      `json:"drive"`
	Phase     string      `json:"phase"`
	// "" if no check is configured; then no task is verified
	Check    string   `json:"check,omitempty"`
	Passed   []int    `json:"gates_passed"`
	Awaiting int      `json:"awaiting_gate,omitempty"` // number of the gate, 1 to 3
	Require  string   `json:"require,omitempty"`
	Verified int      `json:"verified"`
	Unbroken int      `json:"unbroken"`
	Claimed  int      `json:"claimed"`
	Skipped  int      `json:"skipped"`
	Dollars  loop.USD `json:"dollars"` // cost of the whole run
	Tasks    []Row    `json:"tasks"`
	Next     string   `json:"next"` // a command, an answer, or the trigger of the next attempt

	style, title string // style and title of the page
	done         string
}

// Row is a task in a Listing or on a report card.
type Row struct {
	Number   int             `json:"task"` // number of the task, from 1
	Title    string          `json:"title"`
	Verdict  attempt.Verdict `json:"verdict"`
	SHA      string          `json:"commit,omitempty"`
	Attempts int             `json:"attempts"` // number of attempts, including the open one
	Minutes  int             `json:"minutes"`
	Dollars  loop.USD        `json:"dollars"`
	// the task's own check; "" if the list's check applies
	Check string `json:"check,omitempty"`
	// why the last attempt did not count
	Why      string   `json:"why,omitempty"`
	Changed  []string `json:"check_changed,omitempty"`  // pinned files that the worker changed
	Weakened []string `json:"tests_weakened,omitempty"` // how the worker weakened tests (T96)
	Open     bool     `json:"under_way,omitempty"`      // an attempt at the task is open
}

// Verdicts on an unfinished task.
const (
	TaskBlocked attempt.Verdict = "blocked" // its attempts or its dollars are used up
	TaskOpen    attempt.Verdict = "open"
)

// Page returns the run's Listing. It is empty if r is nil.
func (r *Run) Page(s loop.Shown, style, title, next string) page.Page {
	if r == nil {
		return Listing{}
	}
	b := s.Run
	return Listing{RunID: b.RunID, Status: b.Status, StopCause: b.StopCause, Spec: r.Spec,
		ListPath: r.ListPath, Issue: r.Issue, Mode: r.Mode, Drive: r.Drive, Phase: r.Phase,
		Check: r.Check, Passed: r.Passed, Awaiting: AwaitingGate(b), Require: r.Require,
		Verified: r.Count(attempt.Verified), Unbroken: r.Count(attempt.Unbroken),
		Claimed: r.Count(attempt.Claimed), Skipped: r.Count(attempt.Skipped),
		Dollars: b.DollarsEstimate, Tasks: r.rows(s), Next: next,
		style: style, title: title, done: r.Result()}
}

// Rows returns the run's tasks for the JSON of a report card.
func (r *Run) Rows(s loop.Shown) any { return r.rows(s) }

func (r *Run) rows(s loop.Shown) (rows []Row) {
	for i, item := range r.List {
		row := Row{Number: i + 1, Title: item.Title, Verdict: cmp.Or(item.Result, TaskOpen),
			Check: item.Check, SHA: item.SHA, Attempts: item.Tries, Minutes: item.Minutes,
			Dollars: item.Dollars}
		var judged attempt.Judgement // judgement of the last attempt
		if record := s.Tried[row.Number]; record != nil {
			judged = *record.Judged()
		}
		row.Weakened = judged.Weakened
		if judged.Check != nil {
			row.Changed = judged.Check.Changed
		}
		if item.Result == "" {
			row.Why = judged.Why
		}
		if item.Result == "" && i == r.Index {
			row.Why = cmp.Or(r.Reason, row.Why)
			switch {
			case s.Run.Status == loop.Active:
			case r.blocked(s.Run):
				row.Verdict = TaskBlocked
			case judged.Verdict == attempt.Flagged:
				row.Verdict = attempt.Flagged
			}
		}
		if a := cmp.Or(s.Tick, &loop.Tick{}).Attempt; a != nil && a.Task == row.Number {
			row.Attempts, row.Dollars = row.Attempts+1, row.Dollars.Plus(s.Open)
			if row.Open = a.Judged == nil; !row.Open && a.Judged.Verdict == attempt.Flagged &&
				row.Verdict == TaskOpen {
				row.Verdict, row.Why = attempt.Flagged, a.Judged.Why
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Tried returns the number of tasks that have been attempted.
func (r *Run) Tried() (n int) {
	for _, item := range r.List {
		if item.Tries > 0 {
			n++
		}
	}
	return n
}

// blocked reports whether the current task has used up its attempts or its dollars.
func (r *Run) blocked(b *loop.Budget) bool {
	return r.Try >= r.MaxTries || b.StopCause == "task_blocked"
}

func (l Listing) Draw(p *page.Text) {
	if l.RunID == "" && len(l.Tasks) == 0 {
		p.Line(page.Plain, "%s", Kind.None)
		return
	}
	p.Line(l.style, "%s", l.title)
	p.Line(page.Plain, "%s", l.done)
	p.Blank()
	p.Table(table(l.Tasks, nil))
	p.Blank()
	var about page.Facts
	about.Given("issue", l.Issue)
	about.Row("spec", page.Plain, "%s, mode %s", l.Spec, l.Mode)
	about.Row("check", page.Plain, "%s", checked(l.Check))
	rest := l.Dollars
	for _, r := range l.Tasks {
		rest -= r.Dollars
	}
	outside := ""
	if rest > 0 {
		outside = fmt.Sprintf(", $%s of it outside the tasks", rest)
	}
	about.Row("dollars", page.Plain, "$%s in total%s", l.Dollars, outside)
	about.Row("next", page.Strong, "%s", l.Next)
	p.Facts(about)
}

// checked describes the check command and how it affects verdicts.
func checked(command string) string {
	if command == "" {
		return "none, so a task counts as claimed, never as verified"
	}
	return "`" + command + "` after each claim"
}

// table returns a table of tasks with their verdicts, commits and costs, and remarks below each
// task. commit turns a hash into a link; if it is nil, hashes are not linked.
func table(rows []Row, commit func(sha string) page.Word) page.Table {
	t := page.Table{Class: "tasklist", Columns: []page.Column{
		{Name: "#", Right: true, Class: "num"}, {Name: "task", Class: "text", Notes: true},
		{Name: "verdict", Class: "out", Tag: true}, {Name: "commit", Class: "sha", Spare: 1},
		{Name: "attempts", Right: true, Class: "tries", Spare: 1},
		{Name: "min", Right: true, Class: "min", Spare: 2},
		{Name: "dollars", Right: true, Class: "usd", Spare: 1}}}
	for _, r := range rows {
		row := t.Add(strconv.Itoa(r.Number), r.Title, r.shown(), attempt.Short(r.SHA),
			strconv.Itoa(r.Attempts), strconv.Itoa(r.Minutes), "$"+r.Dollars.String())
		row.Style, row.Notes = r.style(), r.remarks()
		if commit != nil && r.SHA != "" {
			row.Cells[3] = page.Cell{commit(r.SHA)}
		}
	}
	return t
}

// remarks returns why the last attempt was not accepted, and how the worker changed the check and
// the tests.
func (r Row) remarks() []string {
	return loop.AppendNew(nil, prefixed("last attempt: ", r.Why),
		prefixed("check changed by the worker: ", strings.Join(r.Changed, ", ")),
		prefixed("tests weakened: ", strings.Join(r.Weakened, ", ")))
}

// prefixed adds a prefix to text. It leaves empty text empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// shown returns the verdict, followed by "under way" if an attempt is open.
func (r Row) shown() string {
	text := r.Verdict.String()
	if r.Open {
		text += ", under way"
	}
	return text
}

func (r Row) style() string {
	switch r.Verdict {
	case attempt.Verified:
		return page.Good
	case TaskBlocked:
		return page.Bad
	case attempt.Flagged, attempt.Unbroken, attempt.Claimed, attempt.Skipped:
		return page.Warn
	}
	return page.Plain
}

// Block returns the result of an attempt, in the specification's words if it defines any (T68–T71).
func (r *Run) Block(b *loop.Budget, l *loop.Iteration) (list []string) {
	if own := LineOf(l); own != nil {
		list = append(list, r.attempted(own))
		if own.Task == len(r.List) && r.PRStep() {
			list = append(list, r.AllDone()+" Opening PR for Gate 3 review.")
		}
	}
	return append(append(list, r.Result()), awaiting(b)...)
}

// attempted describes the result of one attempt (T68).
func (r *Run) attempted(l *Line) string {
	j := l.Judgement
	if l.Task > len(r.List) {
		return fmt.Sprintf("Pull request, attempt %d: %s%s", l.Try, j.Verdict,
			prefixed(" — ", j.Why))
	}
	switch j.Verdict {
	case attempt.Verified, attempt.Unbroken, attempt.Claimed:
		return fmt.Sprintf("Task %d/%d complete: %s%s (%s)", l.Task, len(r.List), l.Title,
			prefixed(" -- ", attempt.Short(j.SHA)), &j)
	}
	return fmt.Sprintf("Task %d/%d, attempt %d of %d: %s — %s", l.Task, len(r.List), l.Try,
		r.MaxTries-1, j.Verdict, j.Why)
}

// awaiting returns a line about the numbered gate that the run is waiting at, if any (T69).
func awaiting(b *loop.Budget) (list []string) {
	n := AwaitingGate(b)
	for _, g := range b.Pending {
		if about, ok := strings.CutPrefix(g.Question, fmt.Sprintf("Gate %d: ", n)); ok && n > 0 {
			list = append(list, fmt.Sprintf("Awaiting Gate %d: %s", n, about))
		}
	}
	return list
}

// Final returns the list's totals, and then a line with the result of each task.
func (r *Run) Final(s loop.Shown) (must, more []string) {
	for _, row := range r.rows(s) {
		text := fmt.Sprintf("Task %d: %s — %s%s", row.Number, row.Title, row.shown(),
			prefixed(" -- ", attempt.Short(row.SHA)))
		if row.Attempts > 0 {
			text += fmt.Sprintf(", %s, %d min, $%s", english.Plural(row.Attempts, "attempt"),
				row.Minutes, row.Dollars)
		}
		more = append(more, text+prefixed(", last attempt: ", row.Why))
	}
	return append([]string{r.Result()}, awaiting(s.Run)...), more
}

// Stand returns the loop's progress through its list.
func (r *Run) Stand(s loop.Shown) (list page.Facts) {
	list.Gauge("done", page.Plain, r.Result(), int64(r.Finished()), int64(len(r.List)))
	switch {
	case r.Complete():
		return list
	case r.PRStep():
		list.Row("under way", page.Plain, "open the pull request, attempt %d of %d", r.Try,
			r.MaxTries-1)
	case r.blocked(s.Run):
		list.Row("blocked", page.Bad, "task %d: %s", r.Index+1, r.List[r.Index].Title)
	default:
		list.Row("under way", page.Plain, "task %d, attempt %d of %d: %s", r.Index+1, r.Try,
			r.MaxTries-1, r.List[r.Index].Title)
	}
	if r.Reason != "" {
		list.Row("last try", page.Warn, "%s", r.Reason)
	}
	return list
}

// maxTasks is the maximum number of tasks listed on a card.
const maxTasks = 500

// Card draws the list with the verdict on each task.
func (r *Run) Card(to page.Sheet, s loop.Shown, commit func(sha string) page.Word) {
	rows := r.rows(s)
	to.Section("Tasks", r.Result(), "")
	to.Table(table(rows[:min(len(rows), maxTasks)], commit))
	if more := len(rows) - maxTasks; more > 0 {
		to.Line(page.Faint, "and %s; see `hooks tasks`", english.Plural(more, "more task"))
	}
	to.Line(page.Faint, "Check command: %s", checked(r.Check))
}

// Evidence returns the tasks whose check passed when the program ran it, and the tasks whose
// completion was only claimed.
func (r *Run) Evidence() (seen, said page.Facts) {
	seen.GivenCell("tasks", r.with(attempt.Verified))
	seen.GivenCell("not broken", r.with(attempt.Unbroken))
	said.GivenCell("tasks", r.with(attempt.Claimed))
	said.Given("criteria", "no check can tell whether a task meets all of its criteria")
	return seen, said
}

// with returns the numbers of the tasks with the given result.
func (r *Run) with(result attempt.Verdict) (list page.Cell) {
	for i, item := range r.List {
		if item.Result == result {
			list = append(list, page.Word{Text: strconv.Itoa(i + 1)})
		}
	}
	return list
}

// Trouble returns the causes of problems, with their fixes, from the engine's troubleshooting table
// (T80). last is the run's last history line, or nil.
func (r *Run) Trouble(b *loop.Budget, last *loop.Iteration) (list []string) {
	add := func(holds bool, format string, args ...any) {
		if holds {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	judged := attempt.Judgement{}
	if l := LineOf(last); l != nil && l.Task == r.Index+1 {
		judged = l.Judgement
	}
	red := judged.Verdict == attempt.Overruled
	add(judged.Verdict == attempt.Unfinished, "the loop does not advance, because %s: the "+
		"worker's last line must be TASK_COMPLETE with the attempt's token", judged.Why)
	add(red && judged.Check != nil && judged.Check.Exit == 127, "the check ended with exit 127, "+
		"because the shell did not find a command in `%s`", r.Check)
	add(red, "task %d is not accepted, because %s: fix the cause, give the task more attempts "+
		"with `--max-task-iterations` or SDD_MAX_TASK_ITER, or do it by hand and resume",
		r.Index+1, judged.Why)
	add(b.StopCause == "iteration_budget", "many attempts use up the iterations: find the "+
		"failing tasks with `hooks tasks`, and fix the causes instead of raising the ceiling")
	add(b.StopCause == "no_fresh_context", "check with `hooks doctor` whether Stop, SubagentStop "+
		"and PreToolUse are registered")
	n := AwaitingGate(b)
	unanswered := slices.ContainsFunc(b.Pending, func(g loop.Gate) bool { return g.Answer == "" })
	add(n > 0 && unanswered, "gate %d is waiting for you: finish the review, then answer it; "+
		"editing .sdd-state.json has no effect", n)
	return list
}
