package loop

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Payload is the additional state of a run whose iterations are attempts.
type Payload interface {
	Clone() Payload  // with copies of what a Step may change in place
	Stored() Payload // as the run's file has it, without what has a file of its own
	Attempts() Attempts

	Resume(*Budget, Request)       // a person or a schedule continues the run
	Retune(TaskFlags) []string     // a person's flags change how the run is judged
	Enter(*Tick, EntryFacts, bool) // an iteration begins, before its conditions are evaluated
	Answered(EntryFacts)           // the answers at its entry are applied
	Begin(*Attempt) bool           // opens the attempt under way; false where none is left
	Aim(*Attempt)                  // points an attempt at what is under way now

	Judge(State, *Known) (missing bool, hold *Continue)
	Unmeasured(*Tick, string) (at int, command string) // as of State.Unmeasured
	Measured(at int, command string, c CheckRun)       // the check has run there
	NoCheck(CheckRun) string                           // as of Budget.NoCheck
	Line(*Tick) any                                    // what the history has of its attempt
	Fold(*Tick, Ending)                                // moves the run on by the attempt that ends
	Advanced(since Payload) bool                       // more is done, clean or green

	UnderWay() string           // what the attempt is about, as in "task 2 of 5"
	Next() string               // the same for the conductor that sends its worker
	Name(*Attempt) string       // of an attempt, as in "task 2" or "the final audit"
	Ending(*Attempt) string     // how it ends, for the thread that does it
	Unjudged(*Attempt) TaskDone // the verdict where it ended by its own fault, before a Stop
}

// Attempts holds a run's settings and counts for its attempts, whatever they are about.
type Attempts struct {
	Drive   string // DriveStop or DriveProcess
	Check   string // the person's check command, "" without one
	Minutes int    // its bound
	From    string // the commit on which the run began, as which the check is pinned; "" for none
	Tip     string // the commit that the branch keeps, "" for none
	Outages int    // attempts in a row that ended by no fault of the work
	MaxIdle int    // iterations in a row without a change that stall the run
	Looks   bool   // git is asked about each attempt, also where nothing was claimed
	Spent   USD    // by the attempts at what is under way
	Most    USD    // ceiling of that, 0 for none
	Whole   string // what the hook makes the worker's prompt of
	Failed  string // attempts that ended by no fault of the work, as in "phases in a row …"
	Done    bool   // nothing is left of the list or the plan
}

func (b *Budget) attempts() Attempts {
	if b.Own != nil {
		return b.Own.Attempts()
	}
	return Attempts{MaxIdle: maxIdle}
}

// Drive returns the drive that brings the next attempt, or "" if the kind has no drive. The Stop
// hook brings those of a run whose drive no longer exists.
func (b *Budget) Drive() string {
	if d := b.attempts().Drive; d == "" || d == DriveProcess {
		return d
	}
	return DriveStop
}

// Check returns the person's check command, or "" if there is none, and its bound in minutes.
func (b *Budget) Check() (command string, minutes int) {
	a := b.attempts()
	return a.Check, a.Minutes
}

// Started returns the commit on which a run with a check began and at which the check is pinned, or
// "" if there is none.
func (b *Budget) Started() string { return b.attempts().From }

// tip returns the commit of the last task or phase that is done, or "" if there is none.
func (b *Budget) tip() string { return b.attempts().Tip }

// begin opens the next attempt. It returns nil if the kind has no attempts or no work is left.
func (b *Budget) begin(e EntryFacts) *Attempt {
	if b.Ignores == "" {
		b.Ignores = e.Ignores
	}
	a := &Attempt{Token: "-" + e.Nonce, Head: e.Head, Tree: e.Tree, Branch: e.Branch,
		NoGit: e.NoGit, Unread: e.Unread, Feedback: e.Feedback}
	if b.Own == nil || !b.Own.Begin(a) {
		return nil
	}
	b.aim(a)
	return a
}

