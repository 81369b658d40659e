// Package loop decides when an unattended loop must stop, which questions a person must answer, and
// what comes next.
//
// It is pure: values in, values out. It reads no clock, disk, environment or JSON; the tags on its
// types only name the fields that the store writes.
package loop

import (
	"hooks/internal/guard/effect"
	"reflect"
	"slices"
	"time"
)

// Step decides what one event means to one loop. It is pure: it changes neither the state nor the
// facts, and reads and writes nothing. If it lacks facts, it returns only Need; the caller fetches
// those and calls Step again.
func Step(s State, k Known, e Event) (out Outcome) {
	k.counted, k.lacks = false, false
	defer k.needed(&out)
	return e.step(s.clone(), &k)
}

// Event is something that happened in a session, such as a TurnEnd, Prompt, Call or Result.
type Event interface {
	step(s State, k *Known) Outcome
}

// State holds the contents of one loop's files. A field is nil if its file does not exist.
type State struct {
	Run   *Budget
	Tick  *Tick
	Claim *Claim
	Quiet *Quiet // the gate that remains after a run has ended; nil once it is removed
}

// Turn holds the fields that all events share: the event's time, session and prompt.
type Turn struct {
	Now      time.Time
	Session  string
	Prompt   string // prompt id; "" if the client sends none
	Attended bool   // a person can answer a dialog
}

// Outcome holds the effects of an event on a loop. The caller applies its fields in this order. The
// zero value lets the client continue.
type Outcome struct {
	Need  *Known // the facts, with the missing ones marked Asked; nil if none is missing
	Save  Save
	Reply Reply
	// Abandon asks the caller to close the open iteration first, with an Abandoned event for its
	// run.
	Abandon bool
	Again   bool // step the request again at once, because the state has changed
	Wait    bool // step the request again later, because another iteration holds the lock
	Unlock  bool // release the loop's lock once the reply is printed
	Notify  []Notice
}

// Nothing reports whether there is nothing to do.
func (o Outcome) Nothing() bool { return reflect.ValueOf(o).IsZero() }

// Save holds the changes to write before the reply is printed. A nil field leaves its file
// unchanged.
type Save struct {
	Close     *Iteration // ends the iteration: line, run and tick in one commit
	Run       *Budget
	Tick      *Tick
	Claim     *Claim
	DropClaim bool       // remove the claim, because no session waits for the lock any longer
	Line      *Iteration // a history line that does not end an iteration; written first
	Force     *Lock      // the lock to remove, because a person allowed it
	DropTick  bool       // remove the tick of a run that no longer exists
	Quiet     *Quiet     // an ended run's gate; written after Close
	Release   bool       // remove an ended run's gate
	Enter     *Entering
}

// Entering holds the changes before an iteration begins, in the order the caller applies them. If
// another session takes the lock first, the caller steps the request again.
type Entering struct {
	Reap    *Lock   // the stale lock to remove, or nil
	Archive *Budget // the earlier run; nil if the run on disk continues
	Lock    Lock
	Run     *Budget // the run whose iteration Opens begins; saved unchanged if Opens fails
	Opens   Opens   // the event to step once the lock is taken
}

// leave removes a session from a claim. Other sessions keep their places.
func (s *Save) leave(c *Claim, session string) {
	s.Claim = c.without(session)
	s.DropClaim = s.Claim == nil
}

// Reply holds the answer to the client and the person. The caller puts it into words.
type Reply struct {
	Continue *Continue // keeps the turn open (R117)
	Refuse   string    // refuses the prompt with this text
	Hidden   bool      // do not show the refused prompt, because no person wrote it
	Missed   []Wakeup  // wakes refused since the run ended, to show to the returning person
	// the iteration that ended, for its status block, and the final report if the run ended
	Closed     *Iteration
	Between    bool        // Closed ended no iteration, so it has notes but no status block
	AtStop     bool        // Closed ended at its own Stop or entry, so the model needs no note
	Draining   bool        // the interrupted iteration waits for its workers
	Wakes      bool        // the run has ended, but the prompt would begin its next tick
	Answers    *Answered   // the person's answers and their effects
	Deny       *Deny       // refuses the call
	Ask        []Gate      // fills the dialog with these questions
	PassedOver *PassedOver // the tick that did not begin
	Force      *Admission  // ask the person whether to take the lock
	Began      bool        // the iteration has begun
	Note       string      // note for the status block of the new iteration
	Context    string      // text for the model
	Say        string      // text for the person and the model
	Prompt     string      // replaces the prompt of the worker being started
}

// Admission is the answer to a request.
type Admission struct {
	Verdict   Verdict
	Mode      Mode
	Text      string
	Notes     []string // one-line notes for the status block
	Reap      bool     // the lock on disk is stale; remove it before acquiring it
	PID       int      // for Skip, Wait and AskForce: pid of the process that holds the lock or run
	Iteration int      // the holder's iteration
}

