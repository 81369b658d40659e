package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// TaskRun is what a task loop's run has beyond every run: its list and how far it is (T16–T28).
type TaskRun struct {
	Spec     string     `json:"spec"`      // path of the spec, relative to the project
	ListPath string     `json:"list_path"` // of the file from which the list was read
	List     []TaskItem `json:"list"`
	// ListSum is of the list as it was last read, whatever is ticked; Changed is the list of now,
	// until a person answered about it (T97).
	ListSum string    `json:"list_sum,omitempty"`
	Changed *ReadList `json:"changed,omitempty"`
	// Seen is the sum of the list as the last attempt ended, "" where that is not known; Added are
	// tasks of a person that the next iteration takes in.
	Seen     string     `json:"list_seen,omitempty"`
	Added    []TaskItem `json:"added,omitempty"`
	Index    int        `json:"index"`     // of the task under way, from 0; len(List) is the PR's
	Try      int        `json:"try"`       // of that task, from 1
	MaxTries int        `json:"max_tries"` // a task is blocked once Try reaches it (T57)
	Mode     string     `json:"mode"`      // quick, tdd or checkpoint
	Drive    string     `json:"drive"`     // DriveStop or DriveProcess
	Phase    string     `json:"phase"`
	Passed   []int      `json:"gates_passed"`
	Goal     string     `json:"goal,omitempty"`
	Issue    string     `json:"issue,omitempty"`
	Check    string     `json:"check,omitempty"` // a person's command, "" without one
	// Proposed is the project's own check command, until a person confirmed or declined it.
	Proposed string `json:"check_proposed,omitempty"`
	// CheckMinutes bounds one run of the check command.
	CheckMinutes int    `json:"check_minutes,omitempty"`
	OpensPR      bool   `json:"opens_pr,omitempty"` // after the last task, for gate 3
	Reason       string `json:"reason,omitempty"`   // why the last attempt was not accepted
	Dollars      USD    `json:"max_task_dollars,omitempty"`
	// Require is the verdict without which a person is asked about a task: verified, or "".
	Require string `json:"require,omitempty"`
	Import  *Found `json:"import,omitempty"` // until a person answered about it
	Words   string `json:"words,omitempty"`  // of a person, for the task's next attempts
	Git     bool   `json:"git,omitempty"`    // an attempt has seen a repository
	// Tip is the commit of the last task that is done: the branch keeps it (T87). A person's resume
	// takes the branch as it is.
	Tip string `json:"tip,omitempty"`
	PR  int    `json:"pr,omitempty"` // that the run has opened or spoken on, 0 for none
	// Start is the commit on which the run began: the check is pinned as it is there.
	Start string    `json:"start,omitempty"`
	Last  *CheckRun `json:"last_check,omitempty"` // after the last claim
	// Outages counts the attempts in a row that ended without the task's fault (T59, T95).
	Outages int `json:"outages,omitempty"`
}

// ReadList is a task list as it is on disk, with the sum of what it says.
type ReadList struct {
	Sum  string     `json:"sum"`
	List []TaskItem `json:"list"`
}

// Found is a state file of another tool that the project had before the run (T99).
type Found struct {
	Index int `json:"index"` // tasks that it counts as done
	Try   int `json:"try"`
}

// The drives: each brings the next task in its own way (T1).
const (
	DriveStop    = "stop"    // the Stop hook feeds a conductor
	DriveProcess = "process" // `hooks go` starts one client a task or a phase

	driveSchedule = "schedule" // of older versions
)

// The phases that the program sets (T17).
const (
	Execution    = "execution"
	Verification = "verification"
	Closure      = "closure"
)

// TaskItem is one task with its result.
type TaskItem struct {
	Title      string `json:"title"`
	Criteria   string `json:"criteria,omitempty"`
	Checkpoint bool   `json:"checkpoint,omitempty"`
	NoCommit   bool   `json:"no_commit,omitempty"`
	Check      string `json:"check,omitempty"` // its own command, that a person has seen
	// Before is the check as it ended before the first attempt, nil where that is not known.
	Before  *CheckRun `json:"before,omitempty"`
	Depends []int     `json:"depends,omitempty"` // numbers of tasks that come first, from 1
	Added   bool      `json:"added,omitempty"`   // in a terminal; the file does not have it
	Result  TaskDone  `json:"result,omitempty"`  // empty while the task is not done
	SHA     string    `json:"sha,omitempty"`
	// Base is the commit on which the task's first attempt began that git could read, or the empty
	// tree: an outage loses no finished work.
	Base    string `json:"base,omitempty"`
	Tries   int    `json:"tries,omitempty"`
	Minutes int    `json:"minutes,omitempty"`
	Dollars USD    `json:"dollars,omitempty"`
}

