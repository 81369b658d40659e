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
	Clone() Payload  // copies what a Step may change in place
	Stored() Payload // as the run's file holds it, without parts that have their own file
	Attempts() Attempts

	Resume(*Budget, Request)       // a person or a schedule continues the run
	Retune(TaskFlags) []string     // a person's flags change how the run is judged
	Enter(*Tick, EntryFacts, bool) // an iteration begins, before its conditions are evaluated
	Answered(EntryFacts)           // the answers at its entry are applied
	Begin(*Attempt) bool           // opens the next attempt; false if none is left
	Aim(*Attempt)                  // points an attempt at the current task or phase

	Judge(State, *Known) (hold *Continue)
	Unmeasured(*Tick, string) (at int, command string) // as in State.Unmeasured
	Measured(at int, command string, c CheckRun)       // records a run of the check at that place
	NoCheck(CheckRun) string                           // why no check can run, after its first run
	Line(*Tick) any                                    // the history's record of its attempt
	Fold(*Tick, Ending)                                // counts the attempt that ends
	Advanced(since Payload) bool                       // more is done than in since

	UnderWay() string           // what the attempt is about, as in "task 2 of 5"
	Next() string               // the next attempt, for the conductor that sends its worker
	Name(*Attempt) string       // name of an attempt, as in "task 2" or "the final audit"
	Ending(*Attempt) string     // tells its thread how to end it
	Unjudged(*Attempt) TaskDone // verdict if it ended by its own fault before a Stop
}

// Attempts holds a run's settings and counts for its attempts, for every kind.
type Attempts struct {
	Drive   string // DriveStop or DriveProcess
	Check   string // the person's check command, or ""
	Minutes int    // bound of one run of the check
	From    string // the commit on which the run began and at which the check is pinned, or ""
	Tip     string // the commit that the branch must keep, or ""
	Outages int    // attempts in a row that ended by no fault of the work
	MaxIdle int    // idle iterations in a row that stall the run; at least maxIdle
	Looks   bool   // inspect git after each attempt, also without a claim
	Spent   USD    // by the attempts at the current task or phase
	Most    USD    // ceiling of Spent; 0 for none
	Whole   string // the source from which the hook makes the worker's prompt
	Failed  string // text about the outages, as in "phases in a row …"
	Done    bool   // nothing is left of the list or the plan
}

// Attempts returns the settings and counts of the run's attempts, or the zero value if its kind has
// none.
func (b *Budget) Attempts() Attempts {
	if b.Own != nil {
		return b.Own.Attempts()
	}
	return Attempts{}
}

// Drive returns the drive that starts the next attempt, or "" if the kind has none. A run whose
// drive no longer exists is driven by the Stop hook.
func (b *Budget) Drive() string {
	if d := b.Attempts().Drive; d == "" || d == DriveProcess {
		return d
	}
	return DriveStop
}

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

// aim points an attempt at the current task or phase, which an answer at the entry may have
// changed.
func (b *Budget) aim(a *Attempt) {
	before := a.Task
	if b.Own.Aim(a); before != 0 && a.Task != before {
		a.Feedback = "" // it is about the earlier task
	}
}

// foldAttempt counts the attempt that ends and returns its part of the history line.
func (b *Budget) foldAttempt(t *Tick, e Ending) (l KindLine) {
	if b.Own != nil && t.Attempt != nil && t.Started {
		l.Own = b.Own.Line(t)
		b.Own.Fold(t, e)
	}
	return l
}

// Conducted reports whether the Stop hook starts the next attempt.
func (b *Budget) Conducted() bool { return b.Drive() == DriveStop }

// Driven reports whether a driver starts each attempt, in a process whose main thread does the
// work.
func (b *Budget) Driven() bool { return b.Drive() == DriveProcess }

// Order returns the request to the conductor for one Agent call, whose prompt the hook replaces.
func (b *Budget) Order() string {
	p := b.Own
	return fmt.Sprintf("Next: %s. Make exactly one Agent call now: subagent_type "+
		"\"general-purpose\", description %q, prompt \"go\" (the hook replaces it by %s). When it "+
		"returns, end your turn with one short line. Do nothing else.", p.Next(), p.UnderWay(),
		p.Attempts().Whole)
}

