package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/english"
)

// Payload is the state that a kind adds to a run whose iterations are attempts.
type Payload interface {
	Clone() Payload  // copies everything that a Step may change in place
	Stored() Payload // returns the contents of the run's file, without parts in other files
	Attempts() Attempts

	Resume(*Budget, Request)   // called when the run is resumed
	Retune(TaskFlags) []string // adopts a person's new flags and returns those that change the run
	// called when an iteration begins, before its conditions are evaluated; true means that neither
	// a person nor a background job can have acted since the previous iteration
	Enter(*Tick, EntryFacts, bool)
	Answered(EntryFacts)         // called after the answers at the entry have been applied
	Begin(*attempt.Attempt) bool // opens the next attempt; false if no work is left
	Aim(*attempt.Attempt)        // points an attempt at the current task or phase

	// judges the attempt, or returns a request that keeps its worker running
	Judge(State, *Known) (hold *Continue)
	Unmeasured(*Tick, string) (at int, command string) // see State.Unmeasured
	// records a run of the check that preceded the work on the task at index at
	Measured(at int, c attempt.CheckRun)
	// explains why the check cannot run, or returns "" if its first run does not show that
	NoCheck(attempt.CheckRun) string
	// returns the fields of the history line that describe the attempt
	Line(*Tick) Record
	Fold(*Tick, Ending)          // counts the ending attempt
	Advanced(since Payload) bool // reports whether more work is done than in since

	Result() string                // summarizes the run, such as "4 of 5 tasks done: 4 verified"
	UnderWay() string              // describes the current work, such as "task 2 of 5"
	Heading() (name, title string) // describes the next attempt to the driver's user
	// describes the next attempt to the conductor that starts its worker
	Next() string
	Name(*attempt.Attempt) string           // names an attempt: "task 2" or "the final audit"
	Ending(*attempt.Attempt) string         // returns the instruction for ending the attempt
	Prompt(*attempt.Attempt, Papers) string // returns the complete prompt for its worker
}

// Papers holds the files that a worker's prompt refers to, if the run has them.
type Papers struct {
	Progress string // path of the progress file, relative to the project
	Log      []byte // contents of the progress file
	Ledger   string // path of the task's ledger, relative to the project (L19)
	Anchor   string // path of the file that defines /sdd:anchor (T83)
	Plan     string // approved text of Source; "" if it is lost
	// Number is the iteration's number and Most is the ceiling; see SinceRestart.
	Number, Most int
}

// Publisher is a Payload that produces files for people and workers. They are derived from the run,
// so writing them again does no harm.
type Publisher interface {
	Payload
	// Progress returns the new contents of the progress file. now holds the contents on disk, and
	// kept holds the contents that the run last wrote; either may be nil. settled reports whether a
	// person has seen the last attempt's flags.
	Progress(now, kept []byte, settled bool) []byte
	View(b *Budget, now time.Time) []byte // returns the contents of the state file for people
	// Begins and Ends return the events for the person's Sync command at an entry and after the
	// iteration recorded in line. fed reports whether the previous Stop asked for the entry.
	Begins(b *Budget, fed bool) []SyncEvent
	Ends(b *Budget, line *Iteration) []SyncEvent
}

// Attempts holds the settings and counters for a run's attempts. Every kind with attempts uses it.
type Attempts struct {
	Drive   string // DriveStop or DriveProcess
	Check   string // the person's check command, or ""
	Minutes int    // maximum minutes for one run of the check
	From    string // the commit where the run began, which also pins the check, or ""
	Tip     string // the commit that the branch must contain, or ""
	Audited string // the commit that the last audit judged, or ""
	Outages int    // consecutive attempts that ended through no fault of the work
	MaxIdle int    // consecutive idle iterations that stall the run, if more than maxIdle
	Before  int    // iterations already used at the last restart
	Spent   USD    // dollars spent on the current task
	Most    USD    // ceiling for Spent; 0 for no ceiling

	Source string // path of the spec or plan that the run carries out, relative to Root
	Sum    string // digest of the approved Source; "" if Source may change
	List   string // path of the task list, relative to the project, or ""
	Root   string // the worktree where attempts work; "" for the project
	Branch string // the branch of that worktree, or ""
	Base   string // the commit where that branch began, or ""
	Number int    // the current task or section, from 1
	// Finished counts the finished tasks or sections out of Total. Unit is "task" or "section".
	Finished, Total int
	Unit            string
	Done            bool // the list or the plan is finished
	Last            bool // the list may end with this attempt, so Tip must not be lost

	Reports   bool            // facts come only from workers, not from the thread that starts them
	Reads     bool            // the current work, such as an audit, only reads
	Since     string          // the commit where the changes under audit begin, or ""
	Filed     bool            // the findings are in a separate file; see Finder
	Worked    bool            // an attempt at a task has ended
	Publishes bool            // the run writes files for people and workers; see Publisher
	Imports   bool            // another tool's progress was found and may still be imported
	Agent     string          // the plugin's agent for the current work, or ""
	Unjudged  attempt.Verdict // verdict if the worker's fault ends the attempt before a Stop
	Whole     string          // name for the worker's real prompt in Order, such as "the task"
	Failed    string          // text after the number of outages, such as "phases in a row …"
}

