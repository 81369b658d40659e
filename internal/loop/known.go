package loop

import "time"

// Fact is one thing that a Step may have to know. It is nil until it was fetched.
type Fact[T any] struct {
	Is    *T
	asked bool
}

// Fetched is a fact that was fetched.
func Fetched[T any](is T) Fact[T] { return Fact[T]{Is: &is} }

// Asked reports whether a Step could not decide without the fact, and it was not fetched yet.
func (f *Fact[T]) Asked() bool { return f.asked && f.Is == nil }

// or returns the fact if it was fetched, else the zero value. It is for a rule that uses the fact
// only if another rule asked for it.
func (f *Fact[T]) or() (is T) {
	if f.Is != nil {
		is = *f.Is
	}
	return is
}

// ask asks for the fact, unless it is there; bare takes it for nothing instead.
func (f *Fact[T]) ask(bare bool) (missing bool) {
	switch {
	case f.Is != nil:
		return false
	case bare:
		f.Is = new(T)
		return false
	}
	f.asked = true
	return true
}

// Known holds the facts that the caller has fetched.
type Known struct {
	Redact func(string) string // what is done to texts before they are written
	// Bare says that nothing can be fetched, as of a past session: what is not here is nothing.
	Bare    bool
	counted bool // what was spent is booked, as of no iteration

	// Around may ask git and the tracker, so it is fetched without the state's lock.
	Around   Fact[Around]
	Count    Fact[Count]
	Calls    Fact[[]Result]   // of the iteration, that no event brought; also fetched with Count
	Previous Fact[*Iteration] // the run's last in which work was done, nil without one
	Marked   Fact[bool]       // the transcript has the client's mark of an interrupted turn
	Dialogs  Fact[[]Answers]  // that the transcript has
	Begun    Fact[Begun]
	NoDialog Fact[bool] // the permission rules do not allow the dialog
	Owner    Fact[Owner]
	Origin   Fact[Origin]
	Sender   Fact[Sender] // of the prompt
	Esc      Fact[bool]   // the last word in the main transcript is the mark of a person's Esc

	Running Fact[RunningNow]
	Model   Fact[Model] // fetched with Running and Count
	Overrun Fact[int]   // percent by which one iteration may exceed the dollar ceiling
	Reading Fact[Reading]
	Looks   Fact[Looks]
	Told    Fact[Told]     // what an auditor's call gives
	Commits Fact[bool]     // the call only looks, or brings finished work to the own branch
	Merging Fact[[]Looked] // the PRs that the call would merge
	Words   Fact[string]   // the call in a line, redacted

	Worker   Fact[WorkerSeen]
	Claim    Fact[ClaimSeen]
	Evidence Fact[Evidence]
	Check    Fact[CheckRun]
	Before   Fact[CheckRun]
	Prompt   Fact[string] // of the worker that is sent
	Standing Fact[Standing]
	Last     Fact[*Iteration] // the last line of the run on disk, nil without one
	Baseline Fact[[]Cursor]   // where the session's spending for a run begins
	Other    Fact[RunFile]    // the run on the session's record
	Entry    Fact[EntryFacts] // fetched without the state's lock
	Mode     Mode             // in which the iteration is to begin that Entry is asked for
	Snapshot Fact[*Snapshot]
}

// lacks asks for the facts that are missing, and reports whether any is.
func (k *Known) lacks(facts ...interface{ ask(bool) bool }) (missing bool) {
	for _, f := range facts {
		missing = f.ask(k.Bare) || missing
	}
	return missing
}

// lacksEntry asks for what an iteration begins with in a mode.
func (k *Known) lacksEntry(m Mode) bool {
	if e := k.Entry.Is; e != nil && e.Mode != m && !k.Bare {
		k.Entry.Is = nil
	}
	k.Mode = m
	return k.lacks(&k.Entry)
}

// Begun holds what an interrupted iteration may leave half done, as far as it is known.
type Begun struct {
	Branches map[string]string   // local ones with commits of it, and their heads
	Remote   map[string]string   // heads of those and of the worktrees' on the remote (R44)
	Dirty    map[string][]string // files that are not committed by worktree, "." for the project
}

// Owner is whose the run is, and its open iteration.
type Owner struct {
	Foreign  bool      // the tick is of another session, or its client is dead
	Gone     bool      // the run's session has ended, or its client is dead
	LastSign time.Time // the last time that the transcript of a foreign tick has
}

// RunningNow holds what the open iteration has spent until now.
type RunningNow struct {
	Running
	Read int64 // bytes of transcript that were read for it
}

// Looks describes to what extent a call only reads.
type Looks struct {
	Only    bool
	Check   bool     // it is the run's check command, word for word
	Reports bool     // it gives facts to the loop
	Files   []string // of the tree, that an auditor's call shows
}

// Told is a report as the text of an auditor's call has it.
type Told struct {
	Report      Report
	Sum         string // identifies the text
	Head        string // the commit that is checked out, "" where git does not tell
	PlanChanged bool   // the plan's file is not the approved one
	// Wrong is the reason why the report is not taken, empty if it is. Way is the next step.
	Wrong, Way string
}

// Looked is a PR that is about to be merged, as the tracker has it. Unknown is the reason why it is
// not known who commented, empty if it is known.
type Looked struct {
	PR
	Unknown string
}

// Origin tells who started the turn, according to the transcript.
type Origin struct {
	By     string // "human", "scheduled", … or "" where the transcript does not say
	Prompt string
}

// Around holds what git and the tracker say as an iteration ends.
type Around struct {
	Heads     map[string]string // remote head by branch, for the tracked PRs
	Worktrees []Worktree        // on disk now; nil when unknown
	PRs       []Settled
	Opened    []int  // as of Opened, the newest first, where a start waits for its PR
	UnderLoop bool   // /loop brings the next tick
	Trail     string // as of Tick
	Dropped   string // as of Facts, where the last task or the PR ends
}

// Settled is a PR as the tracker has it when an iteration ends.
type Settled struct {
	PR
	InFork bool // its branch is in a fork
}

// Count holds what the transcripts say of an iteration that ends.
type Count struct {
	Spent Spent
	Notes []string
	Clock Clock
	// Reconfigured says that the project's configuration is not the one that the run keeps.
	Reconfigured bool
}
