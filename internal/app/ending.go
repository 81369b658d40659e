package app

import (
	"fmt"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// ending counts what was spent; it is called under the guard, so that no token is counted twice. An error says that it
// could not be counted, which a note says too.
func (v *visit) ending(t *thread, o surroundings) (loop.Ending, error) {
	spent, notes, err := v.countedAll(t)
	if !v.foreign(t) { // what the clocks did after a client's death is no matter of the run
		t.Budget.Observe(v.clock(v.now))
	}
	if t.Budget.Seq == 0 {
		notes = append(notes, v.onceNotes()...)
	}
	t.Tick.Notes = loop.AppendNew(t.Tick.Notes, notes...)
	if spent.Past(t.Budget) {
		spent.By = usage.Named(v.transcript(t), spent.By)
	}
	e := loop.Ending{Now: v.now, Spent: spent, Heads: o.heads, Worktrees: o.worktrees}
	if t.Tick.Interrupted != "" && t.Tick.Body {
		e.Branches, e.Remote = v.begun(t, o)
	}
	return e, err
}

// closed is an iteration that has ended on disk, and what a person is told of it.
type closed struct {
	loop.Closing
	status string // its status block
	final  string // the final report, where the run does not go on
}

// text is everything that a person is told.
func (c *closed) text() string {
	if c.final == "" {
		return c.status
	}
	return c.status + "\n\n" + c.final
}

// close ends the iteration on disk, then says what is told of it. The lock is released by the caller, after the reply.
func (v *visit) close(t *thread, previous *loop.Iteration, ending loop.Ending) (closed, error) {
	c, err := v.commit(t, previous, ending)
	if err != nil {
		return closed{}, err
	}
	t.Budget = &c.Run
	e := closed{Closing: c, status: report.Status(&c.Line, report.Wake(&c.Run))}
	if c.Run.Status != loop.Active {
		v.stopped(&c.Run)
		e.final = v.finalReport(t)
	}
	return e, nil
}

// commit ends the iteration on disk: the history line, which is the commit point, then its copy in the budget, then
// the tick goes.
func (v *visit) commit(t *thread, previous *loop.Iteration, ending loop.Ending) (loop.Closing, error) {
	c := loop.Close(*t.Budget, *t.Tick, previous, ending)
	c.Line.Redact(v.config().Redact)
	c.Run = c.Line.Budget
	created, err := v.files.Commit(&c.Line, t.BudgetPath, &c.Run)
	if created {
		c.Line.Notes = append(c.Line.Notes, createdNote(t.skill))
	}
	return c, err
}

// appendLine writes a line that closes no iteration.
func (v *visit) appendLine(l *loop.Iteration) error {
	l.Redact(v.config().Redact)
	created, err := v.files.AppendHistory(l)
	if created {
		l.Notes = append(l.Notes, createdNote(l.Skill))
	}
	return err
}

// createdNote tells a person once what the history may hold (R123, R126).
func createdNote(skill loop.Skill) string {
	return fmt.Sprintf("Created %s — this file may contain sensitive content (issue bodies, user answers). "+
		"It is gitignored. Do not upload to external telemetry.", store.HistoryPath(skill))
}
