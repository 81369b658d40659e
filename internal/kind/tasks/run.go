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
)

// Name is the kind's name in commands and files.
const Name loop.Skill = "task"

// Kind is the loop kind that works through the tasks in a spec (T1).
var Kind = loop.Kind{
	Name: Name, Commands: []string{"go", "start"}, MaxHolds: 6,
	Ceilings: loop.Ceilings{Iterations: 50, PRs: 20, Minutes: 480, Dollars: 25 * loop.Dollar},
	Driver:   "hooks go",
	None: "there is no task loop in this project; start one with `/sdd:go SPEC` in a session, " +
		"or with `hooks go SPEC` in a terminal; the modes pair and swarm run no loop",
	Flags: []string{"--tasks", "--check", "--check-timeout", "--drive", "--mode", "--issue",
		"--untidy", "--max-task-iterations", "--max-task-dollars", "--require"},
	Report: `{"outcome":"ok","note":"…"}`,
	Fields: `{"outcome":"ok|errored","note":"…"}`,
	Conditions: []loop.Condition{
		{Number: 13, Name: "tasks-done", Cause: "tasks_complete", When: loop.Entry | loop.Exit,
			Holds: tasksDone, Tell: tellTask,
			Way: "look at the report card, then merge what you accept"},
		{Number: 14, Name: "task-retry-budget", Cause: "task_blocked", When: loop.Exit,
			Holds: taskBlocked, Tell: tellRetries,
			Way: "fix the task by hand or rewrite it, then resume; its attempts start over"},
		{Number: 21, Name: "history-dropped", Cause: loop.CauseDropped,
			When: loop.Entry | loop.Exit, Holds: historyDropped,
			Tell: loop.Says("fires when the list is done but the branch has lost the last " +
				"task's commit").Tell,
			Way: "restore the commit, for example with `git reflog`, or resume to accept the " +
				"branch as it is"},
	},
	Applies: func(b *loop.Budget) bool {
		_, is := b.Own.(*Run)
		return is
	},
	Gates: gates, Completes: "tasks_complete", Rule: stays, Enter: enter, Steer: steer,
	InAgent: "tasks cannot be added from inside the agent",
	Run:     loop.Part{Name: "tasks", Of: (*Run)(nil)},
	Line:    loop.Part{Name: "task", Of: (*Line)(nil)}, Columns: []string{"task", "try"},
}

// Of returns the task loop's part of a run, or nil if the run is of another kind.
func Of(b *loop.Budget) *Run { return loop.RunOf[Run](b) }

// LineOf returns the task loop's part of a history line, or nil if the line is of another kind.
func LineOf(l *loop.Iteration) *Line { return loop.LineOf[Line](l) }