// Backoff lists the waits after the first, second and third outage of the service in a row. The
// loop ends after one more (T95).
var Backoff = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// maxWait bounds the wait for the time at which the service says it is back, because a Stop may
// take no more than an hour.
const maxWait = 50 * time.Minute

// APIError begins the reason of an attempt that ended because of the service.
const APIError = "API error: "

// foldOutage sets when the next attempt may begin after one that ended because of the service. A
// driver waits by itself.
func (b *Budget) foldOutage(t *Tick, now time.Time) {
	b.RetryAt = time.Time{}
	if b.Drive() == "" || b.Driven() || t.Attempt == nil ||
		!strings.HasPrefix(t.Verdict().Why, APIError) {
		return
	}
	n := b.Attempts().Outages
	if n == 0 {
		return
	}
	b.RetryAt = now.Add(Backoff[min(n, len(Backoff))-1])
	if reset := t.Attempt.Reset; reset.After(now) {
		b.RetryAt = reset
	}
}

// maxOutages bounds the attempts in a row that end without the task's fault (T59). The bound is
// higher for a driver, because it waits between them and ends by itself after a lasting outage or
// five silent processes.
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

// maxOutages returns the number of outages in a row that ends the run.
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
	Task  int    `json:"task"` // from 1; the PR is one more than the list has
	Of    int    `json:"of"`
	Try   int    `json:"try"`
	Title string `json:"title"`
	PR    int    `json:"pr,omitempty"` // of this repository, that it has opened or commented on
	// Token is part of the claim, so that no earlier text and no prompt can be one (T85).
	Token  string `json:"token"`
	Head   string `json:"head,omitempty"` // commit at its beginning; "" before the first commit
	Base   string `json:"base,omitempty"` // as in tasks.Item
	Branch string `json:"branch,omitempty"`
	NoGit  bool   `json:"no_git,omitempty"` // the project has no repository
	Unread string `json:"unread,omitempty"` // why git could not read its beginning
	Sent   bool   `json:"sent,omitempty"`   // its worker was sent
	Call   string `json:"call,omitempty"`   // tool_use_id of the call that sent it
	Holds  int    `json:"holds,omitempty"`  // how often the worker was held
	// Fresh proves that the worker began with an empty context: "agent ID" or "session ID" (T93).
	Fresh  string     `json:"fresh,omitempty"`
	List   string     `json:"list,omitempty"`  // hash of the task list when its worker ended
	Stale  bool       `json:"stale,omitempty"` // the context may be an earlier one's
	Judged *Judgement `json:"judged,omitempty"`
	// Feedback is a person's newest feedback in the task's ledger when the attempt began (L31).
	Feedback string `json:"feedback,omitempty"`
	// Tree is a checksum of the uncommitted files; empty if everything is committed. EndHead and
	// EndTree are the commit and that checksum when it was judged.
	Tree    string `json:"tree,omitempty"`
	EndHead string `json:"end_head,omitempty"`
	EndTree string `json:"end_tree,omitempty"`
	// Reset is when the service that ended it is back; zero if it did not say.
	Reset time.Time `json:"reset,omitzero"`
	// Phase is the part of the run's work that it does; empty if the kind has one part only.
	Phase    string         `json:"phase,omitempty"`
	Reported *WorkerVerdict `json:"verdict,omitempty"` // the last verdict of its worker, or nil
	// Opened and Resolved list the ids of the findings that it opened and resolved.
	Opened   []string `json:"findings_opened,omitempty"`
	Resolved []string `json:"findings_resolved,omitempty"`
	Last     string   `json:"last_words,omitempty"` // of its worker, if a later page shows them
	// Looked lists the files of the tree that its worker looked at. Ran reports whether the worker
	// ran the check.
	Looked []string `json:"looked_at,omitempty"`
	Ran    bool     `json:"check_ran,omitempty"`
	// Told identifies the text of the last report that was taken from its worker's call.
	Told string `json:"told,omitempty"`
}

