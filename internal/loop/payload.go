package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"
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

// Backoff is how long a loop waits after the first, the second and the third outage of the service
// in a row. After one more it gives up (T95).
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
	n := b.attempts().outages
	if n == 0 {
		return
	}
	b.RetryAt = now.Add(Backoff[min(n, len(Backoff))-1])
	if reset := t.Attempt.Reset; reset.After(now) {
		b.RetryAt = reset
	}
}

// maxOutages is how many attempts in a row may end without the task's fault (T59). A driver waits
// between them and gives up by itself after an outage that lasts and after five silent processes,
// so of its attempts more may end so.
const (
	maxOutages       = 3
	maxDrivenOutages = 6
)

func outages(f *Facts) string {
	b := f.Run
	if b.RetryAt.Sub(f.Now) > maxWait {
		return "the service is back at " + b.RetryAt.UTC().Format("2006-01-02 15:04 MST")
	}
	n := b.attempts().outages
	if n < b.maxOutages() {
		return ""
	}
	if b.Audit != nil {
		return fmt.Sprintf("%d phases in a row ended by no fault of the work", n)
	}
	return fmt.Sprintf("%d attempts in a row ended by no fault of the task; no retry was counted",
		n)
}

// maxOutages is how many outages in a row end the run.
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
		Plural(f.Run.attempts().outages, "attempt"), f.Run.maxOutages())
}

// Idle counts the iterations in a row in which nothing changed (A28, T91). It is nil after one in
// which something did.
type Idle struct {
	Iterations int    `json:"iterations"`
	Since      string `json:"since,omitempty"` // commit at which the first of them began
	Before     USD    `json:"dollars_before"`  // the run's dollars at that time
	// Unseen is the state at the start of an iteration whose end was not inspected, because its
	// worker claimed nothing. The beginning of the next one shows whether it changed anything.
	Unseen *Mark `json:"unseen,omitempty"`
}

// Mark is a commit, and a sum of what is not committed as in Attempt.
type Mark struct {
	Head string `json:"head,omitempty"`
	Tree string `json:"tree,omitempty"`
}

// maxIdle is how many of them stall a task or an audit loop, and a work loop where a person says
// how many. A task has all of its attempts first, so that the cause of its end is its own (T57).
const maxIdle = 3

func (b *Budget) maxIdle() int {
	if b.MaxIdle > 0 {
		return b.MaxIdle
	}
	return b.attempts().maxIdle
}

// foldIdle counts the iteration that ends. before is the run as it was. What git could not tell, or
// what the API or a person ended, does not count.
func (b *Budget) foldIdle(t *Tick, before *Budget, e Ending) {
	a := t.Attempt
	if b.MaxIdle > 0 {
		b.foldTrail(t, before, e)
		return
	}
	if a == nil || b.payload() == nil || !t.Started || t.verdict().Verdict == Outage {
		return
	}
	seen := !a.Sent || a.EndHead != ""
	switch changed := a.moved() || a.closed() || b.payload().advanced(before); {
	case seen:
		b.countIdle(changed, a.Head, before)
	case b.Tasks == nil || t.verdict().claims() || a.NoGit || a.Unread != "":
	case changed:
		b.Idle = nil
	default:
		b.idleSince(a.Head, before).Unseen = &Mark{a.Head, a.Tree}
	}
}

// foldTrail counts an iteration of a work loop. A merge or a new PR is progress that git may not
// show here.
func (b *Budget) foldTrail(t *Tick, before *Budget, e Ending) {
	if !t.Started || t.Failed != "" || t.Interrupted != "" || t.Trail == "" || e.Trail == "" {
		return
	}
	head, _, _ := strings.Cut(t.Trail, " ")
	b.countIdle(t.Trail != e.Trail || t.Merges+len(t.Observed.PRs) > 0, head, before)
}

func (b *Budget) countIdle(changed bool, head string, before *Budget) {
	if changed {
		b.Idle = nil
		return
	}
	b.idleSince(head, before).Iterations++
}

// idleSince is the count so far; without one, it begins at this commit.
func (b *Budget) idleSince(head string, before *Budget) *Idle {
	if b.Idle == nil {
		b.Idle = &Idle{Since: head, Before: before.DollarsEstimate}
	}
	return b.Idle
}

// lookBack counts the iteration before, whose end was not inspected, by the start of this one.
func (b *Budget) lookBack(e EntryFacts) {
	if b.Idle == nil || b.Idle.Unseen == nil {
		return
	}
	began := *b.Idle.Unseen
	b.Idle.Unseen = nil
	switch {
	case e.Unread != "":
	case began != Mark{e.Head, e.Tree}:
		b.Idle = nil
	default:
		b.Idle.Iterations++
	}
}

// moved reports whether the worker left another commit or another tree.
func (a *Attempt) moved() bool {
	return a.EndHead != "" && (a.EndHead != a.Head || a.EndTree != a.Tree)
}

// closed reports whether an auditor found a finding resolved that was open before.
func (a *Attempt) closed() bool {
	return slices.ContainsFunc(a.Resolved, func(id string) bool {
		return !slices.Contains(a.Opened, id)
	})
}

func noProgress(f *Facts) string {
	if i := f.Run.Idle; i == nil || i.Iterations < f.Run.maxIdle() {
		return ""
	}
	return f.Run.idleText()
}

// idleText is as in "nothing changed for 3 iterations, $4.10 since abc1234".
func (b *Budget) idleText() string {
	since := b.Idle.Since
	if since == "" {
		since = "then"
	}
	return fmt.Sprintf("nothing changed for %s, $%s since %s",
		Plural(b.Idle.Iterations, "iteration"), b.DollarsEstimate.minus(b.Idle.Before),
		since[:min(7, len(since))])
}

func tellIdle(f *Facts) string {
	if text := f.Run.Standstill(); text != "" {
		return text
	}
	return fmt.Sprintf("the last iteration changed something; fires after %d that do not",
		f.Run.maxIdle())
}

// Standstill is how long nothing has changed, "" where the last iteration changed something.
func (b *Budget) Standstill() string {
	if b.Idle == nil || b.Idle.Iterations == 0 {
		return ""
	}
	return fmt.Sprintf("%s; fires after %d", b.idleText(), b.maxIdle())
}
