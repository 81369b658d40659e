package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"hooks/internal/brake"
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// begin saves the run, takes the lock and opens the iteration. If another was faster, the request
// is looked at again.
func (e *entry) begin(o *loop.Outcome) (event.Reply, error) {
	in := o.Save.Enter
	if in.Reap != nil {
		err := e.files.Reap(e.Skill, in.Reap)
		if o.Again = errors.Is(err, store.ErrLockChanged); o.Again {
			return event.Nothing(), nil
		}
		if err != nil {
			return event.Nothing(), fmt.Errorf("reap lock: %w", err)
		}
	}
	if in.Archive != nil {
		if err := e.files.Archive(e.Skill, in.Archive.RunID); err != nil {
			return event.Nothing(), fmt.Errorf("archive run: %w", err)
		}
	}
	if in.Left != nil {
		e.notes = append(e.notes, o.Reply.Note)
		left := store.State{Skill: e.Skill, BudgetPath: in.Left.Path}
		if _, err := e.tx.Commit(&left, loop.Save{Run: in.Left.Run}); err != nil {
			return event.Nothing(), err
		}
	}
	if err := e.saveFirst(in); err != nil {
		return event.Nothing(), err
	}
	if holder, err := e.files.Acquire(e.Skill, in.Lock); err != nil || holder != nil {
		o.Again = holder != nil
		return event.Nothing(), err
	}
	reply, err := e.open(in.Opens)
	if err != nil { // the turn is refused: its iteration has not begun, and does not count
		_, _ = e.tx.Commit(&e.State, loop.Save{Run: in.Run, DropTick: true})
		e.release(e.Skill) // where that failed too, the next event closes it
	}
	return reply, err
}

// saveFirst saves the run before it has the lock, with its seal. The links of the brake are put in
// place before the switch that turns them on.
func (e *entry) saveFirst(in *loop.Entering) error {
	run, was := in.Run, in.Run.SealedIn
	e.stamp(run)
	if run.SealedIn = e.seal.Path(); !utf8.ValidString(e.project) { // a record could not name it
		run.SealedIn = ""
	}
	armed := e.seal.Path() != "" && brake.Armed(e.Env, e.asks.SessionID)
	if in.Opens.Braked = armed && e.dress(); in.Opens.Braked {
		brake.Sweep(e.seal.Path(), e.clientLives)
	}
	e.State = store.State{Skill: e.Skill, BudgetPath: e.asks.Path, Claim: e.Claim}
	_, err := e.tx.Commit(&e.State, loop.Save{Run: run})
	if errors.Is(err, seal.ErrUnwritable) && was != run.SealedIn { // it never had a seal here
		run.SealedIn, in.Opens.Braked = "", false
		_, err = e.tx.Commit(&e.State, loop.Save{Run: run})
	}
	return err
}

// unguarded returns which of seal and brake the session lacks, why, and how to get it; "" if it has
// both.
func (e *entry) unguarded() string {
	const restart = "start the client again"
	switch home := e.seal.Path(); {
	case e.Tick.Braked:
		return ""
	case home == "":
		return "no seal and no brake: HOME is not set; set it and " + restart
	case e.Budget.SealedIn == "":
		return "no seal and no brake: nothing can be kept in " + home + "; make it writable and " +
			restart
	case runtime.GOOS == "windows":
		return "no brake on Windows: protect the branch at its forge"
	}
	return "no brake: this session began without the hooks; " + restart
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
		run := e.runNow(e.loopState)
		say := fmt.Sprintf("hooks: loop iteration %d/%d begins, %s left", e.Tick.Iteration,
			run.Ceilings.Iterations, report.Remaining(run))
		if run.Drive() == loop.DriveStop && e.asks.Attended {
			say += "; Esc ends it, also with a worker in the background"
		}
		if why := e.unguarded(); why != "" {
			say += "; " + why
		}
		if e.asks.Flags.Resume && e.Budget.Tasks != nil {
			say = report.Resuming(e.Budget) + "\n" + say
		}
		say = strings.Join(append([]string{say}, e.Tick.Notes...), "\n")
		say = lines(say, report.Goal(usage.Goal(e.asks.Transcript)))
		context := report.Entry(run, e.Tick)
		switch {
		case e.feeding: // the worker gets the text, and the last block told the person the rest
			context, say = "", strings.Join(e.Tick.Notes, "\n")
		case e.Budget.Drive() != "":
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

// entry is one request on its way in.
type entry struct {
	*handler
	*loopState
	asks   loop.Invocation
	known  loop.Known
	origin string   // who started the turn, where the transcript says it
	notes  []string // of what had to be cleared away first
	before string   // status block of an iteration that was found abandoned
	final  string   // and the final report, where that ended its run
}

// request is the invocation of a looping skill in this event's session.
func (h *handler) request(cmd loop.Command, flags loop.Flags) *entry {
	start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
	owner := proc.Owner()
	e := &entry{handler: h, origin: start.Origin,
		loopState: &loopState{store.State{Skill: cmd.Skill}}}
	e.asks = loop.Invocation{
		DontAsk: h.ev.PermissionMode == "dontAsk",
		Request: loop.Request{
			Now: h.now, SessionID: h.ev.SessionID, PromptID: h.ev.PromptID,
			Transcript: h.ev.Transcript, Owner: owner,
			Command: cmd, Flags: flags, RunID: h.runID(), Attended: h.attended(),
			UnderLoop: start.UnderLoop, Platform: runtime.GOOS, Gated: h.seal.record.Shut(),
			Model:      h.ev.Name == event.PreToolUse && !loop.Typed(start.Prompt, cmd, flags),
			EventsFrom: h.clientSocket(owner),
			Path:       cmp.Or(flags.BudgetFile, store.DefaultBudgetPath(cmd.Skill)), // R12
			Config:     h.config(nil).Text(),
			Prices:     usage.NewTable(h.config(nil).Rates).Source(),
			Tracker:    new(forge.Bind(context.Background(), h.question(nil))),
		},
	}
	return e
}