// Run is the task loop's part of a run: the list and the progress through it (T16–T28).
type Run struct {
	Spec     string `json:"spec"`      // path of the spec, relative to the project
	ListPath string `json:"list_path"` // path of the list file
	List     []Item `json:"list"`
	// ListSum is the hash of the list when it was last read, without its ticks. Changed is the
	// edited list until a person has answered the question about it (T97).
	ListSum string    `json:"list_sum,omitempty"`
	Changed *ReadList `json:"changed,omitempty"`
	// Seen is the hash of the list when the last attempt ended, or empty if unknown. Added lists a
	// person's tasks that the next iteration appends.
	Seen     string `json:"list_seen,omitempty"`
	Added    []Item `json:"added,omitempty"`
	Index    int    `json:"index"`     // current task, from 0; len(List) is the PR
	Try      int    `json:"try"`       // current attempt at that task, from 1
	MaxTries int    `json:"max_tries"` // a task is blocked once Try reaches it (T57)
	Mode     string `json:"mode"`      // quick, tdd or checkpoint
	Drive    string `json:"drive"`     // DriveStop or DriveProcess
	Phase    string `json:"phase"`
	Passed   []int  `json:"gates_passed"`
	Goal     string `json:"goal,omitempty"`
	Issue    string `json:"issue,omitempty"`
	Check    string `json:"check,omitempty"` // a person's command, or ""
	// Proposed is a check command that no person typed, until a person confirms or declines it.
	Proposed string `json:"check_proposed,omitempty"`
	// CheckMinutes bounds one run of the check command.
	CheckMinutes int `json:"check_minutes,omitempty"`
	// the run opens a PR after the last task, for gate 3
	OpensPR bool `json:"opens_pr,omitempty"`
	// why the last attempt was not accepted
	Reason  string   `json:"reason,omitempty"`
	Dollars loop.USD `json:"max_task_dollars,omitempty"`
	// Require is "verified" if a person must be asked about every task with a lesser verdict, and
	// "" otherwise.
	Require string `json:"require,omitempty"`
	// progress made by another tool, until a person has answered the question about it
	Import *Found `json:"import,omitempty"`
	Words  string `json:"words,omitempty"` // a person's message for the task's next attempts
	Git    bool   `json:"git,omitempty"`   // an attempt has seen a repository
	// Tip is the commit of the last completed task. The branch must still contain it (T87). A
	// person who resumes the run accepts the branch as it is, which clears Tip.
	Tip string `json:"tip,omitempty"`
	PR  int    `json:"pr,omitempty"` // PR that the run has opened or commented on, or 0
	// Start is the commit where the check is pinned, normally the one where the run began.
	Start string            `json:"start,omitempty"`
	Last  *attempt.CheckRun `json:"last_check,omitempty"` // last conclusive run of the check
	// Outages counts consecutive attempts that ended through no fault of the task (T59, T95).
	Outages int `json:"outages,omitempty"`
}

// ReadList is a task list as read from disk, with a hash of its contents.
type ReadList struct {
	Sum  string `json:"sum"`
	List []Item `json:"list"`
}

// Found is a state file that another tool left in the project before the run (T99).
type Found struct {
	Index int `json:"index"` // number of tasks that the file counts as done
	Try   int `json:"try"`
}

// The phases that the program sets (T17).
const (
	Execution    = "execution"
	Verification = "verification"
	Closure      = "closure"
)

// Item is one task with its result.
type Item struct {
	Title    string `json:"title"`              // one line of 1 to 200 runes
	Criteria string `json:"criteria,omitempty"` // text below the title, at most 1500 bytes
	// in checkpoint mode, the loop pauses after the task (T41)
	Checkpoint bool `json:"checkpoint,omitempty"`
	NoCommit   bool `json:"no_commit,omitempty"` // the task may end without a commit (T87)
	// the task's own check command, which a person saw at gate 2
	Check string `json:"check,omitempty"`
	// Before is the result of the check before the first attempt; nil if unknown.
	Before *attempt.CheckRun `json:"before,omitempty"`
	// numbers of the tasks that must be done first
	Depends []int `json:"depends,omitempty"`
	// added in a terminal, so not in the list file
	Added  bool            `json:"added,omitempty"`
	Result attempt.Verdict `json:"result,omitempty"` // empty while the task is not done
	SHA    string          `json:"sha,omitempty"`
	// Base is the commit where the first attempt at the task began, or the empty tree. An attempt
	// ended by an outage counts as the first; one whose start git could not read does not.
	Base    string   `json:"base,omitempty"`
	Tries   int      `json:"tries,omitempty"`
	Minutes int      `json:"minutes,omitempty"`
	Dollars loop.USD `json:"dollars,omitempty"`
}

// Line holds the fields of a history line that describe an attempt at a task.
type Line struct {
	Task      int               `json:"task"`
	Try       int               `json:"try"`
	Title     string            `json:"title"`
	Judgement attempt.Judgement `json:"judgement"`
	Fresh     string            `json:"fresh,omitempty"`
	// feedback passed to the worker (L31)
	Feedback string `json:"feedback,omitempty"`
}

