package app

import (
	"fmt"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// forces reports whether a person is asked in this very turn whether it may take another's lock.
func (h *handler) forces(t *loopState) bool {
	return t.forcing() && t.Claim.PromptID == h.ev.PromptID
}

// missedForce takes that answer from the transcript, for a client in which PostToolUse is not
// registered.
func (h *handler) missedForce(list []*loopState) (event.Reply, error) {
	r, err := usage.Count(h.ev.Transcript, nil, usage.NewTable(nil))
	if err != nil {
		return event.Nothing(), nil
	}
	return h.forEachRun(list, func(t *loopState) (event.Reply, error) {
		for _, a := range r.Answers {
			shown := func(d loop.Dialog) bool { return d.ID == a.ToolUseID }
			if !h.forces(t) || t.Claim.Heard || !slices.ContainsFunc(t.Claim.Dialogs, shown) {
				continue
			}
			if reply, err := h.forceAnswered(t, a.ToolUseID,
				event.ParseAnswers(a.Result)); err != nil || !reply.Empty() {
				return reply, err
			}
		}
		return event.Nothing(), nil
	})
}

// forceAnswered acts on the answer to the force-unlock gate. Only yes takes the lock, and the
// tick begins here (R104).
func (h *handler) forceAnswered(t *loopState, id string, given event.Answers) (event.Reply, error) {
	c := t.Claim
	i := slices.IndexFunc(given.List, func(a event.Answer) bool {
		return restored(a.Question, []loop.Gate{*c.Gate}) == c.Gate.Question && a.Unanswered == ""
	})
	forged := slices.ContainsFunc(c.Dialogs, func(d loop.Dialog) bool {
		return d.ID == id && d.Forged
	})
	asked := slices.ContainsFunc(c.Dialogs, func(d loop.Dialog) bool {
		return d.ID == id && d.Shows(c.Gate.Question)
	})
	if i < 0 || given.AFK || forged || !asked {
		return event.Nothing(), nil
	}
	cmd, _ := loop.ParseCommand(c.Command, c.Args)
	flags, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return event.Nothing(), err
	}
	e := h.request(cmd, flags)
	answer := loop.GateAnswer{Name: c.Gate.Name, Question: c.Gate.Question,
		Answer: given.List[i].Text, At: h.now}
	return e.until(func() (event.Reply, step, error) { return e.obey(answer) })
}

// obey does what the person answered about another iteration's lock, once, because the same
// answer may come twice. It runs with the state's lock.
func (e *entry) obey(answer loop.GateAnswer) (reply event.Reply, next step, err error) {
	if e.state, err = e.load(); err != nil {
		return event.Nothing(), settled, err
	}
	c := e.state.Claim
	if c == nil || c.Gate == nil || c.SessionID != e.req.SessionID {
		return event.Nothing(), settled, nil
	}
	if c.Gate.Act(answer.Answer) == "yes" {
		return e.takeLock(answer)
	}
	last, err := e.lastOf()
	if err != nil {
		return event.Nothing(), settled, err
	}
	o := loop.Decline(e.req, e.standing(), e.newRun(), last, answer)
	reply, err = e.carryOut(&loopState{e.req.Command.Skill, e.state}, o)
	return reply, settled, err
}

// takeLock removes the lock that the question was about, ends the iteration behind it, and
// begins. The facts for the beginning are looked up before anything is removed.
func (e *entry) takeLock(answer loop.GateAnswer) (event.Reply, step, error) {
	if e.seen == nil {
		return e.startSeen(loop.Identify(e.req, e.standing()))
	}
	const late = "Another iteration took the lock first. End the turn; the next tick tries again."
	if e.forced != nil && e.state.Lock != nil { // looked up anew, and another was faster
		return event.Nothing().Context(late), settled, nil
	}
	e.forced = &answer
	if err := e.clearAway(); err != nil {
		return event.Nothing(), settled, err
	}
	a := loop.Identify(e.req, e.standing())
	if a.Verdict != loop.Start {
		return event.Nothing().Context(a.Text + ". End the turn now."), settled, nil
	}
	reply, next, err := e.startSeen(a)
	switch {
	case next == again:
		return event.Nothing().Context(late), settled, err
	case reply.Blocks():
		reply = reply.Context("The loop does not begin. End the turn now, and delete its " +
			"schedule with CronDelete, if it has one.")
	}
	return reply, next, err
}

// clearAway removes the lock that a person allowed to be forced, and ends the iteration behind
// it.
func (e *entry) clearAway() (err error) {
	if lock := e.state.Lock; lock != nil {
		if err := e.files.Reap(e.req.Command.Skill, lock); err != nil {
			return fmt.Errorf("force lock: %w", err)
		}
		e.notes = append(e.notes,
			fmt.Sprintf("Force-unlocked previous iteration (was pid %d) — proceeding", lock.PID))
	}
	if e.state.Tick != nil {
		if err := e.closeFirst(); err != nil {
			return err
		}
	}
	e.state, err = e.load()
	return err
}
