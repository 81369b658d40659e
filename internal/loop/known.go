package loop

import (
	"errors"
	"time"

	"hooks/internal/attempt"
)

// Fact is a fact that a Step may need. Value is nil until the caller has fetched the fact.
type Fact[T any] struct {
	Value *T
	asked bool
}

// Fetched returns a fact that the caller has fetched.
func Fetched[T any](value T) Fact[T] { return Fact[T]{Value: &value} }

// Asked reports whether a Step needs the fact and the caller has not fetched it yet.
func (f *Fact[T]) Asked() bool { return f.asked && f.Value == nil }

// or returns the fact, or the zero value if it was not fetched. It is for rules that use a fact
// only if another rule asked for it.
func (f *Fact[T]) or() (value T) {
	if f.Value != nil {
		value = *f.Value
	}
	return value
}

// ask asks for the fact and reports whether it is missing. If bare is true, it sets a missing fact
// to the zero value.
func (f *Fact[T]) ask(bare bool) (missing bool) {
	switch {
	case f.Value != nil:
		return false
	case bare:
		f.Value = new(T)
		return false
	}
	f.asked = true
	return true
}

// Known holds the facts that the caller has fetched.
type Known struct {
	Redact func(string) string // redacts text before it is written
	// Bare means that nothing can be fetched, for example when a past session is replayed. Missing
	// facts are then zero values.
	Bare    bool
	counted bool // the spending in Count has already been added to the run
	lacks   bool // a fact that this Step asked for is missing

	// Fetching Around may query git and the tracker, so the caller does not hold the state lock.
	Around   Fact[Around]
	Count    Fact[Count]
	Calls    Fact[[]Result]   // results that no event reported; also fetched with Count
	Previous Fact[*Iteration] // the run's last iteration whose body began, or nil
	Marked   Fact[bool]       // the transcript has the client's mark for an interrupted turn
	Dialogs  Fact[[]Answers]  // dialog answers in the transcript
	Begun    Fact[Begun]
	Owner    Fact[Owner]
	Origin   Fact[Origin]
	Sender   Fact[Sender] // sender of the prompt
	Esc      Fact[bool]   // the main transcript ends with the mark for a person's Esc

	Running Fact[RunningNow]
	Model   Fact[Model] // fetched with Running and Count
	Overrun Fact[int]   // percent by which one iteration may exceed the dollar ceiling
	Reading Fact[Reading]
	Looks   Fact[Looks]
	Told    Fact[Told]     // the report in an auditor's call
	Commits Fact[bool]     // the call only reads, or commits or pushes finished work
	Merging Fact[[]Looked] // the PRs that the call would merge
	Words   Fact[string]   // the call as one line of text, redacted

	Worker   Fact[attempt.Worker]
	Claim    Fact[attempt.Claim]
	Evidence Fact[attempt.Evidence]
	Check    Fact[attempt.CheckRun]
	Before   Fact[attempt.CheckRun]
	Prompt   Fact[string] // prompt for the worker about to be started
	Standing Fact[Standing]
	Last     Fact[*Iteration] // the run's last history line on disk, or nil
	Baseline Fact[[]Cursor]   // spending beyond these cursors counts for the run
	Entry    Fact[EntryFacts] // fetched without the state lock
	Mode     Mode             // mode of the iteration that Entry is fetched for
}

// anyFact is a Fact of any type.
type anyFact interface {
	ask(bare bool) (missing bool)
}

// Require asks for facts. It ends the Step if any of them, or a fact requested by Want, is missing.
// Otherwise their values are available.
func (k *Known) Require(facts ...anyFact) {
	if k.Want(facts...); k.lacks {
		panic(errLacks)
	}
}

// Want asks for facts but lets the Step continue until the next Require, so that the caller
// fetches the facts of both calls together.
func (k *Known) Want(facts ...anyFact) {
	for _, f := range facts {
		k.lacks = f.ask(k.Bare) || k.lacks
	}
}

// errLacks is the panic value that unwinds a Step. A rule that needs a missing fact decides
// nothing, and no later rule is evaluated.
var errLacks = errors.New("a fact is missing")