// TaskDone is the verdict on one attempt of a task. Verified and Claimed are never mixed (T63).
type TaskDone string

// The verdicts.
const (
	Verified   TaskDone = "verified"   // the check was red before, and is green after
	Unbroken   TaskDone = "unbroken"   // the check is green, and may have been before
	Claimed    TaskDone = "claimed"    // claimed and committed; there is no check command
	CannotTell TaskDone = "unsure"     // the check cannot be run as it was at the start
	SkippedOne TaskDone = "skipped"    // a person's answer at the gate
	Imported   TaskDone = "imported"   // done before the run, as a person confirmed (T97, T99)
	Flagged    TaskDone = "flagged"    // the worker asks for a person
	Overruled  TaskDone = "refused"    // claimed, and the evidence says otherwise
	Unfinished TaskDone = "unfinished" // no claim
	Outage     TaskDone = "outage"     // ended by the API, the machine or a person
)

// claims reports whether the attempt claimed to be done, so that git was asked.
func (j Judgement) claims() bool {
	return j.Verdict.done() || j.Verdict == Overruled || j.Verdict == CannotTell
}

// Worked reports whether the task is done by an attempt.
func (d TaskDone) Worked() bool { return d == Verified || d == Unbroken || d == Claimed }

// done reports whether the task needs no further attempt.
func (d TaskDone) done() bool { return d.Worked() || d == SkippedOne || d == Imported }

// Attempt is one try at one task: what the open iteration of a task loop is about.
type Attempt struct {
	Task  int    `json:"task"` // from 1; one more than the list has is the PR
	Of    int    `json:"of"`
	Try   int    `json:"try"`
	Title string `json:"title"`
	PR    int    `json:"pr,omitempty"` // that it has opened or spoken on, not in another repository
	// Token ends the claim, so that no earlier text and no prompt can be one (T85).
	Token  string `json:"token"`
	Head   string `json:"head,omitempty"` // commit at its beginning; "" before the first one
	Base   string `json:"base,omitempty"` // as of TaskItem
	Branch string `json:"branch,omitempty"`
	NoGit  bool   `json:"no_git,omitempty"` // the project has no repository
	Unread string `json:"unread,omitempty"` // why git could not tell its beginning
	Sent   bool   `json:"sent,omitempty"`   // its worker was sent
	Call   string `json:"call,omitempty"`   // tool_use_id of the call that sent it
	Holds  int    `json:"holds,omitempty"`  // how often the worker was held for what is missing
	// Fresh proves that the worker began with an empty context: "agent ID" or "session ID" (T93).
	Fresh  string     `json:"fresh,omitempty"`
	List   string     `json:"list,omitempty"`  // the sum of the task list as its worker ended
	Stale  bool       `json:"stale,omitempty"` // no proof: the context may be an earlier one's
	Judged *Judgement `json:"judged,omitempty"`
	// Feedback is the newest of a person in the task's ledger, as the attempt began (L31).
	Feedback string `json:"feedback,omitempty"`
	// Tree is a sum of the files that are not committed, "" where all are. EndHead and EndTree are
	// the commit and that sum when it was judged.
	Tree    string `json:"tree,omitempty"`
	EndHead string `json:"end_head,omitempty"`
	EndTree string `json:"end_tree,omitempty"`
	// Reset is when the service is back that ended it, where that was named.
	Reset time.Time `json:"reset,omitzero"`
	// of an audit loop: the phase, the verdict that was reported, the ids of findings that it
	// opened and resolved, and the last words of a post action
	Phase    Phase         `json:"phase,omitempty"`
	Verdict  *AuditVerdict `json:"verdict,omitempty"`
	Opened   []string      `json:"findings_opened,omitempty"`
	Resolved []string      `json:"findings_resolved,omitempty"`
	Last     string        `json:"last_words,omitempty"`
	// Looked are the files of the tree that the auditor looked at. Ran says that it ran the check.
	Looked []string `json:"looked_at,omitempty"`
	Ran    bool     `json:"check_ran,omitempty"`
	// Told identifies the text of the auditor's last call that was taken.
	Told string `json:"told,omitempty"`
}

