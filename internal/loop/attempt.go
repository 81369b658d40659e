package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Payload is the additional state of a run whose iterations are attempts. Each kind implements it.
type Payload interface {
	Clone() Payload  // copies everything that a Step may change in place
	Stored() Payload // returns the form stored in the run's file, without parts in separate files
	Attempts() Attempts

	Resume(*Budget, Request)   // called when a person or a schedule continues the run
	Retune(TaskFlags) []string // called when a person's flags change how the run is judged
	// called when an iteration begins, before its conditions are evaluated
	Enter(*Tick, EntryFacts, bool)
	Answered(EntryFacts) // called when the answers at its entry have been applied
	Begin(*Attempt) bool // opens the next attempt; false if none is left
	Aim(*Attempt)        // points an attempt at the current task or phase

	Judge(State, *Known) (hold *Continue)
	Unmeasured(*Tick, string) (at int, command string) // see State.Unmeasured
	// records a run of the check for the task at that index
	Measured(at int, c CheckRun)
	// explains, after a first run, why the check cannot run
	NoCheck(CheckRun) string
	// returns the attempt's part of the history line
	Line(*Tick) Record
	Fold(*Tick, Ending)          // counts the attempt that is ending
	Advanced(since Payload) bool // reports whether more is done than in since

	Result() string                // summarizes the run, as in "4 of 5 tasks done: 4 verified"
	UnderWay() string              // describes the current work, as in "task 2 of 5"
	Heading() (name, title string) // describes the next attempt for a driver's person
	// describes the next attempt for the conductor that starts its worker
	Next() string
	Name(*Attempt) string   // names an attempt, as in "task 2" or "the final audit"
	Ending(*Attempt) string // instructs the attempt's thread how to end it
}

// Attempts holds a run's settings and counts for its attempts, for every kind.
type Attempts struct {
	Drive   string // DriveStop or DriveProcess
	Check   string // the person's check command, or ""
	Minutes int    // maximum minutes for one run of the check
	From    string // the commit on which the run began and at which the check is pinned, or ""
	Tip     string // the commit that the branch must contain, or ""
	Audited string // the commit of the last audit's verdict, or ""
	Outages int    // consecutive attempts that ended through no fault of the work
	MaxIdle int    // number of consecutive idle iterations that stall the run; at least maxIdle
	Before  int    // iterations used at the last restart
	Spent   USD    // dollars of the attempts at the current task or phase
	Most    USD    // ceiling of Spent; 0 for none

	Source string // the spec or the plan that the run carries out, relative to Root
	Root   string // the worktree in which the attempts work; "" for the project
	Branch string // the branch of that worktree, or ""
	Base   string // the commit on which that branch began, or ""
	Number int    // the current task or section, from 1
	// Finished counts the tasks or sections that are done, of Total. Unit is "task" or "section".
	Finished, Total int
	Unit            string
	Done            bool // the list or the plan is finished
	Last            bool // the list may end with this attempt, so Tip must not be lost

	Reports   bool     // only workers report facts, not the thread that starts them
	Reads     bool     // the current work only reads, as an audit does
	Since     string   // the commit at which the changes under audit begin, or ""
	Filed     bool     // findings are in a file of their own; see Finder
	Publishes bool     // people and workers read files that are written from the run
	Agent     string   // the plugin's agent for the current work, or ""
	Unjudged  TaskDone // verdict if the attempt ends by its own fault before a Stop
	Whole     string   // the source of the prompt that the hook gives the worker
	Failed    string   // text about the outages, as in "phases in a row …"
}

// Attempts returns the settings and counts of the run's attempts, or the zero value if its kind has
// none. b may be nil.
func (b *Budget) Attempts() Attempts {
	if b != nil && b.Own != nil {
		return b.Own.Attempts()
	}
	return Attempts{}
}

// Resuming returns the first line of a resumed task loop (T72).
func (a Attempts) Resuming() string {
	return fmt.Sprintf("Resuming execution from task %d/%d.", min(a.Number, a.Total), a.Total)
}