// aim points an attempt at what is under way, which an answer at the entry may have changed.
func (b *Budget) aim(a *Attempt) {
	before := a.Task
	if b.Own.Aim(a); before != 0 && a.Task != before {
		a.Feedback = "" // it is about something else
	}
}

// foldAttempt moves the run on by the attempt that ends, and returns what its line has of it.
func (b *Budget) foldAttempt(t *Tick, e Ending) (l KindLine) {
	if b.Own != nil && t.Attempt != nil && t.Started {
		l.Own = b.Own.Line(t)
		b.Own.Fold(t, e)
	}
	return l
}

// feeds reports whether the Stop hook brings the next attempt.
func (b *Budget) feeds() bool { return b.Drive() == DriveStop }

// driven reports whether a driver does, with a process of its own, whose main thread does the work.
func (b *Budget) driven() bool { return b.Drive() == DriveProcess }

// Order returns the request to the conductor: one call, whose prompt the hook replaces.
func (b *Budget) Order() string {
	p := b.Own
	return fmt.Sprintf("Next: %s. Make exactly one Agent call now: subagent_type "+
		"\"general-purpose\", description %q, prompt \"go\" (the hook replaces it by %s). When it "+
		"returns, end your turn with one short line. Do nothing else.", p.Next(), p.UnderWay(),
		p.Attempts().Whole)
}

// Backoff lists the waits after the first, second and third outage of the service in a row. After
// one more outage the loop gives up (T95).
var Backoff = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// maxWait bounds the wait for a reset that the service names: a Stop may take no more than an
// hour.
const maxWait = 50 * time.Minute

// APIError begins the reason of an attempt that the service ended.
const APIError = "API error: "

// foldOutage sets when the next attempt may begin, after one that the service ended. A driver waits
// by itself.
func (b *Budget) foldOutage(t *Tick, now time.Time) {
	b.RetryAt = time.Time{}
	if b.Drive() == "" || b.driven() || t.Attempt == nil ||
		!strings.HasPrefix(t.verdict().Why, APIError) {
		return
	}
	n := b.attempts().Outages
	if n == 0 {
		return
	}
	b.RetryAt = now.Add(Backoff[min(n, len(Backoff))-1])
	if reset := t.Attempt.Reset; reset.After(now) {
		b.RetryAt = reset
	}
}

// maxOutages bounds the attempts in a row that may end without the task's fault (T59). The bound is
// higher for a driver: it waits between them and gives up by itself after a lasting outage and
// after five silent processes.
const (
	maxOutages       = 3
	maxDrivenOutages = 6
)

func outages(f *Facts) string {
	b := f.Run
	if b.RetryAt.Sub(f.Now) > maxWait {
		return "the service is back at " + b.RetryAt.UTC().Format("2006-01-02 15:04 MST")
	}
	if a := b.attempts(); a.Outages >= b.maxOutages() {
		return fmt.Sprintf("%d %s", a.Outages, a.Failed)
	}
	return ""
}

// maxOutages returns the number of outages in a row that ends the run.
func (b *Budget) maxOutages() int {
	switch {
	case b.driven():
		return maxDrivenOutages
	case !b.RetryAt.IsZero():
		return len(Backoff) + 1
	}
	return maxOutages
}

func tellOutages(f *Facts) string {
	return fmt.Sprintf("%s in a row ended by the API, the machine or a person; fires at %d",
		Plural(f.Run.attempts().Outages, "attempt"), f.Run.maxOutages())
}

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
	// Tree is a checksum of the uncommitted files, or "" if everything is committed. EndHead and
	// EndTree are the commit and that checksum when it was judged.
	Tree    string `json:"tree,omitempty"`
	EndHead string `json:"end_head,omitempty"`
	EndTree string `json:"end_tree,omitempty"`
	// Reset is when the service is back that ended it, where that was named.
	Reset time.Time `json:"reset,omitzero"`
	PhaseAttempt
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
	// Changed lists the pinned files that differ from the run's start; the check ran in a separate
	// checkout, with those files as they were. Unsure explains why its result is inconclusive, or
	// is "" if it is conclusive.
	Changed []string `json:"changed,omitempty"`
	Unsure  string   `json:"unsure,omitempty"`
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
	Ended      TaskDone = "ended"      // of a phase that is not judged
	Clean      TaskDone = "clean"      // of an audit
	Dirty      TaskDone = "dirty"      // of an audit
	Undecided  TaskDone = "no_verdict" // of an audit that reported none
)

