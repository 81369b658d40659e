package app

import (
	"fmt"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// holder is the run that the lock names, if that is another budget file's; nil otherwise.
func (e *entry) holder() *loop.Budget {
	lock, run := e.state.Lock, e.state.Budget
	if run != nil && run.RunID == lock.RunID {
		return nil
	}
	s, err := e.files.FindRun(e.req.Command.Skill, lock.RunID)
	if err != nil {
		return nil
	}
	return s.Budget
}

// contend settles a request that another iteration keeps out, or makes it wait.
func (e *entry) contend(a loop.Admission) (event.Reply, step, error) {
	var last *loop.Iteration
	if a.Verdict != loop.Wait { // which looks many times
		var err error
		if last, err = e.lastOf(); err != nil {
			return event.Nothing(), settled, err
		}
	}
	o := loop.Contend(e.req, e.standing(), a, e.newRun(), last)
	reply, err := e.carryOut(&loopState{e.req.Command.Skill, e.state}, o)
	if o.Wait && err == nil {
		return reply, waiting, nil
	}
	return reply, settled, err
}

// lastOf is the last line of the run on disk, or of the one that the request would start.
func (e *entry) lastOf() (*loop.Iteration, error) {
	run := e.newRun()
	if e.state.Budget != nil {
		run = *e.state.Budget
	}
	return e.files.Last(e.req.Command.Skill, func(l *loop.Iteration) bool {
		return l.Ran() && l.Of(run.RunID)
	})
}

// passedOver puts a tick that did not begin into words.
func passedOver(o *loop.PassedOver) event.Reply {
	text := report.Status(o.Line, "when the schedule fires again")
	if o.Run != nil {
		ended := report.Ended{
			Budget: "none: this loop never began", History: store.HistoryPath(o.Run.Skill),
		}
		if o.Answer != nil {
			asked := report.Asked{Iteration: o.Line.Iteration, GateAnswer: *o.Answer}
			ended.Asked = []report.Asked{asked}
		}
		text = report.Status(o.Line, "Loop ended") + "\n\n" + report.Final(o.Run, ended)
	}
	if o.Answer != nil {
		return event.Nothing().Context(o.Text).Say(text)
	}
	return event.Block(lines(o.Text, text))
}

// forceAsked puts the question before another's lock is taken into words.
func forceAsked(a *loop.Admission) event.Reply {
	ask := report.Ask([]loop.Gate{loop.AskForceUnlock()})
	return event.Nothing().Context(ask).
		Say(fmt.Sprintf("hooks: the lock is held by pid %d; asking whether to force it", a.PID))
}

// dropClaim removes the session's claim and keeps others' places in it.
func (h *handler) dropClaim(c *loop.Claim) error {
	if left := c.Left(h.ev.SessionID); left != nil {
		return h.files.SaveClaim(left)
	}
	return h.files.RemoveClaim(c.Skill)
}