// Judgement is the verdict on an attempt, with its evidence.
type Judgement struct {
	Verdict  TaskDone  `json:"verdict"`
	Why      string    `json:"why,omitempty"`
	SHA      string    `json:"sha,omitempty"`
	Check    *CheckRun `json:"check,omitempty"`
	Weakened []string  `json:"tests_weakened,omitempty"` // T96
	Seen     *Seen     `json:"seen,omitempty"`           // of an audit with a verdict
}

// CheckRun is one run of the person's check command.
type CheckRun struct {
	Exit    int    `json:"exit"`
	Stopped bool   `json:"stopped,omitempty"` // it did not exit by itself; Exit is 1
	Seconds int    `json:"seconds"`
	Head    string `json:"head"` // the commit that was checked
	Tail    string `json:"tail,omitempty"`
	Command string `json:"command,omitempty"`
	// Changed are the pinned files that differ from the run's start: it ran in a checkout of its
	// own, with those as they were. Unsure is why that says nothing, "" where it does.
	Changed []string `json:"changed,omitempty"`
	Unsure  string   `json:"unsure,omitempty"`
}

// TaskLine is what a history line says of the attempt.
type TaskLine struct {
	Task      int       `json:"task"`
	Try       int       `json:"try"`
	Title     string    `json:"title"`
	Judgement Judgement `json:"judgement"`
	Fresh     string    `json:"fresh,omitempty"`
	Feedback  string    `json:"feedback,omitempty"` // that reached its worker (L31)
}

// Done reports whether the task needs no further attempt.
func (l *TaskLine) Done() bool { return l.Judgement.Verdict.done() }

// item is the task under way, nil once the list is done.
func (r *TaskRun) item() *TaskItem {
	if r.Index < len(r.List) {
		return &r.List[r.Index]
	}
	return nil
}

// PRStep reports whether the list is done and its PR is to be opened (T51).
func (r *TaskRun) PRStep() bool {
	return r.Index == len(r.List) && len(r.Added) == 0 && r.OpensPR &&
		!slices.Contains(r.Passed, 3)
}

// Complete reports whether nothing is left to do (T18).
func (r *TaskRun) Complete() bool {
	return r.Index >= len(r.List) && len(r.Added) == 0 && !r.PRStep()
}

// Count is how many tasks of the list have the result.
func (r *TaskRun) Count(result TaskDone) (n int) {
	for _, i := range r.List {
		if i.Result == result {
			n++
		}
	}
	return n
}

// AwaitingGate is the number of the gate for which the run waits; 0 for none of the three (T25).
func (b *Budget) AwaitingGate() int {
	for _, g := range b.Pending {
		if n := taskGates[g.Name]; n > 0 {
			return n
		}
	}
	return 0
}

func (r TaskRun) clone() *TaskRun {
	r.List, r.Passed = slices.Clone(r.List), slices.Clip(r.Passed)
	return &r
}

// begin opens the attempt of the task under way. A repository that is gone since the run began
// excuses no commit.
func (r *TaskRun) begin(e EntryFacts) *Attempt {
	if e.NoGit && r.Git {
		e.NoGit, e.Unread = false, "the repository that the run began in is gone"
	}
	r.Git = r.Git || !e.NoGit
	if !e.NoGit && e.Unread == "" {
		r.Start = cmp.Or(r.Start, e.Head)
	}
	a := &Attempt{Token: "-" + e.Nonce, Head: e.Head, Tree: e.Tree, Branch: e.Branch,
		NoGit: e.NoGit, Unread: e.Unread, Feedback: e.Feedback}
	r.aim(a)
	return a
}

