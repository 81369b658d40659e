package loop

import (
	"fmt"
	"strings"
)

// payload is what a run has beyond what every loop has, where its iterations are attempts: TaskRun
// or AuditRun.
type payload interface {
	begin(EntryFacts) *Attempt // nil where none is left
	aim(*Attempt)              // points an attempt at what an answer may have changed
	judge(State, *Known) (missing bool, hold *Continue)

	attempts() attempts
	advanced(since *Budget) bool // a task is done, an audit clean, or the check green
	underWay() string            // what the attempt is about, as in "task 2 of 5"
	next() string                // the same for the conductor that sends its worker
}

// attempts is what a run has of its attempts, whatever they are about.
type attempts struct {
	drive   string // DriveStop or DriveProcess, or that of an older version
	check   string // the person's check command, "" without one
	minutes int    // its bound
	tip     string // the commit that the branch keeps, "" for none
	outages int    // attempts in a row that ended by no fault of the work
	maxIdle int    // iterations in a row without a change that stall the run
	unit    string // what an attempt is about: a task or a phase
	whole   string // what the hook makes the worker's prompt of
	done    bool   // nothing is left of the list or the plan
}

// payload is nil for a kind whose iterations are no attempts.
func (b *Budget) payload() payload {
	switch {
	case b.Tasks != nil:
		return b.Tasks
	case b.Audit != nil:
		return b.Audit
	}
	return nil
}

func (b *Budget) attempts() attempts {
	if p := b.payload(); p != nil {
		return p.attempts()
	}
	return attempts{maxIdle: maxIdle}
}

// Drive is what brings the next attempt, "" for a kind that has none.
func (b *Budget) Drive() string {
	if d := b.attempts().drive; d != driveSchedule {
		return d
	}
	return DriveStop
}

// unschedule has the Stop hook bring the attempts of a run that an older version began with the
// drive schedule. It returns the line for the person, "" for any other run.
func (b *Budget) unschedule() string {
	if b.attempts().drive != driveSchedule {
		return ""
	}
	if b.Tasks != nil {
		b.Tasks.Drive = DriveStop
	} else {
		b.Audit.Drive = DriveStop
	}
	without := strings.NewReplacer(" --drive schedule", "", " --drive=schedule", "",
		" drive=schedule", "")
	b.Command, b.Flags = without.Replace(b.Command), without.Replace(b.Flags)
	return "The drive schedule no longer exists, so the Stop hook brings the rest of this run; " +
		"delete its schedule with CronDelete"
}

// Check is the command by which a person has finished work checked, and its bound in minutes; ""
// without one.
func (b *Budget) Check() (command string, minutes int) {
	a := b.attempts()
	return a.check, a.minutes
}

// Started is the commit on which a task loop began; its check is pinned as it is there.
func (b *Budget) Started() string {
	if b.Tasks == nil {
		return ""
	}
	return b.Tasks.Start
}

// tip is the commit of the last task or phase that is done, "" without one.
func (b *Budget) tip() string { return b.attempts().tip }

// begin opens the attempt under way; nil where the kind has none, or none is left.
func (b *Budget) begin(e EntryFacts) *Attempt {
	if b.Ignores == "" {
		b.Ignores = e.Ignores
	}
	if p := b.payload(); p != nil {
		return p.begin(e)
	}
	return nil
}

// feeds reports whether the Stop hook brings the next attempt.
func (b *Budget) feeds() bool { return b.Drive() == DriveStop }

// driven reports whether a driver does, with a process of its own, whose main thread does the work.
func (b *Budget) driven() bool { return b.Drive() == DriveProcess }

// Order is what the conductor is asked for: one call, whose prompt the hook replaces.
func (b *Budget) Order() string {
	p := b.payload()
	return fmt.Sprintf("Next: %s. Make exactly one Agent call now: subagent_type "+
		"\"general-purpose\", description %q, prompt \"go\" (the hook replaces it by %s). When it "+
		"returns, end your turn with one short line. Do nothing else.", p.next(), p.underWay(),
		p.attempts().whole)
}