// WorkerVerdict is a verdict that a worker reported. It holds for one commit (A71, A75).
type WorkerVerdict struct {
	Word string `json:"verdict"` // clean or dirty
	SHA  string `json:"sha"`
	Seen *Seen  `json:"seen,omitempty"` // nil before it is judged, and in older files
}

// Seen describes how much of the changes an auditor looked at.
type Seen struct {
	Read    int    `json:"read"`            // of the changed files
	Changed int    `json:"changed"`         // files
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
	// Changed lists the pinned files that differ from the run's start. The check then ran in a
	// separate checkout with those files as they were. Unsure explains why the result is
	// inconclusive; it is empty if it is not.
	Changed []string `json:"changed,omitempty"`
	Unsure  string   `json:"unsure,omitempty"`
}

// TaskDone is the verdict on one attempt. Verified and Claimed are never counted together (T63).
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
	Overruled  TaskDone = "refused"    // claimed, but contradicted by the evidence
	Unfinished TaskDone = "unfinished" // no claim
	Outage     TaskDone = "outage"     // ended by the API, the machine or a person
	Ended      TaskDone = "ended"      // a phase that is not judged
	Clean      TaskDone = "clean"      // a clean audit
	Dirty      TaskDone = "dirty"      // a dirty audit
	Undecided  TaskDone = "no_verdict" // an audit without a verdict
)

// claims reports whether the attempt claimed to be done, so that git was inspected.
func (j Judgement) claims() bool {
	return j.Verdict.Done() || j.Verdict == Overruled || j.Verdict == CannotTell
}

// Worked reports whether an attempt has done the task.
func (d TaskDone) Worked() bool { return d == Verified || d == Unbroken || d == Claimed }

// Done reports whether the task needs no further attempt.
func (d TaskDone) Done() bool { return d.Worked() || d == SkippedOne || d == Imported }

// Start returns the revision with which the attempt's own commits are compared, or "" if it is not
// known.
func (a *Attempt) Start() string {
	if a.Unread != "" || a.NoGit {
		return ""
	}
	return cmp.Or(a.Head, emptyTree)
}

// emptyTree is git's name for a tree without files. A branch without a commit is compared with it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Verdict returns the judgement of an attempt whose iteration ends. It makes one up if the attempt
// was not judged.
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
	DriveStop    = "stop"    // the Stop hook asks a conductor to send a worker
	DriveProcess = "process" // `hooks go` starts one client for each task or phase
)

func staleContext(f *Facts) string {
	if f.Tick == nil || f.Tick.Attempt == nil || !f.Tick.Attempt.Stale {
		return ""
	}
	return fmt.Sprintf("The context of %s is not proven to be fresh, so nothing its worker claims "+
		"is believed", f.Run.Own.Name(f.Tick.Attempt))
}

// Tip returns the commit that the branch must keep: that of the attempt that ends, else that of the
// last task or phase that is done, or "" if there is none.
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
	}
	return string(d)
}

// String returns the verdict with the reason why it is not a better one.
func (j *Judgement) String() string {
	text := j.Verdict.String()
	if by := j.Check.ByWorker(); by != "" && j.Verdict.Worked() {
		text += "; " + by
	}
	if j.Why != "" && j.Verdict.Worked() {
		text += "; " + j.Why
	}
	return text
}

// Red reports whether a check ran and failed. A check that could not be started, or that was
// stopped, does not count.
func (c *CheckRun) Red() bool {
	return c != nil && c.Exit > 0 && c.Exit != 126 && c.Exit != 127 && !c.Stopped && c.Unsure == ""
}

// Of reports whether the check ran this command at the commit head.
func (c *CheckRun) Of(command, head string) bool {
	return c != nil && head != "" && c.Head == head && c.Command == command
}

// ByWorker names the pinned files that differ from the run's start, for the beginning of a
// sentence. It returns "" if there are none.
func (c *CheckRun) ByWorker() string {
	if c == nil || len(c.Changed) == 0 {
		return ""
	}
	return "check changed by the worker: " + strings.Join(c.Changed, ", ")
}

// upper returns a name with its first letter in upper case, for the beginning of a sentence.
func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