// SinceRestart returns the number of an iteration since the last restart, and the ceiling of
// iterations since then; 0 means no ceiling (A20).
func (b *Budget) SinceRestart(n int) (number, most int) {
	before := b.Attempts().Before
	if b.Ceilings.Iterations >= MaxUnits {
		return n - before, 0
	}
	return n - before, b.Ceilings.Iterations - before
}

// Stale reports whether the run is an audit whose last verdict refers to a commit other than head.
// It is false if head is "", which means unknown.
func (b *Budget) Stale(head string) bool {
	at := b.Attempts().Audited
	return at != "" && head != "" && head != at
}

// Groups reports whether by names the grouping of costs by the run's attempts.
func (b *Budget) Groups(by string) bool {
	return b.Own != nil && slices.Index(b.Kind().Columns, by) == 0
}

// Drive returns the drive that starts the next attempt, or "" if the kind has none. A run whose
// drive no longer exists is driven by the Stop hook.
func (b *Budget) Drive() string {
	if d := b.Attempts().Drive; d == "" || d == DriveProcess {
		return d
	}
	return DriveStop
}

// begin opens the next attempt. It returns nil if no work is left.
func (b *Budget) begin(e EntryFacts) *Attempt {
	if b.Ignores == "" {
		b.Ignores = e.Ignores
	}
	a := e.Attempt
	if !b.Own.Begin(&a) {
		return nil
	}
	b.aim(&a)
	return &a
}

// aim points an attempt at the current task or phase, which an answer at the entry may have
// changed.
func (b *Budget) aim(a *Attempt) {
	before := a.Task
	if b.Own.Aim(a); before != 0 && a.Task != before {
		a.Feedback = "" // the feedback is for the earlier task
	}
}

// foldAttempt counts the attempt that is ending and returns its part of the history line.
func (b *Budget) foldAttempt(t *Tick, e Ending) (record Record) {
	if t.Started {
		record = b.Own.Line(t)
		b.Own.Fold(t, e)
	}
	b.foldOutage(t, e.Now)
	return record
}

// Conducted reports whether the Stop hook starts the next attempt.
func (b *Budget) Conducted() bool { return b.Drive() == DriveStop }

// Driven reports whether a driver starts each attempt, in a process whose main thread does the
// work.
func (b *Budget) Driven() bool { return b.Drive() == DriveProcess }

// Order returns the request that makes the conductor call Agent once. The hook replaces the prompt
// of that call.
func (b *Budget) Order() string {
	p := b.Own
	return fmt.Sprintf("Next: %s. Make exactly one Agent call now: subagent_type "+
		"\"general-purpose\", description %q, prompt \"go\" (the hook replaces it with %s). When "+
		"it returns, end your turn with one short line. Do nothing else.", p.Next(), p.UnderWay(),
		p.Attempts().Whole)
}

// Backoff lists the waits after the first, second and third consecutive outage of the service. One
// more outage ends the loop (T95).
var Backoff = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// maxWait bounds the wait until the service says it will be available again, because a Stop may
// take no more than an hour.
const maxWait = 50 * time.Minute

// APIError begins the reason of an attempt that ended because of the service.
const APIError = "API error: "

// foldOutage sets when the next attempt may begin after an attempt that the service's failure
// ended. A driver does the waiting itself.
func (b *Budget) foldOutage(t *Tick, now time.Time) {
	n := b.Attempts().Outages
	if n == 0 || !b.Conducted() || !strings.HasPrefix(t.Verdict().Why, APIError) {
		return
	}
	b.RetryAt = now.Add(Backoff[min(n, len(Backoff))-1])
	if reset := t.Attempt.Reset; reset.After(now) {
		b.RetryAt = reset
	}
}

