package loop

import "fmt"

// payload is what a run has beyond what every loop has, where its iterations are attempts: TaskRun
// or AuditRun.
type payload interface {
	begin(EntryFacts) *Attempt // nil where none is left
	aim(*Attempt)              // points an attempt at what an answer may have changed
	judge(State, *Known) (Need, *Continue)

	drive() string                        // DriveStop, DriveSchedule or DriveProcess
	check() (command string, minutes int) // the person's check command, "" without one
	tip() string                          // the commit that the branch keeps, "" for none
	outages() int                         // attempts in a row that ended by no fault of the work
	maxIdle() int                         // iterations in a row without a change that stall the run
	complete() bool                       // nothing is left of the list or the plan
	advanced(since *Budget) bool          // a task is done, an audit clean, or the check green

	unit() string     // what an attempt is about: a task or a phase
	underWay() string // this one, as in "task 2 of 5"
	order() string    // asks the conductor to send a worker for it
	tick() string     // the command of a forked tick, without its namespace
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

// Drive is what brings the next attempt, "" for a kind that has none.
func (b *Budget) Drive() string {
	if p := b.payload(); p != nil {
		return p.drive()
	}
	return ""
}

// Check is the command by which a person has finished work checked, and its bound in minutes; ""
// without one.
func (b *Budget) Check() (command string, minutes int) {
	if p := b.payload(); p != nil {
		return p.check()
	}
	return "", 0
}

// tip is the commit of the last task or phase that is done, "" without one.
func (b *Budget) tip() string {
	if p := b.payload(); p != nil {
		return p.tip()
	}
	return ""
}

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

// scheduled reports whether the client's schedule brings it.
func (b *Budget) scheduled() bool { return b.Drive() == DriveSchedule }

// driven reports whether a driver does, with a process of its own.
func (b *Budget) driven() bool { return b.Drive() == DriveProcess }

// TickCommand is the command of a forked tick, in the namespace of the run's own command.
func (b *Budget) TickCommand() string { return Namespace(b.Command) + ":" + b.payload().tick() }

// WakeOrder asks for the schedule of forked ticks.
func (b *Budget) WakeOrder() string {
	return fmt.Sprintf(`Nothing brings the next %s. Call now: CronCreate {"cron":"* * * * *",`+
		`"prompt":%q,"recurring":true} (loaded with ToolSearch "select:CronCreate"). `+
		"Then end the turn.", b.payload().unit(), "/"+b.TickCommand())
}
