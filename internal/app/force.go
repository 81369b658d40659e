package app

import (
	"fmt"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// missedForce takes that answer from the transcript, for a client in which PostToolUse is not registered.
func (v *visit) missedForce() (event.Reply, error) {
	r, err := usage.Count(v.ev.Transcript, nil, usage.NewTable(nil), usage.Options{})
	if err != nil || len(r.Answers) == 0 {
		return event.Nothing(), nil
	}
	return v.decided(func(list []*thread) (event.Reply, error) {
		for _, t := range list {
			for _, a := range r.Answers {
				if !t.forcing() || !slices.ContainsFunc(t.Claim.Dialogs, func(d loop.Dialog) bool { return d.ID == a.ToolUseID }) {
					continue
				}
				if reply, err := v.forceAnswered(t, a.ToolUseID, event.ParseAnswers(a.Result)); err != nil || !reply.Empty() {
					return reply, err
				}
			}
		}
		return event.Nothing(), nil
	})
}

// forceAnswered acts on the answer to the force-unlock gate: only yes takes the lock, and the tick begins here (R104).
func (v *visit) forceAnswered(t *thread, id string, given event.Answers) (event.Reply, error) {
	c := t.Claim
	i := slices.IndexFunc(given.List, func(a event.Answer) bool { return a.Question == c.Gate.Question && a.Unanswered == "" })
	forged := slices.ContainsFunc(c.Dialogs, func(d loop.Dialog) bool { return d.ID == id && d.Forged })
	if i < 0 || given.AFK || forged {
		return event.Nothing(), nil
	}
	return v.forced(t, loop.GateAnswer{Name: c.Gate.Name, Question: c.Gate.Question, Answer: given.List[i].Text, At: v.now}, c.Gate.Act(given.List[i].Text))
}

// forced does what the person said of another iteration's lock. It runs under the guard.
func (v *visit) forced(t *thread, answer loop.GateAnswer, act string) (event.Reply, error) {
	c := t.Claim
	cmd, _ := loop.ParseCommand(c.Command, c.Args)
	flags, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return event.Nothing(), err
	}
	e := v.request(cmd, flags)
	if e.state, err = e.load(); err != nil {
		return event.Nothing(), err
	}
	switch act {
	case "yes":
		return e.takeLock(answer)
	case "stop":
		return e.stopForce(answer)
	}
	return e.refuseForce(answer)
}

// takeLock removes the lock that was asked about, ends what its iteration left open, and begins.
func (e *entry) takeLock(answer loop.GateAnswer) (event.Reply, error) {
	skill := e.req.Command.Skill
	lock := e.state.Lock
	if lock != nil {
		if err := e.files.Reap(skill, lock); err != nil {
			return event.Nothing(), fmt.Errorf("force lock: %w", err)
		}
		e.notes = append(e.notes, fmt.Sprintf("Force-unlocked previous iteration (was pid %d) — proceeding", lock.PID))
	}
	if e.state.Tick != nil && e.state.Budget != nil {
		if err := e.closeFirst(); err != nil {
			return event.Nothing(), err
		}
	}
	var err error
	if e.state, err = e.load(); err != nil {
		return event.Nothing(), err
	}
	a := loop.Identify(e.req, e.standing())
	if a.Verdict != loop.Start {
		return event.Nothing().Context(a.Text + ". End the turn now."), nil
	}
	reply, held, err := e.start(a)
	switch {
	case err != nil:
		return event.Nothing(), err
	case held:
		return event.Nothing().Context("Another iteration took the lock first. End the turn; the next tick tries again."), nil
	}
	return reply, e.recordForce(answer)
}

// recordForce puts the answer among the gates of the iteration that it opened.
func (e *entry) recordForce(answer loop.GateAnswer) error {
	s, err := e.files.Load(e.req.Command.Skill)
	if err != nil || s.Tick == nil {
		return err
	}
	s.Tick.Answered = append(s.Tick.Answered, answer)
	return e.files.SaveTick(s.Tick)
}

// asked is the contention that the claim's question is about.
func (e *entry) asked() loop.Admission {
	a := loop.Admission{Iteration: e.state.Claim.Iteration}
	if l := e.state.Lock; l != nil {
		a.PID = l.PID
	}
	a.Text = loop.ContentionNote(a.Iteration, a.PID)
	return a
}

// stopForce leaves the lock alone, and the loop that asked is over (R49, R150).
func (e *entry) stopForce(answer loop.GateAnswer) (event.Reply, error) {
	c, run := e.state.Claim, loop.NewRun(e.req)
	run.StopAt(*c.Gate, c.Iteration)
	final, err := e.neverBegan(e.asked(), c, &run, answer)
	text := run.StopText + ". End the turn now and delete its schedule with CronDelete, if it has one."
	return event.Nothing().Context(text).Say(final), err
}

// refuseForce leaves the lock alone and skips the tick.
func (e *entry) refuseForce(answer loop.GateAnswer) (event.Reply, error) {
	c, a := e.state.Claim, e.asked()
	block, err := e.skipped(a, answer)
	if err != nil {
		return event.Nothing(), err
	}
	c.Gate = nil
	if err := e.files.SaveClaim(c); err != nil {
		return event.Nothing(), err
	}
	return event.Nothing().Context(a.Text + ". End the turn now; the next tick tries again.").Say(block), nil
}