// maxOutages bounds the consecutive attempts that end through no fault of the task (T59). The bound
// is higher for a driver, because it waits between attempts and ends by itself after a lasting
// outage or five silent processes.
const (
	maxOutages       = 3
	maxDrivenOutages = 6
)

func outages(f *Facts) string {
	b := f.Run
	if b.RetryAt.Sub(f.Now) > maxWait {
		return "the service is back at " + b.RetryAt.UTC().Format("2006-01-02 15:04 MST")
	}
	if a := b.Attempts(); a.Outages >= b.maxOutages() {
		return fmt.Sprintf("%d %s", a.Outages, a.Failed)
	}
	return ""
}

// maxOutages returns the number of consecutive outages that ends the run.
func (b *Budget) maxOutages() int {
	switch {
	case b.Driven():
		return maxDrivenOutages
	case !b.RetryAt.IsZero():
		return len(Backoff) + 1
	}
	return maxOutages
}

func tellOutages(f *Facts) string {
	return fmt.Sprintf("%s in a row ended by the API, the machine or a person; fires at %d",
		Plural(f.Run.Attempts().Outages, "attempt"), f.Run.maxOutages())
}

// Attempt is one try at a task or a phase, made by the open iteration.
type Attempt struct {
	Task  int    `json:"task"` // number of the task, from 1; the PR counts as one more
	Of    int    `json:"of"`
	Try   int    `json:"try"`
	Title string `json:"title"`
	// PR is the number of the PR in this repository that the attempt opened or commented on.
	PR int `json:"pr,omitempty"`
	// Token is part of the claim, so that no earlier text and no prompt can be one (T85).
	Token  string `json:"token"`
	Head   string `json:"head,omitempty"` // commit at its beginning; "" before the first commit
	Base   string `json:"base,omitempty"` // see tasks.Item
	Branch string `json:"branch,omitempty"`
	NoGit  bool   `json:"no_git,omitempty"` // the project has no repository
	// reason why git could not report the start of the attempt
	Unread string `json:"unread,omitempty"`
	Sent   bool   `json:"sent,omitempty"`  // the worker was started
	Call   string `json:"call,omitempty"`  // tool_use_id of the call that started the worker
	Holds  int    `json:"holds,omitempty"` // times that the worker was kept running
	// Fresh proves that the worker began with an empty context: "agent ID" or "session ID" (T93).
	Fresh  string     `json:"fresh,omitempty"`
	List   string     `json:"list,omitempty"`  // hash of the task list when the worker ended
	Stale  bool       `json:"stale,omitempty"` // the context may come from an earlier attempt
	Judged *Judgement `json:"judged,omitempty"`
	// Feedback is a person's newest feedback in the task's ledger when the attempt began (L31).
	Feedback string `json:"feedback,omitempty"`
	// Tree is a checksum of the uncommitted files; empty if everything is committed. EndHead and
	// EndTree are the commit and the checksum at the time of the judgement.
	Tree    string `json:"tree,omitempty"`
	EndHead string `json:"end_head,omitempty"`
	EndTree string `json:"end_tree,omitempty"`
	// Reset is the time at which the service that ended the attempt is available again; zero if the
	// service did not announce one.
	Reset time.Time `json:"reset,omitzero"`
	// Phase is the part of the run's work that the attempt does; empty if the kind has only one
	// part.
	Phase    string         `json:"phase,omitempty"`
	Reported *WorkerVerdict `json:"verdict,omitempty"` // the last verdict of its worker, or nil
	// Opened and Resolved list the ids of the findings that it opened and resolved.
	Opened   []string `json:"findings_opened,omitempty"`
	Resolved []string `json:"findings_resolved,omitempty"`
	// last words of the worker, if a later page shows them
	Last string `json:"last_words,omitempty"`
	// Looked lists the files of the tree that its worker looked at. Ran reports whether the worker
	// ran the check.
	Looked []string `json:"looked_at,omitempty"`
	Ran    bool     `json:"check_ran,omitempty"`
	// Told identifies the text of the last report that was read from the worker's call.
	Told string `json:"told,omitempty"`
}