// Methods of loop.Record.

func (l *Line) Judged() *attempt.Judgement { return &l.Judgement }
func (l *Line) Context() string            { return l.Fresh }
func (l *Line) Changes() []string          { return nil }

func (l *Line) Cells() []string {
	return []string{strconv.Itoa(l.Task), strconv.Itoa(l.Try)}
}

func (l *Line) Cost(of loop.Payload) (number int, title, phase string) {
	if r, is := of.(*Run); is && l.Task > 0 && l.Task <= len(r.List) {
		return l.Task, r.List[l.Task-1].Title, ""
	}
	return l.Task, "the pull request", ""
}

// prTitle is the title of the attempt after the last task.
const prTitle = "Open the pull request"

// item returns the current task, or nil once the list is done.
func (r *Run) item() *Item {
	if r.Index < len(r.List) {
		return &r.List[r.Index]
	}
	return nil
}

// PRStep reports whether the list is done and the next step is to open its PR (T51).
func (r *Run) PRStep() bool {
	return r.Index == len(r.List) && len(r.Added) == 0 && r.OpensPR &&
		!slices.Contains(r.Passed, 3)
}

// Complete reports whether no work is left (T18).
func (r *Run) Complete() bool {
	return r.Index >= len(r.List) && len(r.Added) == 0 && !r.PRStep()
}

// Count returns the number of tasks with the given result.
func (r *Run) Count(result attempt.Verdict) (n int) {
	for _, i := range r.List {
		if i.Result == result {
			n++
		}
	}
	return n
}

// AwaitingGate returns the number of the gate that the run is waiting at, or 0 if it is not one of
// the three numbered gates (T25).
func AwaitingGate(b *loop.Budget) int {
	for _, g := range b.Pending {
		if n := slices.Index(gateNames, g.Name) + 1; n > 0 {
			return n
		}
	}
	return 0
}

func (r *Run) Clone() loop.Payload { return r.clone() }

func (r *Run) Stored() loop.Payload { return r }

var _ loop.Publisher = (*Run)(nil)

func (r Run) clone() *Run {
	r.List, r.Passed = slices.Clone(r.List), slices.Clip(r.Passed)
	return &r
}

// Enter appends the tasks that a person added, and checks whether the list on disk was edited.
func (r *Run) Enter(t *loop.Tick, e loop.EntryFacts, alone bool) {
	t.Notes = appendNote(t.Notes, r.absorb())
	t.Notes = appendNote(t.Notes, r.compare(r.reread(e.List), alone))
}

func (r *Run) Answered(loop.EntryFacts) {}

// Begin prepares the next attempt. If the run began in a repository and it is gone, commits are
// still required.
func (r *Run) Begin(a *attempt.Attempt) bool {
	if a.NoGit && r.Git {
		a.NoGit, a.Unread = false, "the repository that the run began in is gone"
	}
	r.Git = r.Git || !a.NoGit
	if !a.NoGit && a.Unread == "" {
		r.Start = cmp.Or(r.Start, a.Head)
	}
	return true
}

// Aim sets an attempt's task to the current one.
func (r *Run) Aim(a *attempt.Attempt) {
	_, nonce, _ := strings.Cut(a.Token, "-")
	a.Task, a.Of, a.Try, a.Title = r.Index+1, len(r.List), r.Try, prTitle
	if item := r.item(); item != nil {
		a.Title, a.Base = item.Title, cmp.Or(item.Base, a.Start())
		r.begins(item, a)
	}
	a.Token = fmt.Sprintf("%d.%d-%s", a.Task, a.Try, nonce)
}

// Resume resets the attempts of a blocked task (T65). A person who resumes the run accepts the
// branch as it is.
func (r *Run) Resume(_ *loop.Budget, by loop.Request) {
	r.Outages, r.Drive = 0, loop.ResumedDrive(by.Flags.Task.Drive, r.Drive)
	if r.Try >= r.MaxTries {
		r.Try = 1
	}
	if by.Unasked() {
		return
	}
	r.Tip = ""
	if more := by.Flags.Task.Dollars; more > 0 {
		r.Dollars = more
	}
}

