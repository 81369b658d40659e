package loop

import "time"

// Moment is a point in a tick when conditions and gates are evaluated.
type Moment uint8

// The moments of a tick: its entry, a report from the skill, before a worker starts, before a
// merge, and its exit.
const (
	Entry Moment = 1 << iota
	Reported
	Sending
	Merging
	Exit
)

// Facts holds everything that a decision depends on. Tick and Previous may be nil. A missing fact
// never fires a condition and never counts as success.
type Facts struct {
	Run      *Budget
	Tick     *Tick
	Previous *Iteration // line of the run's last iteration that began; see Budget.Worked
	Now      time.Time
	Minutes  int      // the run's active minutes so far
	PRs      []string // prs_touched of the run and the open tick
	Merging  int      // the PR that a tool call is about to merge, or 0
	Sent     []int    // issues that a worker is about to start on
	Edges    [][2]int // dependencies in the tracker: blocker, blocked
	Dropped  string   // the run's tip if HEAD does not contain it, or ""
	// Redact is the function that redacted Previous before it was written; nil if Previous was not
	// redacted.
	Redact func(string) string
}

// Condition is a reason to stop a run.
type Condition struct {
	Number  int
	Name    string
	Cause   string // the name recorded in stop_conditions_fired
	When    Moment
	Applies func(*Budget) bool // reports whether the condition applies to a run
	// Holds returns a message for a person, or "" if the condition does not hold. It is nil for a
	// condition that only a gate or the lock can fire.
	Holds func(f *Facts) string
	// Tell describes, for a person, the current value and how close the condition is to firing.
	Tell func(f *Facts) string
	// Way is the next step for a person after the run has stopped; empty if none is needed.
	Way string
}

// GateKind is a kind of question that only a person can answer. Every gate is evaluated again in
// every tick (R107).
type GateKind struct {
	Name    string
	Header  string // short label in the dialog, at most 12 characters
	When    Moment
	Applies func(*Budget) bool // reports whether the gate applies to a run
	Options []Option
	// Safest is the option that applies if a person's answer selects no option.
	Safest string
	// Due returns the questions that the facts require; their name, header and options are added
	// later. It is nil if the gate is raised elsewhere.
	Due func(f *Facts) []Gate
	// Apply carries out an answer that is already recorded; nil if there is nothing to do. act is
	// the option that Gate.Act selects for the verbatim answer, and is never "stop".
	Apply func(run *Budget, tick *Tick, g Gate, act, answer string)
	// Tell describes, for a person, when the gate would ask, with the current values.
	Tell func(f *Facts) string
}

// Says is a fixed description that does not depend on facts.
type Says string

func (s Says) Tell(*Facts) string { return string(s) }