// needed recovers from Require's panic, which ends the Step, and sets the outcome to Need.
func (k *Known) needed(out *Outcome) {
	switch p := recover(); p {
	case nil:
	case errLacks:
		*out = Outcome{Need: k}
	default:
		panic(p)
	}
}

// wantIf calls Want for f if matters is true.
func (k *Known) wantIf(matters bool, f anyFact) {
	if matters {
		k.Want(f)
	}
}

// required returns the value of f, a fact in k. It ends the Step if the fact is missing.
func required[T any](k *Known, f *Fact[T]) T {
	k.Require(f)
	return *f.Value
}

// Begun holds the work that an interrupted iteration may have left unfinished.
type Begun struct {
	Branches map[string]string // heads of local branches with commits from the iteration
	// remote heads of these and the worktrees' branches (R44)
	Remote map[string]string
	Dirty  map[string][]string // uncommitted files by worktree; "." is the project
}

// Owner describes the session that owns the run and its open iteration.
type Owner struct {
	Foreign  bool      // the tick belongs to another session, or its client is dead
	Gone     bool      // the run's session has ended, or its client is dead
	LastSign time.Time // last time in a foreign tick's transcript
}

// RunningNow holds the open iteration's spending so far.
type RunningNow struct {
	Running
	Read int64 // number of transcript bytes read to count it
}

// Looks holds facts about a call: whether it only reads, and which files it shows.
type Looks struct {
	Only    bool     // the call only reads
	Check   bool     // the call is exactly the run's check command
	Reports bool     // the call reports facts to the loop
	Files   []string // files in the tree that an auditor's call shows
}

// Told holds the report that an auditor's call contains.
type Told struct {
	Shown     bool  // the call shows the report
	Bad       error // why the text is not a valid report, or nil
	ByAuditor bool  // the open phase's auditor makes the call
	// The fields below are set only for a valid report that an auditor's call shows.
	Report Report
	Sum    string // digest of the report's text
	Head   string // the checked-out commit; "" if git does not report it
	Plan   string // digest of the plan file
}

// Looked is the tracker's answer about a PR that is about to be merged, or that the ending
// iteration interacted with.
type Looked struct {
	PR
	Unknown string // why it is unknown who commented; "" if that is known
	InFork  bool   // the branch is in a fork
}

// Origin identifies who started the turn, according to the transcript.
type Origin struct {
	By     string // "human", "scheduled", …; "" if the transcript has no origin
	Prompt string
}

// Around describes git and the tracker when an iteration ends.
type Around struct {
	Heads     map[string]string // remote head by branch, for the tracked PRs
	Worktrees []Worktree        // worktrees on disk now; nil if unknown
	PRs       []Looked
	Opened    []int  // PRs that the tracker lists, newest first, if a program may have opened a PR
	UnderLoop bool   // /loop starts the next tick
	Trail     string // see Tick
	Dropped   string // see Facts; only looked up if the run may end with this iteration
}

// Count holds the usage in the session's transcripts beyond the run's cursors.
type Count struct {
	Spent Spent
	Notes []string
	// Reconfigured reports whether the project's configuration differs from the one stored in the
	// run.
	Reconfigured bool
}

// EntryFacts holds the facts that the program looks up before an iteration begins.
type EntryFacts struct {
	Mode      Mode // mode that the facts were looked up for
	Notes     []string
	Gates     []Gate            // divergence gates on resume
	Heads     map[string]string // remote head by branch, for the tracked PRs
	Worktrees []Worktree
	Asked     *Asked   // nil if no tracker answered
	Unheard   []string // notes about facts that the tracker could not provide
	Edges     [][2]int // dependencies in the tracker; used once and not stored
	// Attempt holds the next attempt's initial facts: its commit, branch and tree, the newest
	// feedback, and a unique token.
	Attempt attempt.Attempt
	Ignores string // see Budget
	List    string // contents of the task list; empty if it cannot be read
	Trail   string // see Tick
	Dropped string // see Facts
}

// Ending holds the facts needed to end an open tick.
type Ending struct {
	Now   time.Time
	Spent Spent
	Around
	Begun
	Pause bool // a gate is still waiting for an answer
	// Unanswered explains to a person why the gate has no answer, such as "a person answered hold".
	Unanswered string
}

// Sender is a prompt's sender, as far as the transcript identifies it when the prompt's event
// arrives.
type Sender uint8
