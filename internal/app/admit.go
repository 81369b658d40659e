package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// step is what an attempt to enter needs next.
type step uint8

const (
	settled step = iota // the reply is the answer
	again               // the state has changed: it is looked at anew, at once
	waiting             // another iteration holds the lock
	looking             // the remote and the tracker are to be asked
)

// admit decides about the request until it is settled.
func (e *entry) admit() (event.Reply, error) { return e.until(e.settle) }

// until tries until the request is settled. The state's lock is held while the state is read and
// changed, never while waiting for another iteration or for the tracker.
func (e *entry) until(try func() (event.Reply, step, error)) (event.Reply, error) {
	deadline := time.Now().Add(e.waitSlice())
	for {
		reply, next, err := e.attempt(try)
		switch {
		case err != nil || next == settled:
			return reply, err
		case next == looking:
			e.lookUp()
		case time.Now().After(deadline):
			return event.Block("Still waiting for the previous iteration to end — invoke again"),
				nil
		default:
			time.Sleep(200 * time.Millisecond)
			e.req.Now = e.App.now()
		}
	}
}

func (e *entry) waitSlice() time.Duration {
	if e.Wait > 0 {
		return e.Wait
	}
	return 45 * time.Second
}

// attempt tries once with the state's lock.
func (e *entry) attempt(try func() (event.Reply, step, error)) (reply event.Reply, next step,
	err error) {
	err = e.withStateLock(func() error {
		reply, next, err = try()
		return err
	})
	return reply, next, err
}

// mostTries bounds how often a request is tried again while the state's lock is held.
const mostTries = 8

// settle tries, and tries again after it closed a tick or lost a race for the lock.
func (e *entry) settle() (event.Reply, step, error) {
	for range mostTries {
		reply, next, err := e.try()
		if err != nil || next != again {
			return reply, next, err
		}
	}
	return event.Block("The lock is changing hands right now — invoke again"), settled, nil
}

// try decides by the state on disk, and does what was decided.
func (e *entry) try() (reply event.Reply, next step, err error) {
	if e.state, err = e.load(); err != nil {
		return event.Nothing(), settled, err
	}
	e.req.Scheduled = e.scheduled()
	a, refused := e.otherBudget()
	if !refused {
		a = loop.Admit(e.req, e.standing())
	}
	switch a.Verdict {
	case loop.Already:
		return event.Nothing(), settled, nil
	case loop.CloseFirst:
		return event.Nothing(), again, e.closeFirst()
	case loop.Skip, loop.Wait, loop.AskForce:
		return e.contend(a)
	case loop.Start:
		return e.startSeen(a)
	default:
		reply = e.refuse(a)
	}
	return reply, settled, err
}

// refuse refuses the request.
func (e *entry) refuse(a loop.Admission) event.Reply {
	if e.state.Tick == nil {
		e.release(e.req.Command.Skill) // of a tick that was closed just now
	}
	if e.req.Scheduled {
		a.Text += "\nhint: " + stillFires
	}
	return event.Block(e.withBefore(a.Text))
}

// startSeen starts once everything is looked up that an iteration begins with in this mode.
func (e *entry) startSeen(a loop.Admission) (event.Reply, step, error) {
	if e.seen == nil || e.seen.mode != a.Mode {
		e.seen = &seen{mode: a.Mode}
		return event.Nothing(), looking, nil
	}
	reply, held, err := e.start(a)
	if held && err == nil {
		return event.Nothing(), again, nil
	}
	return reply, settled, err
}

// withBefore adds the iteration that this entry found abandoned to a text.
func (e *entry) withBefore(text string) string {
	return strings.TrimSpace(strings.Join(slices.Concat(e.notes, []string{text, e.before, e.final}),
		"\n"))
}

// closeFirst ends the tick that never reached its end.
func (e *entry) closeFirst() error {
	t := &loopState{e.req.Command.Skill, e.state}
	if t.Budget == nil || t.Budget.RunID != t.Tick.RunID { // of a run with another budget file
		s, err := e.files.FindRun(t.skill, t.Tick.RunID)
		switch {
		case err != nil:
			return err
		case s.Budget == nil: // its run is gone: nothing to count it to
			return e.files.RemoveTick(t.skill)
		case s.Tick == nil: // closed already
			return nil
		}
		t.State = s
	}
	c, err := e.closeAbandoned(t)
	if err != nil {
		return err
	}
	e.before, e.final = report.Status(&c.Line, report.Wake(&c.Run)), ""
	if c.Run.Status != loop.Active {
		e.final = e.finalReport(t)
	} else {
		e.notes = append(e.notes, fmt.Sprintf("Iteration %d never reached its end and is closed "+
			"as %s", c.Line.Iteration, c.Line.Outcome))
	}
	return nil
}

// closeAbandoned ends an iteration that never reached its end.
func (e *entry) closeAbandoned(t *loopState) (*loop.Closing, error) {
	abandoned, k := loop.Abandoned{Turn: e.turn()}, loop.Known{Redact: e.redact}
	for {
		o := loop.Step(t.values(), k, abandoned)
		if o.Need == 0 {
			err := e.write(t, o.Save)
			for _, n := range o.Notify {
				e.notice(t, n)
			}
			return o.Save.Close, err
		}
		if err := e.fetch(t, abandoned, &k, o.Need); err != nil {
			return nil, err
		}
	}
}
