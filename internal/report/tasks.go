package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// TaskList is a task loop's list with the result of each task (T5, T63).
type TaskList struct {
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
	Check    string    `json:"check,omitempty"`
	Passed   []int     `json:"gates_passed"`
	Awaiting int       `json:"awaiting_gate,omitempty"` // number of the gate, 1 to 3
	Require  string    `json:"require,omitempty"`
	Verified int       `json:"verified"`
	Unbroken int       `json:"unbroken"`
	Claimed  int       `json:"claimed"`
	Skipped  int       `json:"skipped"`
	Dollars  loop.USD  `json:"dollars"` // dollars of the whole run
	Tasks    []TaskRow `json:"tasks"`
	Next     string    `json:"next"` // a command, an answer, or the trigger of the next attempt

	title string // title of the page
	style string
	done  string
}

// TaskRow is a task of a TaskList.
type TaskRow struct {
	Number   int             `json:"task"` // number of the task, from 1
	Title    string          `json:"title"`
	Verdict  attempt.Verdict `json:"verdict"`
	SHA      string          `json:"commit,omitempty"`
	Attempts int             `json:"attempts"` // number of attempts, including the open one
	Minutes  int             `json:"minutes"`
	Dollars  loop.USD        `json:"dollars"`
	// the task's own check; "" if the list's check applies
	Check string `json:"check,omitempty"`
	// reason why the last attempt did not count
	Why      string   `json:"why,omitempty"`
	Changed  []string `json:"check_changed,omitempty"`  // pinned files that the worker changed
	Weakened []string `json:"tests_weakened,omitempty"` // tests that the worker weakened (T96)
	Open     bool     `json:"under_way,omitempty"`      // an attempt at the task is open
}

// The verdicts on a task that is not finished.
const (
	TaskBlocked attempt.Verdict = "blocked" // its attempts are used up
	TaskOpen    attempt.Verdict = "open"
)

// TaskLast maps the number of a task to its newest history line.
type TaskLast map[int]*tasks.Line

// NewTaskList returns the task list of a loop. last may lack tasks.
func NewTaskList(st Stand, last TaskLast) TaskList {
	b := st.Run
	r := tasks.Of(b)
	if r == nil {
		return TaskList{}
	}
	l := TaskList{RunID: b.RunID, Status: b.Status, StopCause: b.StopCause, Spec: r.Spec,
		ListPath: r.ListPath, Issue: r.Issue, Mode: r.Mode, Drive: r.Drive, Phase: r.Phase,
		Check: r.Check, Passed: r.Passed, Awaiting: tasks.AwaitingGate(b),
		Require: r.Require, Verified: r.Count(attempt.Verified),
		Unbroken: r.Count(attempt.Unbroken),
		Claimed:  r.Count(attempt.Claimed), Skipped: r.Count(attempt.Skipped), Next: st.Next,
		done: r.Result(), Dollars: b.DollarsEstimate, Tasks: TaskRows(b, st.Tick, last, st.Open)}
	switch waits := unanswered(st.Gates); {
	case len(waits) > 0:
		l.Next = fmt.Sprintf("answer [%s]: %s", waits[0].Gate.Name, waits[0].Answer)
	case b.Status != loop.Active || !st.OwnerAlive:
		l.Next = cmp.Or(st.Resume, "hooks report-card "+string(b.Skill))
	}
	l.style, l.title = st.title()
	return l
}