// Attempts returns the settings and counters for the run's attempts, or the zero value if its kind
// has none. b may be nil.
func (b *Budget) Attempts() Attempts {
	if b != nil && b.Own != nil {
		return b.Own.Attempts()
	}
	return Attempts{}
}

// Resuming returns the first line shown to a person when a task loop is resumed (T72).
func (a Attempts) Resuming() string {
	return fmt.Sprintf("Resuming execution from task %d/%d.", min(a.Number, a.Total), a.Total)
}

// SinceRestart returns the number of iteration n and the iteration ceiling, both counted from the
// last restart. most is 0 if there is no ceiling (A20).
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

// Groups reports whether by is the word that groups costs by the run's attempts, such as "task".
func (b *Budget) Groups(by string) bool {
	return b.Own != nil && slices.Index(b.Kind().Columns, by) == 0
}

// Drive returns the drive that starts the next attempt, or "" if the kind has none. The Stop hook
// drives a run whose recorded drive no longer exists.
func (b *Budget) Drive() string {
	if d := b.Attempts().Drive; d == "" || d == DriveProcess {
		return d
	}
	return DriveStop
}

// begin opens the next attempt. It returns nil if no work is left.
func (b *Budget) begin(e EntryFacts) *attempt.Attempt {
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
func (b *Budget) aim(a *attempt.Attempt) {
	before := a.Task
	if b.Own.Aim(a); before != 0 && a.Task != before {
		a.Feedback = "" // the feedback is for the earlier task
	}
}

// foldAttempt counts the attempt if its iteration started, and returns its history line fields.
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

// foldOutage sets the earliest start time of the next attempt if a service failure ended this one.
// A driver does not need it to wait.
func (b *Budget) foldOutage(t *Tick, now time.Time) {
	if !b.Conducted() {
		return
	}
	at := t.Attempt.RetryAt(b.Attempts().Outages, t.Verdict().Why, now)
	if !at.IsZero() {
		b.RetryAt = at
	}
}

func outages(f *Facts) string {
	b := f.Run
	if b.RetryAt.Sub(f.Now) > attempt.MaxWait {
		return "the service will be back at " + b.RetryAt.UTC().Format("2006-01-02 15:04 MST")
	}
	if a := b.Attempts(); a.Outages >= b.maxOutages() {
		return fmt.Sprintf("%d %s", a.Outages, a.Failed)
	}
	return ""
}

// maxOutages returns the number of consecutive outages that ends the run.
func (b *Budget) maxOutages() int { return attempt.MaxOutages(b.Driven(), !b.RetryAt.IsZero()) }

func tellOutages(f *Facts) string {
	return fmt.Sprintf("fires when the API, the machine or a person ends %s in a row; %d so far",
		english.Plural(f.Run.maxOutages(), "attempt"), f.Run.Attempts().Outages)
}

// Verdict returns the judgement of the attempt when its iteration ends.
func (t *Tick) Verdict() attempt.Judgement { return t.Attempt.Verdict(t.Interrupted, t.Failed) }

// The drives are the ways to start the next attempt (T1).
const (
	DriveStop    = "stop"    // the Stop hook asks a conductor to start a worker
	DriveProcess = "process" // `hooks go` starts one client for each task or phase
)

func staleContext(f *Facts) string {
	if f.Tick == nil || f.Tick.Attempt == nil || !f.Tick.Attempt.Stale {
		return ""
	}
	return fmt.Sprintf("The context of %s is not proven to be fresh, so its worker's claims do "+
		"not count", f.Run.Own.Name(f.Tick.Attempt))
}

// Tip returns the commit that the branch must contain, or "" if there is none. If the ending
// attempt is done, it is the attempt's commit. Otherwise it is Attempts.Tip.
func (s State) Tip() string {
	if s.Tick != nil && s.Tick.Attempt != nil {
		if j := s.Tick.Attempt.Judged; j != nil && j.Verdict.Done() {
			return j.SHA
		}
	}
	return s.Run.Attempts().Tip
}

// CauseDropped is the stop cause of a run that finished its list but does not count as complete,
// because the branch has lost a commit.
const CauseDropped = "history_dropped"

// upper capitalizes the first letter of name, for use at the beginning of a sentence.
func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