func (r *Run) Attempts() loop.Attempts {
	a := loop.Attempts{
		Drive: r.Drive, Check: r.checkOf(r.item()), Minutes: r.CheckMinutes, From: r.Start,
		Tip: r.Tip, Outages: r.Outages, Most: r.Dollars, Whole: "the task",
		// A task uses all its attempts first, so that the run ends for that reason (T57).
		MaxIdle: r.MaxTries - 1,
		Failed:  "attempts in a row ended through no fault of the task; no retry was counted",
		Done:    r.Complete(), Source: r.Spec, List: r.ListPath, Number: r.Index + 1, Unit: "task",
		Publishes: true, Imports: r.Import != nil, Agent: "worker", Unjudged: attempt.Unfinished,
		Finished: r.Finished(), Total: len(r.List),
	}
	a.Last = a.Finished+1 >= a.Total
	if item := r.item(); item != nil {
		a.Spent = item.Dollars
	}
	a.Worked = slices.ContainsFunc(r.List, func(i Item) bool { return i.Tries > 0 })
	return a
}

func (r *Run) Advanced(since loop.Payload) bool {
	return r.Finished() > since.(*Run).Finished()
}

func (r *Run) Name(a *attempt.Attempt) string { return fmt.Sprintf("task %d", a.Task) }

// Ending puts the claim in the middle of a sentence, so that a copy of the text is not a claim.
func (r *Run) Ending(a *attempt.Attempt) string {
	return fmt.Sprintf("Then make the words TASK_COMPLETE %s the whole last line of your answer. "+
		"If only a person can continue, end with TASK_BLOCKED %s and the reason on that line.",
		a.Token, a.Token)
}

func (r *Run) UnderWay() string {
	if r.Index >= len(r.List) {
		return "the pull request"
	}
	return fmt.Sprintf("task %d of %d", r.Index+1, len(r.List))
}

// Heading returns the current task, with the attempt, and the task's title.
func (r *Run) Heading() (name, title string) {
	if item := r.item(); item != nil {
		return r.Next(), item.Title
	}
	return r.Next(), prTitle
}

func (r *Run) Next() string {
	attempt := r.Try
	if attempt >= r.MaxTries { // when a person resumes a blocked task
		attempt = 1
	}
	return fmt.Sprintf("%s, attempt %d", r.UnderWay(), attempt)
}

// Line returns the attempt's part of the history line.
func (r *Run) Line(t *loop.Tick) loop.Record {
	a := t.Attempt
	if a.Task < 1 {
		return nil
	}
	return &Line{Task: a.Task, Try: a.Try, Title: a.Title, Judgement: t.Verdict(),
		Fresh: a.Fresh, Feedback: a.Feedback}
}

// Fold counts the ending attempt.
func (r *Run) Fold(t *loop.Tick, e loop.Ending) {
	a := t.Attempt
	if a.Task < 1 {
		return
	}
	j, took := t.Verdict(), max(0, e.Now.Sub(t.StartedAt)) // the clock may have been set back
	r.count(a, j, int(took.Minutes()), loop.Sum(e.Spent.ByModel).Dollars)
	r.Seen = a.List
	t.Notes = appendNote(t.Notes, r.absorb())
}

