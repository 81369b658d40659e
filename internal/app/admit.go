package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// settle tries until the request is settled. The state's lock is held while the state is read and
// changed, never while waiting for another iteration or for the tracker.
func (e *entry) settle() (event.Reply, error) {
	deadline := time.Now().Add(cmp.Or(e.Wait, 45*time.Second))
	for {
		var reply event.Reply
		var o loop.Outcome
		err := e.withStateLock(func() (err error) {
			reply, o, err = e.try()
			return err
		})
		switch {
		case err != nil:
			return reply, err
		case o.Need != nil:
			e.lookUp()
		case !o.Wait:
			return reply, nil
		case time.Now().After(deadline):
			return event.Block("Still waiting for the previous iteration to end — invoke again"),
				nil
		default:
			time.Sleep(200 * time.Millisecond)
			e.asks.Now = e.App.now()
		}
	}
}

// maxTries bounds how often a request is tried again while the state's lock is held.
const maxTries = 8

// try steps by the state on disk, again after it closed a tick or lost a race for the lock, and
// carries the outcome out.
func (e *entry) try() (reply event.Reply, o loop.Outcome, err error) {
	for range maxTries {
		if err = e.load(); err != nil {
			return reply, o, err
		}
		o, err = e.resolve(e.loopState, e.asks, &e.known)
		if err == nil && o.Need == nil {
			reply, err = e.carry(&o)
		}
		if err != nil || !o.Again {
			return reply, o, err
		}
		e.asks.Cleared = e.asks.Answers != nil
	}
	text := "The lock is changing hands right now — invoke again"
	return event.Block(text), loop.Outcome{}, nil
}

// carry carries the outcome of a try out.
func (e *entry) carry(o *loop.Outcome) (event.Reply, error) {
	if o.Save.Enter != nil {
		return e.begin(o)
	}
	if o.Reply.Fires {
		o.Reply.Refuse += "\nhint: " + stillFires
	}
	if o.Reply.Refuse != "" {
		o.Reply.Refuse = e.withBefore(o.Reply.Refuse)
	}
	reply, err := e.carryOut(e.loopState, *o)
	if err == nil && o.Reply.Note != "" {
		e.notes = append(e.notes, o.Reply.Note)
	}
	if err == nil && o.Abandon {
		err = e.closeFirst()
	}
	return reply, err
}

// withBefore adds the iteration that this entry found abandoned to a text.
func (e *entry) withBefore(text string) string {
	return strings.TrimSpace(strings.Join(slices.Concat(e.notes, []string{text, e.before, e.final}),
		"\n"))
}

// closeFirst ends the tick that never reached its end.
func (e *entry) closeFirst() error {
	t := &loopState{e.State}
	if t.Budget == nil || t.Budget.RunID != t.Tick.RunID { // of a run with another budget file
		s, err := e.tx.Find(t.Skill, t.Tick.RunID)
		if err != nil {
			return err
		}
		if s.Budget == nil {
			s.Tick = t.Tick
		}
		t.State = s
	}
	o, err := e.resolve(t, loop.Abandoned{Turn: e.turn()}, &loop.Known{})
	if err == nil {
		err = e.write(t, o.Save)
	}
	c := o.Save.Close
	if err != nil || c == nil {
		return err
	}
	for _, n := range o.Notify {
		e.notice(t, n)
	}
	e.before, e.final = report.Status(&c.Line, report.Wake(c.Run())), ""
	if c.Run().Status != loop.Active {
		e.final = e.finalReport(t)
	} else {
		e.notes = append(e.notes, fmt.Sprintf("Iteration %d never reached its end and is closed "+
			"as %s", c.Line.Iteration, c.Line.Outcome))
	}
	return nil
}
