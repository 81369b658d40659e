package loop

import (
	"cmp"
	"fmt"

	"hooks/internal/attempt"
)

// A driven run has a driver, `hooks go`, which starts one client process for each attempt at a task
// or each phase of an audit loop. The main thread of the process does the work, and the driver
// knows how the process ended.

// Drives reports whether f holds the flags that the run's driver uses to start the next iteration
// of an active run in a new session. With --resume, the command resumes the run instead, which
// gives a blocked task new attempts.
func (b *Budget) Drives(f Flags) bool {
	return b.Driven() && b.Status == Active && !f.Resume && len(f.Rest) == 0 &&
		f.Task.List == "" && f.Task.Drive == DriveProcess
}

// ResumedDrive returns the drive of a resumed run. If a driver began the run and a session resumes
// it without --drive, the Stop hook continues it.
func ResumedDrive(drive, before string) string {
	if drive == "" && before == DriveProcess {
		return DriveStop
	}
	return cmp.Or(drive, before)
}

// ProcessEnd is a driver's event for the end of a client process. It closes an iteration that no
// Stop has closed (M5). Session is the process's session.
type ProcessEnd struct {
	Turn
	Why    string // for example "killed"
	Counts bool   // the attempt costs a retry (T59)
	Person bool   // a person ended the process
}

func (e ProcessEnd) step(s State, k *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	a := s.Tick.Attempt
	switch {
	case e.Person:
		s.Tick.Interrupt(e.Why)
	case e.Counts && a != nil && a.Judged == nil && s.Run.Own != nil:
		a.Judged = &attempt.Judgement{Verdict: s.Run.Attempts().Unjudged, Why: e.Why}
		s.recordEnd(k)
		fallthrough
	default:
		s.Tick.Failed = e.Why
	}
	return e.closeTurn(s, k)
}

// ClientFlags is a driver's event that stores the person's client flags for the next driver.
type ClientFlags struct {
	Turn
	Flags []string
}

func (e ClientFlags) step(s State, _ *Known) Outcome {
	s.Run.Client = e.Flags
	return Outcome{Save: Save{Run: s.Run}}
}

// DriverStop ends or pauses a driven run for a cause that only its driver sees. An already halted
// or paused run keeps its cause.
type DriverStop struct {
	Turn
	Cause, Text string
}

func (e DriverStop) step(s State, k *Known) Outcome {
	switch {
	case s.Run == nil || s.Run.Status != Active:
		return Outcome{}
	case e.Cause == CauseInterrupt:
		return PersonStop{e.Turn, e.Text}.step(s, k)
	}
	k.Require(&k.Owner)
	if s.Tick == nil {
		s.Run.away(e.Now) // the driver may have waited for the service
	}
	if e.Cause == CauseOutage {
		return e.pause(s, k, e.Cause, e.Text)
	}
	fired := Fired{Condition: e.Cause, Cause: e.Cause, Text: e.Text}
	return e.endRun(s, k, Tick{Failed: e.Text, Fired: []Fired{fired}})
}

// Driving holds the facts that determine a driver's next step.
type Driving struct {
	Run   *Budget  // nil if there is no run
	Owner Liveness // state of the client process recorded in the run
	First bool     // no process has been started yet
	// Began reports whether the last process began a run or ended an iteration. Spared reports
	// whether the service failed or the process stalled.
	Began, Spared bool
	Why           string // how the last process ended, shown to a person
}

// DriveStep is the next step of a driver: another process, a wait, or the end.
type DriveStep struct {
	Again  bool
	Resume bool // the process continues a stopped or cut-off run
	Wait   bool
	Cause  string // cause of an end, such as "gate_waiting"
	Text   string // reason for the end or the wait, shown to a person
	Code   int    // exit code at an end: 0 only if the run is complete
}

// Next returns the driver's next step for the state of its run (T92).
func (d Driving) Next() DriveStep {
	run := d.Run
	if run == nil || run.Drive() == "" {
		return DriveStep{Cause: NotBegun, Text: d.notBegun(), Code: 1}
	}
	end := DriveStep{Cause: run.StopCause, Text: run.StopText, Code: 1}
	waits := ""
	for _, g := range run.Pending {
		if g.Answer == "" {
			waits = fmt.Sprintf("Loop paused at gate %s: %s", g.Name, g.Question)
			break
		}
	}
	switch {
	case run.Status == Halted && run.Attempts().Done && run.StopCause != CauseDropped:
		end.Code = 0
		return end
	case !d.First && !d.Began && !d.Spared:
		return DriveStep{Cause: NotBegun, Text: d.notBegun(), Code: 1}
	case run.Status == Paused && waits != "":
		end.Text = waits
		return end
	case run.Status == Paused && len(run.Pending) > 0, // a person has answered
		run.Status != Active && (d.First || d.Spared && !d.Began):
		return DriveStep{Again: true, Resume: true}
	case run.Status != Active:
		return end
	case d.Owner == Alive && !run.OwnerLeft && run.Driven():
		return DriveStep{Wait: true, Text: fmt.Sprintf("process %d is still working on %s; "+
			"watch it with `hooks status --watch`", run.Owner.PID, run.Own.UnderWay())}
	case d.Owner == Alive && !run.OwnerLeft:
		return DriveStep{Cause: "lock_contention", Code: 1, Text: fmt.Sprintf("The %s loop is "+
			"running in another session (process %d); end it there, or with `hooks loop stop`",
			run.Skill, run.Owner.PID)}
	}
	return DriveStep{Again: true, Resume: d.First}
}

func (d Driving) notBegun() string {
	if d.Why == "" {
		return "The process ended without beginning an iteration"
	}
	return "The process ended without beginning an iteration: " + d.Why
}