// aim points an attempt at the task under way, which an answer at the entry may have changed.
func (r *TaskRun) aim(a *Attempt) {
	_, nonce, _ := strings.Cut(a.Token, "-")
	if a.Task != 0 && a.Task != r.Index+1 {
		a.Feedback = "" // it is another task's
	}
	a.Task, a.Of, a.Try, a.Title = r.Index+1, len(r.List), r.Try, "Open the pull request"
	if item := r.item(); item != nil {
		a.Title, a.Base = item.Title, cmp.Or(item.Base, a.start())
		r.begins(item, a)
	}
	a.Token = fmt.Sprintf("%d.%d-%s", a.Task, a.Try, nonce)
}

// resume gives the task a new set of attempts as a person takes the run up again (T65).
func (r *TaskRun) resume(by Request) {
	r.Outages, r.Drive = 0, resumedBy(by.Flags.Task.Drive, r.Drive)
	if r.Try >= r.MaxTries {
		r.Try = 1
	}
	if by.unasked() {
		return
	}
	r.Tip = ""
	if more := by.Flags.Task.Dollars; more > 0 {
		r.Dollars = more
	}
}

// A task has all of its attempts first, so that the cause of its end is its own (T57).
func (r *TaskRun) attempts() attempts {
	return attempts{
		drive: r.Drive, check: r.checkOf(r.item()), minutes: r.CheckMinutes, tip: r.Tip,
		outages: r.Outages,
		maxIdle: max(maxIdle, r.MaxTries-1), unit: "task", whole: "the task",
		done: r.Complete(),
	}
}

func (r *TaskRun) advanced(since *Budget) bool { return r.Finished() > since.Tasks.Finished() }

func (r *TaskRun) underWay() string {
	if r.Index >= len(r.List) {
		return "the pull request"
	}
	return fmt.Sprintf("task %d of %d", r.Index+1, len(r.List))
}

func (r *TaskRun) next() string { return fmt.Sprintf("%s, attempt %d", r.underWay(), r.Try) }

// emptyTree is git's name of a tree without files: what a branch without a commit is compared with.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// start is what the attempt's own commits are compared with, "" where that is not known.
func (a *Attempt) start() string {
	if a.Unread != "" || a.NoGit {
		return ""
	}
	return cmp.Or(a.Head, emptyTree)
}

// verdict is the judgement of an attempt whose iteration ends, also where none was made.
func (t *Tick) verdict() Judgement {
	switch a := t.Attempt; {
	case a.Stale:
		return Judgement{Verdict: Outage, Why: "its context is not proven to be fresh"}
	case a.Judged != nil:
		return *a.Judged
	case t.Interrupted != "":
		return Judgement{Verdict: Outage, Why: t.Interrupted}
	case t.Failed != "":
		return Judgement{Verdict: Outage, Why: t.Failed}
	case !a.Sent:
		return Judgement{Verdict: Unfinished, Why: "no worker was sent"}
	}
	return Judgement{Verdict: Unfinished, Why: "the worker ended without a claim"}
}

// fold moves the run on by one attempt (T9, T52–T60).
func (r *TaskRun) fold(a *Attempt, j Judgement, minutes int, spent USD) {
	task := a.Task - 1
	if task < len(r.List) {
		item := &r.List[task]
		item.Tries++
		item.Base = a.Base
		item.Minutes += minutes
		item.Dollars = item.Dollars.Plus(spent)
		if j.Verdict.done() {
			item.Result, item.SHA, r.Tip = j.Verdict, j.SHA, j.SHA
		}
	}
	if c := j.Check; c != nil && c.Unsure == "" && (len(c.Changed) == 0 || r.Start != j.SHA) {
		r.Last = c
	}
	r.PR = cmp.Or(a.PR, r.PR)
	if r.Outages++; j.Verdict != Outage {
		r.Outages = 0
	}
	switch {
	case r.Index != task: // a person's answer has moved the run on
	case j.Verdict.done() && task < len(r.List):
		r.moveOn()
	case j.Verdict.done():
		r.Try, r.Reason = 1, ""
	case j.Verdict == Overruled || j.Verdict == Unfinished:
		r.Try++
		r.Reason = j.Why
	}
}

// moveOn leaves the task under way behind.
func (r *TaskRun) moveOn() {
	r.Try, r.Reason, r.Words = 1, "", ""
	r.pick()
}

// AllDone is the sentence about a list of which every task is done (T71).
func (r *TaskRun) AllDone() string {
	if len(r.List) == 1 {
		return "The task is complete."
	}
	return fmt.Sprintf("All %d tasks complete.", len(r.List))
}

