package app

import (
	"fmt"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// holder is the run that the lock names, where the asker's budget file is another one's; nil where it is not known.
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

// skip passes over a tick that found the lock held (R46).
func (e *entry) skip(a loop.Admission) (event.Reply, error) {
	block, err := e.skipped(a)
	return event.Block(a.Text + "\n" + block), err
}

// skipped writes the line of a tick that is passed over and gives its status block (R128).
func (e *entry) skipped(a loop.Admission, asked ...loop.GateAnswer) (string, error) {
	run := e.newRun()
	if e.state.Budget != nil {
		run = *e.state.Budget
	}
	last, err := e.files.Last(e.req.Command.Skill, func(l *loop.Iteration) bool {
		return l.Ran() && l.Of(run.RunID)
	})
	if err != nil {
		return "", err
	}
	line := loop.SkipLine(run, last, e.req, a)
	line.Gates = append(line.Gates, asked...)
	if err := e.appendLine(&line); err != nil {
		return "", err
	}
	return report.Status(&line, "when the schedule fires again"), nil
}

// wait notes since when this session waits; past max_minutes the wall-clock budget stops it (R47).
func (e *entry) wait(a loop.Admission) (event.Reply, step, error) {
	old := e.state.Claim
	c, since := old.Wait(e.req, a.Iteration)
	if old == nil || old.SessionID != c.SessionID || old.Gate != c.Gate || old.Stopped != c.Stopped || len(old.Waiters) != len(c.Waiters) {
		if err := e.files.SaveClaim(&c); err != nil {
			return event.Nothing(), settled, err
		}
	}
	minutes := int(e.req.Now.Sub(since) / time.Minute)
	if minutes < e.req.Flags.Minutes {
		return event.Nothing(), waiting, nil
	}
	own := old.By(e.req, a.Iteration)
	reply, err := e.giveUp(a, &own, minutes)
	return reply, settled, err
}

// giveUp records that the wait for the lock used up the run's minutes. The run on disk is another session's and stays
// as it is.
func (e *entry) giveUp(a loop.Admission, c *loop.Claim, minutes int) (event.Reply, error) {
	run := e.newRun()
	run.Status, run.StopCause, run.MinutesElapsed = loop.Halted, "wall_clock_budget", minutes
	run.StopText = fmt.Sprintf("Wall-clock budget reached: %d / %d minutes, waiting for pid %d", minutes, e.req.Flags.Minutes, a.PID)
	c.StopText = run.StopCause + " — " + run.StopText
	final, err := e.neverBegan(a, c, &run)
	return event.Block(final), err
}

// neverBegan records the end of a loop that found the lock held and is not to take it, and gives its final report. What its
// schedule still brings is refused by the claim.
func (e *entry) neverBegan(a loop.Admission, c *loop.Claim, run *loop.Budget, asked ...loop.GateAnswer) (string, error) {
	line := loop.SkipLine(*run, nil, e.req, a)
	line.Outcome, line.Fired, line.Notes = loop.Stopped, []string{run.StopCause}, nil
	line.Gates = append(line.Gates, asked...)
	if err := e.appendLine(&line); err != nil {
		return "", err
	}
	c.Gate, c.Stopped, c.Blocked = nil, true, false
	if err := e.files.SaveClaim(c); err != nil {
		return "", err
	}
	e.notice(loop.Notice{Run: run})
	ended := report.Ended{Budget: "none: this loop never began", History: store.HistoryPath(run.Skill)}
	for _, g := range asked {
		ended.Asked = append(ended.Asked, report.Asked{Iteration: a.Iteration, GateAnswer: g})
	}
	return report.Status(&line, "Loop ended") + "\n\n" + report.Final(run, ended), nil
}

// askForce puts the question before another's lock is taken. Without a person there is no answer, so the tick is
// skipped (R103, R104).
func (e *entry) askForce(a loop.Admission) (event.Reply, error) {
	if !e.req.Attended {
		a.Text = loop.ContentionNote(a.Iteration, a.PID)
		a.Notes = append(a.Notes, "Nobody is there to answer the force-unlock gate")
		return e.skip(a)
	}
	gate := loop.AskForceUnlock()
	c := e.state.Claim.By(e.req, a.Iteration)
	c.Gate = &gate
	if err := e.files.SaveClaim(&c); err != nil {
		return event.Nothing(), err
	}
	ask := report.Ask([]loop.Gate{gate})
	return event.Nothing().Context(ask).Say(fmt.Sprintf("hooks: the lock is held by pid %d; asking whether to force it", a.PID)), nil
}

// dropClaim takes what this session claimed away, and leaves what others do.
func (h *handler) dropClaim(c *loop.Claim) error {
	if left := c.Left(h.ev.SessionID); left != nil {
		return h.files.SaveClaim(left)
	}
	return h.files.RemoveClaim(c.Skill)
}