// WorkerVerdict is a verdict that a worker reported. It holds for one commit (A71, A75).
type WorkerVerdict struct {
	Word string `json:"verdict"` // clean or dirty
	SHA  string `json:"sha"`
	Seen *Seen  `json:"seen,omitempty"` // nil before it is judged, and in older files
}

// Said returns the verdict for people, as in "clean about 1234567, read 2 of 3 changed files;
// stale, HEAD is 89abcde". head is the checked-out commit, or "" if it is unknown.
func (v *WorkerVerdict) Said(head string) string {
	text := v.Word + " about " + Short(v.SHA)
	if v.Seen != nil {
		text += ", " + v.Seen.String()
	}
	if head != "" && head != v.SHA {
		text += "; stale, HEAD is " + Short(head)
	}
	return text
}

// Seen describes how much of the changes an auditor looked at.
type Seen struct {
	Read    int    `json:"read"`            // number of changed files that were read
	Changed int    `json:"changed"`         // number of changed files
	Check   string `json:"check,omitempty"` // "run" or "not run"; "" without a check command
}

// String returns the description, as in "read 2 of 3 changed files, check run".
func (s *Seen) String() string {
	text := fmt.Sprintf("read %d of %s", s.Read, Plural(s.Changed, "changed file"))
	if s.Check != "" {
		text += ", check " + s.Check
	}
	return text
}

// maxLooked bounds the files that are recorded as looked at by an auditor.
const maxLooked = 1000

// Look records that an auditor looks at files or runs the check, and reports whether that is new.
func (a *Attempt) Look(files []string, check bool) bool {
	had, ran := len(a.Looked), a.Ran
	if had < maxLooked {
		a.Looked = AppendNew(slices.Clone(a.Looked), files...)
	}
	a.Ran = ran || check
	return len(a.Looked) > had || a.Ran != ran
}

// Judgement is the verdict on an attempt, with its evidence.
type Judgement struct {
	Verdict  TaskDone  `json:"verdict"`
	Why      string    `json:"why,omitempty"`
	SHA      string    `json:"sha,omitempty"`
	Check    *CheckRun `json:"check,omitempty"`
	Weakened []string  `json:"tests_weakened,omitempty"` // tests that the attempt weakened (T96)
	Seen     *Seen     `json:"seen,omitempty"`           // set for an audit with a verdict
}

// CheckRun is one run of the person's check command.
type CheckRun struct {
	Exit    int    `json:"exit"`
	Stopped bool   `json:"stopped,omitempty"` // the check did not exit by itself; Exit is 1
	Seconds int    `json:"seconds"`
	Head    string `json:"head"` // the commit that was checked
	Tail    string `json:"tail,omitempty"`
	Command string `json:"command,omitempty"`
	// Changed lists the pinned files that differ from the run's start. The check then ran in a
	// separate checkout with the original files. Unsure explains why the result is inconclusive, or
	// is empty.
	Changed []string `json:"changed,omitempty"`
	Unsure  string   `json:"unsure,omitempty"`
}

// TaskDone is the verdict on one attempt. Verified and Claimed are always counted separately
// (T63).
type TaskDone string

// The verdicts.
const (
	Verified TaskDone = "verified" // the check was red before the work and is green after it
	// the check is green, and may have been green before the work
	Unbroken   TaskDone = "unbroken"
	Claimed    TaskDone = "claimed" // claimed and committed; there is no check command
	CannotTell TaskDone = "unsure"  // the check cannot run in its original form
	SkippedOne TaskDone = "skipped" // a person's answer at the gate
	// a person confirmed that it was done before the run (T97, T99)
	Imported   TaskDone = "imported"
	Flagged    TaskDone = "flagged"    // the worker asks for a person
	Overruled  TaskDone = "refused"    // claimed, but contradicted by the evidence
	Unfinished TaskDone = "unfinished" // no claim
	Outage     TaskDone = "outage"     // ended by the API, the machine or a person
	Ended      TaskDone = "ended"      // a phase that is not judged
	Clean      TaskDone = "clean"      // a clean audit
	Dirty      TaskDone = "dirty"      // a dirty audit
	Undecided  TaskDone = "no_verdict" // an audit without a verdict
)

