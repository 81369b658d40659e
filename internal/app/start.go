package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// start takes the lock and opens the iteration. held reports that another was faster and the
// request has to be looked at again.
func (e *entry) start(a loop.Admission) (reply event.Reply, held bool, err error) {
	skill := e.req.Command.Skill
	if a.Reap && e.state.Lock != nil {
		if held, err := e.reap(); held || err != nil {
			return event.Nothing(), held, err
		}
	}
	run, previous, err := e.identity(a.Mode)
	if err != nil {
		return event.Nothing(), false, err
	}
	lock := loop.Lock{
		Iteration: run.IterationsUsed + 1, StartedAt: e.req.Now, Skill: skill,
		SessionID: e.req.SessionID,
		RunID:     run.RunID, Process: e.req.Owner,
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

// reap removes a stale lock. held reports that another process has it by now.
func (e *entry) reap() (held bool, err error) {
	err = e.files.Reap(e.req.Command.Skill, e.state.Lock)
	if errors.Is(err, store.ErrLockChanged) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("reap lock: %w", err)
	}
	return false, nil
}

// identity saves the run that the tick belongs to, and returns it with the last iteration in
// which it worked.
func (e *entry) identity(mode loop.Mode) (run loop.Budget, previous *loop.Iteration, err error) {
	if mode == loop.FreshRun {
		run, err = e.fresh()
	} else {
		run, previous, err = e.goOn(mode)
	}
	if err != nil {
		return run, nil, err
	}
	if err := e.leaveOther(&run); err != nil {
		return run, nil, err
	}
	e.stamp(&run)
	was := run.SealedIn
	if run.SealedIn = e.seals.Path(); !utf8.ValidString(e.project) { // a record could not name it
		run.SealedIn = ""
	}
	e.dressFirst()
	err = e.files.SaveBudget(e.path, &run)
	if errors.Is(err, seal.ErrUnwritable) && was != run.SealedIn { // it never had a seal here
		e.notes = append(e.notes, "No seal can be written ("+err.Error()+"); "+
			"what is in "+store.Dir+" is believed as it is")
		run.SealedIn = ""
		err = e.files.SaveBudget(e.path, &run)
	}
	return run, previous, err
}

// leaveOther releases the session's run with another budget file, because a record holds one run
// of a skill. That run is resumed as another session's is.
func (e *entry) leaveOther(run *loop.Budget) error {
	s, err := e.files.LoadSealed(e.req.SessionID, run.Skill)
	b := s.Budget
	if err != nil || b == nil || b.RunID == run.RunID {
		return nil // what is wrong with the other one keeps nobody from this one
	}
	if b.SessionID != e.req.SessionID || s.BudgetPath == e.path {
		return nil
	}
	b.OwnerLeft, b.SealedIn = true, ""
	note := fmt.Sprintf("The run %s in %s is left as it is; "+
		"its command with --resume goes on with it", b.RunID, s.BudgetPath)
	e.notes = append(e.notes, note)
	return e.files.SaveBudget(s.BudgetPath, b)
}

// fresh archives an earlier run and returns a new one.
func (e *entry) fresh() (loop.Budget, error) {
	if old := e.state.Budget; old != nil {
		if err := e.files.Archive(e.req.Command.Skill, old.RunID); err != nil {
			return loop.Budget{}, fmt.Errorf("archive run: %w", err)
		}
	}
	run := e.newRun()
	run.Cursors = e.baseline()
	return run, nil
}

// newRun is the run that the request would start, with where its prices come from (R61).
func (e *entry) newRun() loop.Budget {
	run := loop.NewRun(e.req)
	run.RateTableSource = usage.NewTable(e.config().Rates).Source()
	return run
}

// goOn is the run on disk at its next tick, or resumed.
func (e *entry) goOn(mode loop.Mode) (loop.Budget, *loop.Iteration, error) {
	old := e.state.Budget
	previous, err := e.previous(e.req.Command.Skill, old)
	if err != nil {
		return loop.Budget{}, nil, err
	}
	run := loop.Proceed(*old, e.req)
	if mode == loop.ResumeRun {
		run = loop.Resume(loop.Latest(*old, previous), e.req)
	}
	// another session's transcript holds nothing of this run yet
	if old.SessionID != e.req.SessionID {
		run.Cursors = e.baseline()
	}
	return run, previous, nil
}

// baseline starts the count at the prompt that invoked the loop, so that earlier spending is not
// charged to it. If the prompt is not in the transcript yet, everything that is there is older.
func (e *entry) baseline() []loop.Cursor {
	from := int64(-1)
	if start, found := usage.PromptStart(e.req.Transcript, e.req.PromptID); found {
		from = start.Offset
	}
	return usage.Baseline(e.req.Transcript, from)
}

// begin opens the iteration, with the lock in hand.
func (e *entry) begin(a loop.Admission, run loop.Budget, previous *loop.Iteration) (event.Reply,
	error) {
	t, err := e.opened(a, run, previous)
	if err != nil {
		return event.Nothing(), err
	}
	if c := e.state.Claim; c != nil {
		if err := e.dropClaim(c); err != nil {
			return event.Nothing(), err
		}
	}
	if len(t.Tick.Fired) > 0 || len(t.Tick.Pending) > 0 && !e.req.Attended {
		return e.refuseOpened(t)
	}
	if err := e.files.SaveTick(t.Tick); err != nil {
		return event.Nothing(), err
	}
	if err := e.files.SaveBudget(e.path, t.Budget); err != nil {
		return event.Nothing(), err
	}
	say := fmt.Sprintf("hooks: loop iteration %d/%d begins, %s left", t.Tick.Iteration,
		t.Budget.Ceilings.Iterations, report.Remaining(t.Budget))
	say = strings.Join(append([]string{say}, t.Tick.Notes...), "\n")
	context := report.Entry(t.Budget, t.Tick)
	if t.Budget.Tasks != nil {
		context = lines(report.Ask(t.Tick.Pending), e.taskContext(t))
	}
	if e.feeding { // the worker gets the text
		context = ""
	}
	return event.Nothing().Context(context).Say(lines(e.before, e.final,
		say)), nil
}

// opened is the iteration that begins. Nothing of it is on disk yet.
func (e *entry) opened(
	a loop.Admission, run loop.Budget, previous *loop.Iteration,
) (*loopState, error) {
	facts := e.seen.facts
	if facts.Asked != nil && facts.Asked.Backlog != nil {
		var err error
		if facts.Snapshot, err = e.files.Snapshot(&run, previous, true); err != nil {
			return nil, err
		}
	}
	facts.Notes = slices.Concat(e.notes, a.Notes, facts.Notes)
	run.Observe(e.clock(e.req.Now))
	tick := loop.Open(&run, previous, e.req, facts)
	tick.Braked = e.braked
	if e.forced != nil {
		tick.Answered = append(tick.Answered, *e.forced)
	}
	t := &loopState{skill: e.req.Command.Skill, State: e.state}
	t.Budget, t.Tick, t.BudgetPath = &run, &tick, e.path
	return t, nil
}

// undo reverts what a failed entry has saved. Its turn is refused, so its iteration has not begun
// and does not count. If that fails too, the iteration stays counted, and the next event closes
// it.
func (e *entry) undo(skill loop.Skill, run *loop.Budget) {
	if e.files.SaveBudget(e.path, run) == nil {
		_ = e.files.RemoveTick(skill)
	}
}

// refuseOpened ends an iteration whose body never began, because a condition holds at its entry,
// or a gate waits in a headless session.
func (e *entry) refuseOpened(t *loopState) (event.Reply, error) {
	turn := e.turn()
	turn.Now = e.req.Now
	barred := e.ev.PermissionMode == "dontAsk"
	ended, err := e.decide(t, loop.Unbegun{Turn: turn, DontAsk: barred}, loop.Known{})
	if err != nil {
		return event.Nothing(), err
	}
	e.final = "" // this one covers it
	text := t.Budget.StopText
	if text == "" {
		text = fmt.Sprintf("Loop paused at gate %s", t.Budget.Pending[0].Name)
	}
	return event.Block(e.withBefore(text + "\n" + ended.PersonText())), nil
}
