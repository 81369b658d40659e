package app

import (
	"errors"
	"fmt"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// start takes the lock and opens the iteration. held says that another was faster and the request is to be looked at
// again.
func (e *entry) start(a loop.Admission) (reply event.Reply, held bool, err error) {
	skill := e.req.Command.Skill
	if a.Reap && e.state.Lock != nil {
		err := e.files.Reap(skill, e.state.Lock)
		if errors.Is(err, store.ErrLockChanged) {
			return event.Nothing(), true, nil
		}
		if err != nil {
			return event.Nothing(), false, fmt.Errorf("reap lock: %w", err)
		}
	}
	run, previous, err := e.identity(a.Mode)
	if err != nil {
		return event.Nothing(), false, err
	}
	lock := loop.Lock{
		Iteration: run.IterationsUsed + 1, StartedAt: e.req.Now, Skill: skill, SessionID: e.req.SessionID,
		RunID: run.RunID, Process: e.req.Owner,
	}
	if holder, err := e.files.Acquire(skill, lock); err != nil || holder != nil {
		return event.Nothing(), holder != nil, err
	}
	reply, err = e.begin(a, run, previous)
	if err != nil {
		e.undo(skill, &run)
		e.release(skill)
	}
	return reply, false, err
}

// identity gives the run that the tick belongs to, on disk where it is new or taken up again, and the last iteration
// in which it worked.
func (e *entry) identity(mode loop.Mode) (loop.Budget, *loop.Iteration, error) {
	skill, old := e.req.Command.Skill, e.state.Budget
	if mode == loop.FreshRun {
		if old != nil {
			if err := e.files.Archive(skill, old.RunID); err != nil {
				return loop.Budget{}, nil, fmt.Errorf("archive run: %w", err)
			}
		}
		run := loop.NewRun(e.req)
		run.Cursors = e.baseline()
		e.stamp(&run)
		run.RateTableSource = usage.NewTable(e.config().Rates).Source()
		return run, nil, e.files.SaveBudget(e.path, &run)
	}
	previous, err := e.previous(skill, old)
	if err != nil {
		return loop.Budget{}, nil, err
	}
	run := loop.Continue(*old, e.req)
	if mode == loop.ResumeRun {
		run = loop.Resume(loop.Latest(*old, previous), e.req)
	}
	if old.SessionID != e.req.SessionID { // another session's transcript holds nothing of this run yet
		run.Cursors = e.baseline()
	}
	e.stamp(&run)
	return run, previous, e.files.SaveBudget(e.path, &run)
}

// baseline starts the count at the prompt that invoked the loop, so that what was spent before is not charged to it.
// Where the prompt is not in the transcript yet, everything that is there is older.
func (e *entry) baseline() []loop.Cursor {
	from := int64(-1)
	if start, found := usage.PromptStart(e.req.Transcript, e.req.PromptID); found {
		from = start.Offset
	}
	return usage.Baseline(e.req.Transcript, from)
}

// previous is the run's last iteration in which work was done.
func (v *visit) previous(skill loop.Skill, run *loop.Budget) (*loop.Iteration, error) {
	return v.files.Last(skill, run.Worked)
}

func (e *entry) begin(a loop.Admission, run loop.Budget, previous *loop.Iteration) (event.Reply, error) {
	skill := e.req.Command.Skill
	if e.seen == nil || e.seen.mode != a.Mode {
		e.seen = &seen{a.Mode, e.entryFacts(a.Mode, previous)}
	}
	facts := e.seen.facts
	facts.Notes = append(append(append([]string{}, e.notes...), a.Notes...), facts.Notes...)
	run.Observe(e.clock(e.req.Now))
	tick := loop.Open(&run, previous, e.req, facts)
	if err := e.files.RemoveClaim(skill); err != nil {
		return event.Nothing(), err
	}
	t := &thread{skill: skill, State: e.state}
	t.Budget, t.Tick, t.BudgetPath = &run, &tick, e.path
	if len(tick.Fired) > 0 || len(tick.Pending) > 0 && !e.req.Attended {
		return e.refuseOpened(t, previous)
	}
	if err := e.files.SaveTick(&tick); err != nil {
		return event.Nothing(), err
	}
	if err := e.files.SaveBudget(e.path, &run); err != nil {
		return event.Nothing(), err
	}
	say := fmt.Sprintf("hooks: loop iteration %d/%d begins, %s left", tick.Iteration, run.Ceilings.Iterations, report.Remaining(&run))
	say = strings.Join(append([]string{say}, tick.Notes...), "\n")
	return event.Nothing().Context(report.Entry(&run, &tick)).Say(lines(e.before, e.final, say)), nil
}

// undo takes back what an entry that failed has saved: its turn is refused, so its iteration has not begun and does not
// count. Where the disk fails that too, the iteration stays as it was counted, and the next event finds and closes it.
func (e *entry) undo(skill loop.Skill, run *loop.Budget) {
	if e.files.SaveBudget(e.path, run) == nil {
		_ = e.files.RemoveTick(skill)
	}
}

// refuseOpened ends an iteration whose body never began: a condition holds at entry, or a gate waits and nobody is
// there.
func (e *entry) refuseOpened(t *thread, previous *loop.Iteration) (event.Reply, error) {
	t.Budget.MinutesElapsed = t.Budget.Minutes(e.req.Now)
	spent, _ := e.spent(t) // since the last iteration: the final report tells all of it
	c, err := e.close(t, previous, loop.Ending{Now: e.req.Now, Spent: spent, Pause: len(t.Tick.Fired) == 0})
	if err != nil {
		return event.Nothing(), err
	}
	e.release(t.skill)
	e.final = "" // this one covers it
	text := c.Run.StopText
	if text == "" {
		text = fmt.Sprintf("Loop paused at gate %s", c.Run.Pending[0].Name)
	}
	return event.Block(e.withBefore(strings.Join(append(c.Line.Notes, text), "\n") + "\n" + c.final)), nil
}

// release drops our lock once the reply is out.
func (v *visit) release(skill loop.Skill) {
	before, session, files := v.after, v.ev.SessionID, v.files
	v.after = func() error {
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		return files.Release(skill, func(l *loop.Lock) bool { return l.SessionID == session })
	}
}

// budgetPath is where --budget-file says that the run's budget lies, relative to the project or absolute (R12).
func budgetPath(skill loop.Skill, f loop.Flags) string {
	if f.BudgetFile == "" {
		return store.DefaultBudgetPath(skill)
	}
	return f.BudgetFile
}