// count advances the run by one attempt (T9, T52–T60).
func (r *Run) count(a *attempt.Attempt, j attempt.Judgement, minutes int, spent loop.USD) {
	task := a.Task - 1
	if task < len(r.List) {
		item := &r.List[task]
		item.Tries++
		item.Base = a.Base
		item.Minutes += minutes
		item.Dollars = item.Dollars.Plus(spent)
		if j.Verdict.Done() {
			item.Result, item.SHA, r.Tip = j.Verdict, j.SHA, j.SHA
		}
	}
	if c := j.Check; c != nil && c.Unsure == "" && (len(c.Changed) == 0 || r.Start != j.SHA) {
		r.Last = c
	}
	r.PR = cmp.Or(a.PR, r.PR)
	if r.Outages++; j.Verdict != attempt.Outage {
		r.Outages = 0
	}
	switch {
	case r.Index != task: // a person's answer has already advanced the run
	case j.Verdict.Done() && task < len(r.List):
		r.moveOn()
	case j.Verdict.Done():
		r.Try, r.Reason = 1, ""
	case j.Verdict == attempt.Overruled || j.Verdict == attempt.Unfinished:
		r.Try++
		r.Reason = j.Why
	}
}

func (r *Run) moveOn() {
	r.Try, r.Reason, r.Words = 1, "", ""
	r.Pick()
}

// AllDone returns a sentence saying that the list is complete (T71).
func (r *Run) AllDone() string {
	if len(r.List) == 1 {
		return "The task is complete."
	}
	return fmt.Sprintf("All %d tasks complete.", len(r.List))
}

// Result summarizes the run's list, such as "4 of 5 tasks done: 3 verified, 1 claimed".
func (r *Run) Result() string {
	var parts []string
	for _, d := range []attempt.Verdict{attempt.Verified, attempt.Unbroken, attempt.Claimed,
		attempt.Skipped,
		attempt.Imported} {
		if n := r.Count(d); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, d))
		}
	}
	done := fmt.Sprintf("%d of %s done", r.Finished(), english.Plural(len(r.List), "task"))
	if len(parts) == 0 {
		return done
	}
	return done + ": " + strings.Join(parts, ", ")
}

// Conditions of a task loop.

func tasksDone(f *loop.Facts) string {
	if !listDone(f) || f.Dropped != "" {
		return ""
	}
	return Of(f.Run).AllDone() + " " + Of(f.Run).Result()
}

// listDone reports whether all work is done and no gate is waiting, because an answer could reopen
// a task.
func listDone(f *loop.Facts) bool {
	return Of(f.Run).Complete() && len(f.Run.Pending) == 0
}

func historyDropped(f *loop.Facts) string {
	if !listDone(f) || f.Dropped == "" {
		return ""
	}
	return "The list is done, but " + attempt.LostTip(f.Dropped)
}

func taskBlocked(f *loop.Facts) string {
	r := Of(f.Run)
	item := r.item()
	if r.Dollars > 0 && item != nil && item.Dollars >= r.Dollars {
		return fmt.Sprintf("Task %d blocked after %s: it spent $%s; its ceiling is $%s. Manual "+
			"intervention needed.", r.Index+1, english.Plural(item.Tries, "attempt"), item.Dollars,
			r.Dollars)
	}
	if r.Try < r.MaxTries {
		return ""
	}
	return fmt.Sprintf("Task %d blocked after %s. Manual intervention needed.", r.Index+1,
		english.Plural(r.MaxTries-1, "attempt"))
}

// Retune applies flags that affect how the run is judged, and returns those that changed it.
func (r *Run) Retune(f loop.TaskFlags) (changed []string) {
	if f.Check != "" { // even the same command is pinned again
		r.Check, r.Proposed, r.Start = f.Check, "", ""
		changed = append(changed, "--check")
	}
	changed = retune(changed, "--check-timeout", &r.CheckMinutes, f.Minutes)
	changed = retune(changed, "--max-task-iterations", &r.MaxTries, f.MaxTries)
	changed = retune(changed, "--mode", &r.Mode, f.Mode)
	return retune(changed, "--require", &r.Require, f.Require)
}

// retune stores the value of a flag if it was given, and appends the flag to changed if it differs.
func retune[T comparable](changed []string, flag string, old *T, given T) []string {
	var none T
	if given == none || given == *old {
		return changed
	}
	*old = given
	return append(changed, flag)
}