// claims reports whether the attempt claimed to be done, so that git was asked.
func (j Judgement) claims() bool {
	return j.Verdict.done() || j.Verdict == Overruled || j.Verdict == CannotTell
}

// Worked reports whether the task is done by an attempt.
func (d TaskDone) Worked() bool { return d == Verified || d == Unbroken || d == Claimed }

// done reports whether the task needs no further attempt.
func (d TaskDone) done() bool { return d.Worked() || d == SkippedOne || d == Imported }

// start returns the revision that the attempt's own commits are compared with, or "" if it is not
// known.
func (a *Attempt) start() string {
	if a.Unread != "" || a.NoGit {
		return ""
	}
	return cmp.Or(a.Head, emptyTree)
}

// emptyTree is git's name of a tree without files: what a branch without a commit is compared with.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// verdict returns the judgement of an attempt whose iteration ends, even if it was not judged.
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

// The drives: each brings the next task in its own way (T1).
const (
	DriveStop    = "stop"    // the Stop hook feeds a conductor
	DriveProcess = "process" // `hooks go` starts one client a task or a phase
)

func staleContext(f *Facts) string {
	if f.Tick == nil || f.Tick.Attempt == nil || !f.Tick.Attempt.Stale {
		return ""
	}
	return fmt.Sprintf("The context of %s is not proven to be fresh, so nothing its worker claims "+
		"is believed", f.Run.Own.Name(f.Tick.Attempt))
}

// Tip returns the commit that the branch has to keep: that of the attempt that ends, else that of
// the last task or phase that is done, or "" if there is none.
func (s State) Tip() string {
	if s.Tick != nil && s.Tick.Attempt != nil {
		if j := s.Tick.Attempt.Judged; j != nil && j.Verdict.done() {
			return j.SHA
		}
	}
	return s.Run.tip()
}

// CauseDropped is the cause recorded if a finished list does not count as complete because history
// was dropped.
const CauseDropped = "history_dropped"

func lostTip(sha string) string {
	return fmt.Sprintf("commit %s, the last one that counted, is not found on the branch",
		abbreviated(sha))
}

// String is a verdict as people read it.
func (d TaskDone) String() string {
	switch d {
	case Unbroken:
		return "not broken"
	case CannotTell:
		return "cannot tell"
	}
	return string(d)
}

// String is the verdict with the reason that keeps it from a better one.
func (j *Judgement) String() string {
	text := j.Verdict.String()
	if by := j.Check.byWorker(); by != "" && j.Verdict.Worked() {
		text += "; " + by
	}
	if j.Why != "" && j.Verdict.Worked() {
		text += "; " + j.Why
	}
	return text
}

// red reports whether a check looked at the work and was not green. A program that could not be
// started, or that was stopped, has not looked.
func (c *CheckRun) red() bool {
	return c != nil && c.Exit > 0 && c.Exit != 126 && c.Exit != 127 && !c.Stopped && c.Unsure == ""
}

// of reports whether a run of a check was of this command, on a commit without other changes.
func (c *CheckRun) of(command, head string) bool {
	return c != nil && head != "" && c.Head == head && c.Command == command
}

// byWorker names the pinned files that differ from the run's start, as the beginning of a sentence.
// It returns "" if there are no such files.
func (c *CheckRun) byWorker() string {
	if c == nil || len(c.Changed) == 0 {
		return ""
	}
	return "check changed by the worker: " + strings.Join(c.Changed, ", ")
}

func abbreviated(sha string) string { return sha[:min(len(sha), 7)] }

// upper begins a sentence with a name.
func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