// Worked reports whether an attempt has done the task.
func (d TaskDone) Worked() bool { return d == Verified || d == Unbroken || d == Claimed }

// Done reports whether the task needs no further attempt.
func (d TaskDone) Done() bool { return d.Worked() || d == SkippedOne || d == Imported }

// Start returns the revision that the attempt's own commits are compared with, or "" if unknown.
func (a *Attempt) Start() string {
	if a.Unread != "" || a.NoGit {
		return ""
	}
	return cmp.Or(a.Head, emptyTree)
}

// emptyTree is git's name for a tree without files. A branch without a commit is compared with it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Verdict returns the judgement of an attempt whose iteration is ending. If the attempt was not
// judged, Verdict derives a judgement.
func (t *Tick) Verdict() Judgement {
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

// The drives, which are the ways to start the next attempt (T1).
const (
	DriveStop    = "stop"    // the Stop hook asks a conductor to start a worker
	DriveProcess = "process" // `hooks go` starts one client for each task or phase
)

func staleContext(f *Facts) string {
	if f.Tick == nil || f.Tick.Attempt == nil || !f.Tick.Attempt.Stale {
		return ""
	}
	return fmt.Sprintf("The context of %s is not proven to be fresh, so nothing its worker claims "+
		"is believed", f.Run.Own.Name(f.Tick.Attempt))
}

// Tip returns the commit that the branch must contain: that of the attempt that is ending,
// otherwise that of the last finished task or phase, or "" if there is none.
func (s State) Tip() string {
	if s.Tick != nil && s.Tick.Attempt != nil {
		if j := s.Tick.Attempt.Judged; j != nil && j.Verdict.Done() {
			return j.SHA
		}
	}
	return s.Run.Attempts().Tip
}

// CauseDropped is recorded if a finished list does not count as complete because the branch lost a
// commit.
const CauseDropped = "history_dropped"

// LostTip explains that a finished list does not count, because the branch has lost a commit.
func LostTip(sha string) string {
	return fmt.Sprintf("commit %s, the last one that counted, is not found on the branch",
		Short(sha))
}

// String returns the verdict as people read it.
func (d TaskDone) String() string {
	switch d {
	case Unbroken:
		return "not broken"
	case CannotTell:
		return "cannot tell"
	case Undecided:
		return "no verdict"
	}
	return string(d)
}

// String returns the verdict with its reason. The reason for a finished task explains why its
// verdict is not a better one.
func (j *Judgement) String() string {
	text, between := j.Verdict.String(), ": "
	if j.Verdict.Worked() {
		between = "; "
		if by := j.Check.ByWorker(); by != "" {
			text += between + by
		}
	}
	if j.Why != "" {
		text += between + j.Why
	}
	return text
}

// Red reports whether a check ran and failed. A check that could not be started, or that was
// stopped, does not count.
func (c *CheckRun) Red() bool {
	return c != nil && c.Exit > 0 && c.Exit != 126 && c.Exit != 127 && !c.Stopped && c.Unsure == ""
}

// Of reports whether this is a run of the command at the commit head.
func (c *CheckRun) Of(command, head string) bool {
	return c != nil && head != "" && c.Head == head && c.Command == command
}

// ByWorker names the pinned files that differ from the run's start, at the beginning of a
// sentence. It returns "" if there are none.
func (c *CheckRun) ByWorker() string {
	if c == nil || len(c.Changed) == 0 {
		return ""
	}
	return "check changed by the worker: " + strings.Join(c.Changed, ", ")
}

// upper returns a name with its first letter in upper case, for the beginning of a sentence.
func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
