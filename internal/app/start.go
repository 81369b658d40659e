package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hooks/internal/brake"
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// begin saves the run, takes the lock and opens the iteration. If another was faster, the request
// is looked at again.
func (e *entry) begin(o *loop.Outcome) (event.Reply, error) {
	in := o.Save.Enter
	if in.Reap != nil {
		err := e.files.Reap(e.skill, in.Reap)
		if o.Again = errors.Is(err, store.ErrLockChanged); o.Again {
			return event.Nothing(), nil
		}
		if err != nil {
			return event.Nothing(), fmt.Errorf("reap lock: %w", err)
		}
	}
	if in.Archive != nil {
		if err := e.files.Archive(e.skill, in.Archive.RunID); err != nil {
			return event.Nothing(), fmt.Errorf("archive run: %w", err)
		}
	}
	if in.Left != nil {
		e.notes = append(e.notes, o.Reply.Note)
		if err := e.files.SaveBudget(in.Left.Path, in.Left.Run); err != nil {
			return event.Nothing(), err
		}
	}
	if err := e.saveFirst(in); err != nil {
		return event.Nothing(), err
	}
	if holder, err := e.files.Acquire(e.skill, in.Lock); err != nil || holder != nil {
		o.Again = holder != nil
		return event.Nothing(), err
	}
	e.State = store.State{Budget: in.Run, BudgetPath: e.asks.Path, Claim: e.Claim}
	reply, err := e.open(in.Opens)
	if err != nil {
		e.undo(in.Run)
	}
	return reply, err
}

// saveFirst saves the run before it has the lock, with its seal. The links of the brake are put in
// place before the switch that turns them on.
func (e *entry) saveFirst(in *loop.Entering) error {
	run, was := in.Run, in.Run.SealedIn
	e.stamp(run)
	if run.SealedIn = e.seals.Path(); !utf8.ValidString(e.project) { // a record could not name it
		run.SealedIn = ""
	}
	armed := e.seals.Path() != "" && brake.Armed(e.Env, e.asks.SessionID)
	in.Opens.Braked = armed && e.dress()
	err := e.files.SaveBudget(e.asks.Path, run)
	if errors.Is(err, seal.ErrUnwritable) && was != run.SealedIn { // it never had a seal here
		e.notes = append(e.notes, "No seal can be written ("+err.Error()+"); "+
			"what is in "+store.Dir+" is believed as it is")
		run.SealedIn = ""
		err = e.files.SaveBudget(e.asks.Path, run)
	}
	return err
}

// undo reverts what a failed entry has saved. Its turn is refused, so its iteration has not begun
// and does not count. If that fails too, the iteration stays counted, and the next event closes
// it.
func (e *entry) undo(run *loop.Budget) {
	if e.files.SaveBudget(e.asks.Path, run) == nil {
		_ = e.files.RemoveTick(e.skill)
	}
	e.release(e.skill)
}

// open steps the iteration that has the lock now.
func (e *entry) open(opens loop.Opens) (event.Reply, error) {
	opens.Notes = slices.Concat(e.notes, opens.Notes)
	opens.Clock = e.clock(e.asks.Now)
	o, err := e.resolve(e.loopState, opens, &e.known)
	if err != nil {
		return event.Nothing(), err
	}
	reply, err := e.carryOut(e.loopState, o)
	if err != nil {
		return event.Nothing(), err
	}
	if o.Reply.Began {
		say := fmt.Sprintf("hooks: loop iteration %d/%d begins, %s left", e.Tick.Iteration,
			e.Budget.Ceilings.Iterations, report.Remaining(e.Budget))
		if e.asks.Flags.Resume && e.Budget.Tasks != nil {
			say = report.Resuming(e.Budget) + "\n" + say
		}
		say = strings.Join(append([]string{say}, e.Tick.Notes...), "\n")
		context := report.Entry(e.Budget, e.Tick)
		switch {
		case e.feeding: // the worker gets the text
			context = ""
		case e.Budget.Tasks != nil, e.Budget.Audit != nil:
			context = lines(report.Ask(e.Tick.Pending), e.taskContext(e.loopState))
		}
		return event.Nothing().Context(context).
			Say(lines(e.before, e.final, say)), nil
	}
	e.final = "" // this one covers it
	text := e.Budget.StopText
	if text == "" {
		text = fmt.Sprintf("Loop paused at gate %s", e.Budget.Pending[0].Name)
	}
	reply = event.Block(e.withBefore(text + "\n" + reply.PersonText()))
	if e.asks.Answers != nil {
		reply = reply.Context("The loop does not begin. End the turn now, and delete its " +
			"schedule with CronDelete, if it has one.")
	}
	return reply, nil
}