// Result is the run's list in a line, as in "4 of 5 tasks done: 3 verified, 1 claimed".
func (r *TaskRun) Result() string {
	var parts []string
	for _, d := range []TaskDone{Verified, Unbroken, Claimed, SkippedOne, Imported} {
		if n := r.Count(d); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, d))
		}
	}
	done := fmt.Sprintf("%d of %s done", r.Finished(), Plural(len(r.List), "task"))
	if len(parts) == 0 {
		return done
	}
	return done + ": " + strings.Join(parts, ", ")
}

// The conditions of a task loop.

func tasksDone(f *Facts) string {
	if !f.listDone() || f.Dropped != "" {
		return ""
	}
	return f.Run.Tasks.AllDone() + " " + f.Run.Tasks.Result()
}

// listDone reports whether nothing is left to do; an answer may open a task again.
func (f *Facts) listDone() bool {
	return f.Run.Tasks.Complete() && len(f.Run.Pending) == 0
}

// CauseDropped is why a list that is done does not count as complete.
const CauseDropped = "history_dropped"

func historyDropped(f *Facts) string {
	if !f.listDone() || f.Dropped == "" {
		return ""
	}
	return "The list is done, but " + lostTip(f.Dropped)
}

func lostTip(sha string) string {
	return fmt.Sprintf("commit %s, the last one that counted, is not found on the branch",
		abbreviated(sha))
}

// Tip is the commit that the branch has to keep, "" for none: that of the attempt that ends, else
// that of the last task or phase that is done.
func (s State) Tip() string {
	if s.Tick != nil && s.Tick.Attempt != nil {
		if j := s.Tick.Attempt.Judged; j != nil && j.Verdict.done() {
			return j.SHA
		}
	}
	return s.Run.tip()
}

func taskBlocked(f *Facts) string {
	r := f.Run.Tasks
	item := r.item()
	if r.Dollars > 0 && item != nil && item.Dollars >= r.Dollars {
		return fmt.Sprintf("Task %d blocked after %s: it spent $%s of its $%s. Manual "+
			"intervention needed.", r.Index+1, Plural(item.Tries, "attempt"), item.Dollars,
			r.Dollars)
	}
	if r.Try < r.MaxTries {
		return ""
	}
	return fmt.Sprintf("Task %d blocked after %s. Manual intervention needed.", r.Index+1,
		Plural(r.MaxTries-1, "attempt"))
}

func staleContext(f *Facts) string {
	if f.Tick == nil || f.Tick.Attempt == nil || !f.Tick.Attempt.Stale {
		return ""
	}
	if f.Tick.Attempt.Phase != "" {
		return "The worker's context is not proven to be fresh, so nothing it reports is believed"
	}
	return fmt.Sprintf("The context of task %d is not proven to be fresh, so nothing its worker "+
		"claims is believed", f.Tick.Attempt.Task)
}

// foldTask moves a task loop on by the attempt that ends, and returns what its line says of it; nil
// where there was none.
func (b *Budget) foldTask(t *Tick, e Ending) *TaskLine {
	a := t.Attempt
	if b.Tasks == nil || a == nil || a.Task < 1 || !t.Started {
		return nil
	}
	var spent USD
	for _, u := range e.Spent.ByModel {
		spent = spent.Plus(u.Dollars)
	}
	j := t.verdict()
	took := max(0, e.Now.Sub(t.StartedAt)) // the clock may have been set back
	b.Tasks.fold(a, j, int(took.Minutes()), spent)
	b.Tasks.Seen = a.List
	t.Notes = appendNote(t.Notes, b.Tasks.absorb())
	return &TaskLine{Task: a.Task, Try: a.Try, Title: a.Title, Judgement: j, Fresh: a.Fresh,
		Feedback: a.Feedback}
}

// taskSpent is what the task under way cost with the open attempt's, and the ceiling over all of
// its attempts, 0 for none (T88).
func (s State) taskSpent(running USD) (spent, ceiling USD) {
	if s.Tick.Attempt == nil || s.Run.Tasks == nil {
		return 0, 0
	}
	if item := s.Run.Tasks.item(); item != nil {
		running = item.Dollars.Plus(running)
	}
	return running, s.Run.Tasks.Dollars
}