// TaskRows returns the tasks of a run, or nil for any other kind of loop. t is the open iteration
// or nil, and open its spend so far.
func TaskRows(b *loop.Budget, t *loop.Tick, last TaskLast, open loop.USD) (rows []TaskRow) {
	r := tasks.Of(b)
	if r == nil {
		return nil
	}
	for i, item := range r.List {
		row := TaskRow{Number: i + 1, Title: item.Title, Verdict: cmp.Or(item.Result, TaskOpen),
			Check: item.Check, SHA: item.SHA, Attempts: item.Tries, Minutes: item.Minutes,
			Dollars: item.Dollars}
		var judged attempt.Judgement // judgement of the last attempt
		if line := last[row.Number]; line != nil {
			judged = line.Judgement
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
			case b.Status == loop.Active:
			case blocked(b):
				row.Verdict = TaskBlocked
			case judged.Verdict == attempt.Flagged:
				row.Verdict = attempt.Flagged
			}
		}
		if a := cmp.Or(t, &loop.Tick{}).Attempt; a != nil && a.Task == row.Number {
			row.Attempts, row.Dollars = row.Attempts+1, row.Dollars.Plus(open)
			if row.Open = a.Judged == nil; !row.Open && a.Judged.Verdict == attempt.Flagged &&
				row.Verdict == TaskOpen {
				row.Verdict, row.Why = attempt.Flagged, a.Judged.Why
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// blocked reports whether the task under way used up its attempts or its dollars.
func blocked(b *loop.Budget) bool {
	r := tasks.Of(b)
	return r.Try >= r.MaxTries || b.StopCause == "task_blocked"
}

// Tasks draws a list.
func (l TaskList) Draw(p *page.Text) {
	if l.RunID == "" && len(l.Tasks) == 0 {
		p.Line(page.Plain, "%s", loop.KindOf(tasks.Name).None)
		return
	}
	p.Line(l.style, "%s", l.title)
	p.Line(page.Plain, "%s", l.done)
	p.Blank()
	p.Table((&Card{}).taskTable(l.Tasks))
	p.Blank()
	var about page.Facts
	about.Given("issue", l.Issue)
	about.Row("spec", page.Plain, "%s, mode %s", l.Spec, l.Mode)
	about.Row("check", page.Plain, "%s", checked(l.Check))
	rest := l.Dollars
	for _, r := range l.Tasks {
		rest -= r.Dollars
	}
	about.Row("dollars", page.Plain, "$%s in all%s", l.Dollars,
		when(rest > 0, fmt.Sprintf(", $%s of it outside of single tasks", rest)))
	about.Row("next", page.Strong, "%s", l.Next)
	p.Facts(about)
}

// checked describes the check command and its effect on the verdict.
func checked(command string) string {
	if command == "" {
		return "none, so a task counts as claimed, never as verified"
	}
	return "`" + command + "` after each claim"
}

// taskTable returns a table of tasks with their verdicts, commits and costs, and with remarks below
// each.
func (c *Card) taskTable(rows []TaskRow) page.Table {
	t := page.Table{Class: "tasklist", Columns: []page.Column{
		{Name: "#", Right: true, Class: "num"}, {Name: "task", Class: "text", Notes: true},
		{Name: "verdict", Class: "out", Tag: true}, {Name: "commit", Class: "sha", Spare: 1},
		{Name: "attempts", Right: true, Class: "tries", Spare: 1},
		{Name: "min", Right: true, Class: "min", Spare: 2},
		{Name: "dollars", Right: true, Class: "usd", Spare: 1}}}
	for _, r := range rows {
		var commit page.Cell
		if r.SHA != "" {
			commit = page.Cell{c.commit(r.SHA)}
		}
		t.Rows = append(t.Rows, page.Row{Style: r.style(), Notes: r.remarks(), Cells: []page.Cell{
			page.Words(fmt.Sprint(r.Number)), page.Words(r.Title), page.Words(r.shown()), commit,
			page.Words(fmt.Sprint(r.Attempts)), page.Words(fmt.Sprint(r.Minutes)),
			page.Words("$" + r.Dollars.String())}})
	}
	return t
}

// remarks returns the reason the last attempt was not accepted, and the worker's changes to the
// check and the tests.
func (r TaskRow) remarks() (list []string) {
	if r.Why != "" {
		list = append(list, "last attempt: "+r.Why)
	}
	if len(r.Changed) > 0 {
		list = append(list, "check changed by the worker: "+strings.Join(r.Changed, ", "))
	}
	if len(r.Weakened) > 0 {
		list = append(list, "tests weakened: "+strings.Join(r.Weakened, ", "))
	}
	return list
}

// shown returns the verdict, and whether an attempt is under way.
func (r TaskRow) shown() string {
	text := r.Verdict.String()
	if r.Open {
		text += ", under way"
	}
	return text
}

// style returns the style for the verdict.
func (r TaskRow) style() string {
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

// text returns the task in one line.
func (r TaskRow) text() string {
	s := fmt.Sprintf("%s — %s%s", r.Title, r.shown(), prefixed(" -- ", attempt.Short(r.SHA)))
	if r.Attempts > 0 {
		s += fmt.Sprintf(", %s, %d min, $%s", english.Plural(r.Attempts, "attempt"), r.Minutes,
			r.Dollars)
	}
	return s + prefixed(", last attempt: ", r.Why)
}

// block writes the result of an attempt, in the specification's words if it has any (T68–T71).
func (b taskLoop) block(t *text, l *loop.Iteration) {
	r := b.run
	if own := tasks.LineOf(l); own != nil {
		t.line("%s", attempted(r, own))
		if own.Task == len(r.List) && r.PRStep() {
			t.line("%s Opening PR for Gate 3 review.", r.AllDone())
		}
	}
	t.line("%s", r.Result())
	for _, l := range awaiting(b.Budget) {
		t.line("%s", l)
	}
}

// attempted describes the result of one attempt (T68).
func attempted(r *tasks.Run, l *tasks.Line) string {
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

// awaiting returns a line about the numbered gate that the run waits for (T69), if any.
func awaiting(b *loop.Budget) (list []string) {
	n := tasks.AwaitingGate(b)
	for _, g := range b.Pending {
		if about, ok := strings.CutPrefix(g.Question, fmt.Sprintf("Gate %d: ", n)); ok && n > 0 {
			list = append(list, fmt.Sprintf("Awaiting Gate %d: %s", n, about))
		}
	}
	return list
}

// taskOf returns the record of a line in a task loop, or nil.
func taskOf(l *loop.Iteration) loop.Record {
	if own := tasks.LineOf(l); own != nil {
		return own
	}
	return nil
}

// stand draws the progress of the loop through its list.
func (b taskLoop) stand() (list page.Facts) {
	r := b.run
	list.Gauge("done", page.Plain, r.Result(), int64(r.Finished()), int64(len(r.List)))
	switch {
	case r.Complete():
		return list
	case r.PRStep():
		list.Row("under way", page.Plain, "open the pull request, attempt %d of %d", r.Try,
			r.MaxTries-1)
	case blocked(b.Budget):
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

// maxTasks is the maximum number of tasks that a page lists.
const maxTasks = 500

// card draws the list with the verdict on each task.
func (b taskLoop) card(c *cardPage) {
	c.Section("Tasks", b.run.Result(), "")
	c.Table(c.taskTable(c.Tasks[:min(len(c.Tasks), maxTasks)]))
	if more := len(c.Tasks) - maxTasks; more > 0 {
		c.Line(page.Faint, "%s after these: hooks tasks", english.Plural(more, "task"))
	}
	c.Line(page.Faint, "Check command: %s", checked(b.run.Check))
}

// Trouble returns the causes of problems of a task loop, with their fixes, from the engine's
// troubleshooting table (T80). It returns nil for any other kind. last is the run's last line, or
// nil if it has no line.
func Trouble(b *loop.Budget, last *loop.Iteration) (list []string) {
	r := tasks.Of(b)
	if r == nil {
		return nil
	}
	add := func(holds bool, format string, args ...any) {
		if holds {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	judged := attempt.Judgement{}
	if l := tasks.LineOf(last); l != nil && l.Task == r.Index+1 {
		judged = l.Judgement
	}
	red := judged.Verdict == attempt.Overruled
	add(judged.Verdict == attempt.Unfinished,
		"the loop does not advance, because %s: the worker's "+
			"last line must be TASK_COMPLETE with the attempt's token", judged.Why)
	add(red && judged.Check != nil && judged.Check.Exit == 127, "the check ended with exit 127: "+
		"the shell did not find a command in `%s`", r.Check)
	add(red, "task %d is not accepted, because %s: fix that; or give it more attempts with "+
		"--max-task-iterations or SDD_MAX_TASK_ITER; or fix the task by hand and resume",
		r.Index+1, judged.Why)
	add(b.StopCause == "iteration_budget", "many attempts use up the iterations: see with "+
		"`hooks tasks` which tasks fail, and fix the causes rather than raise the cap")
	add(b.StopCause == "no_fresh_context", "look with `hooks doctor` whether Stop, SubagentStop "+
		"and PreToolUse are registered")
	n := tasks.AwaitingGate(b)
	unanswered := slices.ContainsFunc(b.Pending, func(g loop.Gate) bool { return g.Answer == "" })
	add(n > 0 && unanswered, "gate %d is waiting for you: finish the review, then answer it; "+
		"editing .sdd-state.json has no effect", n)
	return list
}