// Deny refuses a call. Text and Hint are for the model.
type Deny struct {
	Rule string // a name from Rules
	Text string
	Hint string
	Ask  []Gate // the waiting questions
	Say  string // text for the person
	// Ends reports whether the refusal ends the worker that made the call, or the main thread's
	// turn and its iteration. No event reports that end.
	Ends bool
	// Plainly reports whether the %s in Hint has to be replaced by the forge's own command for
	// merging Act's PR at SHA.
	Plainly bool
	Act     effect.Act
	SHA     string
}

// PassedOver describes a tick that found the lock held and did not begin.
type PassedOver struct {
	Line *Iteration
	Run  *Budget // the run, if it has ended; nil if the next tick will try to begin it
	// Answer is the person's answer at the force-unlock gate; nil if there is none.
	Answer *GateAnswer
	Text   string // text for the model if there is an answer, otherwise for the person
}

// Answers holds the answers that a dialog returned.
type Answers struct {
	ID    string // the dialog's tool_use_id
	Input string // tool_input as the client wrote it
	AFK   bool   // the dialog timed out while the person was away
	List  []DialogAnswer
}

// DialogAnswer is a person's verbatim answer to one question in a dialog.
type DialogAnswer struct{ Question, Text string }

// Answered describes the effects of a person's answers.
type Answered struct {
	List  []Acted
	Begun bool // the iteration's body has begun
}

// Acted describes the effect of one answer. Gate is zero for a question that the skill itself
// asked.
type Acted struct {
	Gate Gate
	Text string
	As   string // the option that the text selects
}

// Notice is an event to report to a person who is away from the session. One field is set.
type Notice struct {
	Gate *Gate   // the gate's question is about to be shown
	Run  *Budget // the run has halted or paused
}

// clone copies everything that a Step may change in place. It clips the slices that a Step may
// append to, because their spare capacity is shared with the original state.
func (s State) clone() State {
	if s.Run != nil {
		s.Run = s.Run.clone()
	}
	if s.Tick != nil {
		s.Tick = s.Tick.clone()
	}
	if s.Claim != nil {
		claim := *s.Claim
		claim.Dialogs = slices.Clone(claim.Dialogs)
		s.Claim = &claim
	}
	if s.Quiet != nil {
		s.Quiet = new(*s.Quiet)
	}
	return s
}

func (b Budget) clone() *Budget {
	b.Pending = slices.Clone(b.Pending)
	b.Blocks.Reasons = slices.Clone(b.Blocks.Reasons)
	if b.Own != nil {
		b.Own = b.Own.Clone()
	}
	if b.Idle != nil {
		b.Idle = new(*b.Idle)
	}
	return &b
}

func (t *Tick) clone() *Tick {
	c := *t
	c.Pending = slices.Clone(t.Pending)
	c.Dialogs = slices.Clone(t.Dialogs)
	c.Approvals = slices.Clone(t.Approvals)
	c.Passed = slices.Clone(t.Passed)
	c.Tracked = slices.Clone(t.Tracked)
	c.Report.PRs = slices.Clone(t.Report.PRs)
	c.Notes, c.Fired = slices.Clip(t.Notes), slices.Clip(t.Fired)
	c.Answered, c.DeferredAnswers = slices.Clip(t.Answered), slices.Clip(t.DeferredAnswers)
	c.Observed.Worktrees = slices.Clip(t.Observed.Worktrees)
	if t.Attempt != nil {
		c.Attempt = new(*t.Attempt)
	}
	if t.Asked != nil {
		asked := *t.Asked
		asked.PRs = slices.Clone(asked.PRs)
		c.Asked = &asked
	}
	return &c
}

// open reports whether the session has an open iteration.
func (t Turn) open(s State) bool {
	return s.Tick != nil && s.Tick.SessionID == t.Session && s.Run != nil
}

// Foreign reports whether the session has an open iteration that does not include the prompt.
func (t Turn) Foreign(s State) bool {
	return t.open(s) && t.Prompt != "" && !slices.Contains(s.Tick.Prompts, t.Prompt)
}

// Continue is a reason to block a Stop, with a request to the model. Each reason except "order" and
// "next" blocks a prompt at most once. The kind bounds a prompt's total number of blocks, not
// counting "next".
type Continue struct {
	// recorded in budget.blocks: gate:NAME, unschedule, wake, order, next, or a word defined by the
	// kind
	Name     string
	Text     string      // the kind's own request to the model; "" asks for the report
	Gates    []Gate      // for a gate: the pending questions
	Schedule []Scheduled // for unschedule: schedules that would start the ended loop again
	Until    time.Time   // the Stop waits until this time before it asks; zero for no wait
}

// Scheduled is one prompt that the session has scheduled.
type Scheduled struct {
	Prompt string
	Next   time.Time // when it fires next; zero if unknown
	End    string    // the call that removes the schedule, for example "CronDelete 1"
}
