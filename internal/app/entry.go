package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hooks/internal/brake"
	"hooks/internal/config"
	"hooks/internal/english"
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/notify"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// entry is one request to begin an iteration.
type entry struct {
	*handler
	*store.State
	asks   loop.Invocation
	known  loop.Known
	origin string   // origin of the turn, if the transcript shows it
	fired  bool     // the turn has no origin, but the transcript shows that a schedule fired
	notes  []string // notes about problems resolved beforehand
	before string   // status block of an abandoned iteration
	final  string   // final report, if the abandoned iteration ended the run
}

// request builds the invocation of a looping skill from this event.
func (h *handler) request(cmd loop.Command, flags loop.Flags) *entry {
	start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
	owner, from := proc.Owner(), h.from()
	// If a person's own wrapper starts the hooks, the caller is a new process for each event.
	if from != nil && from.PID != owner.PID {
		from = nil
	}
	e := &entry{handler: h, origin: start.Origin, State: &store.State{Skill: cmd.Skill}}
	e.fired = e.origin == "" && h.ev.Prompt != "" &&
		usage.Sender(h.ev.Transcript, h.ev.Prompt) == loop.SenderSchedule
	e.asks = loop.Invocation{
		DontAsk: h.ev.PermissionMode == "dontAsk",
		Request: loop.Request{
			Now: h.now, SessionID: h.ev.SessionID, PromptID: h.ev.PromptID,
			Transcript: h.ev.Transcript, Owner: owner,
			Command: cmd, Flags: flags, RunID: h.RunID(), Attended: h.turn().Attended,
			UnderLoop: start.UnderLoop, Platform: runtime.GOOS, Gated: h.seal.record.Shut(),
			Model: h.ev.Name == event.PreToolUse &&
				!loop.SameCommand(start.Prompt, cmd, flags),
			EventsFrom: from,
			Path:       cmp.Or(flags.BudgetFile, store.DefaultBudgetPath(cmd.Skill)), // R12
		},
	}
	return e
}

// decided tries until the request is decided or e.Wait has passed. It holds the state lock while it
// reads and changes state, but not while it waits for another iteration or for the tracker.
func (e *entry) decided() (event.Reply, error) {
	deadline := time.Now().Add(e.Wait)
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
			e.asks.Now = e.Now()
		}
	}
}

// maxTries bounds how often try repeats while it holds the state lock.
const maxTries = 8

// try loads the state, steps the request and carries out the outcome. It tries again after it
// closed an iteration or lost a race for the loop's lock.
func (e *entry) try() (reply event.Reply, o loop.Outcome, err error) {
	for range maxTries {
		if err = e.load(); err != nil {
			return reply, o, err
		}
		o, err = e.settle(e.State, e.asks, &e.known, true)
		switch {
		case err != nil || o.Need != nil:
		case o.Save.Enter != nil:
			reply, err = e.begin(&o)
		default:
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

// carry carries out an outcome that begins no iteration.
func (e *entry) carry(o *loop.Outcome) (event.Reply, error) {
	if o.Reply.Refuse != "" {
		o.Reply.Refuse = e.withBefore(o.Reply.Refuse)
	}
	if l := o.Save.Line; l != nil && l.Budget.RateTableSource == "" { // there is no run (R61)
		l.Budget.RateTableSource = usage.NewTable(e.config(nil).Rates).Source
	}
	reply, err := e.carryOut(e.State, *o)
	if err == nil && o.Reply.Note != "" {
		e.notes = append(e.notes, o.Reply.Note)
	}
	if err == nil && o.Abandon {
		err = e.closeFirst()
	}
	return reply, err
}

// withBefore adds the notes, and the abandoned iteration's status and final report, to text.
func (e *entry) withBefore(text string) string {
	return paragraphs(append(slices.Clone(e.notes), text, e.before, e.final)...)
}

// closeFirst closes an iteration that never reached its end.
func (e *entry) closeFirst() error {
	t := e.State
	if t.Budget == nil || t.Budget.RunID != t.Tick.RunID { // the run has another budget file
		s, err := e.tx.Recover(t.Skill)
		if err != nil {
			return err
		}
		if s.Budget == nil || s.Budget.RunID != t.Tick.RunID {
			s.Budget, s.Tick = nil, t.Tick
		}
		t = &s
	}
	o, err := e.settle(t, loop.Abandoned{Turn: e.turn()}, &loop.Known{}, true)
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
	e.before, e.final = report.Status(c, report.Wake(&c.Budget)), ""
	if c.Budget.Status != loop.Active {
		e.final = e.finalReport(t)
	} else {
		e.notes = append(e.notes, fmt.Sprintf("Iteration %d never reached its end and was closed "+
			"as %s", c.Iteration, c.Outcome))
	}
	return nil
}

// load reads the state for the request's budget file. It drops all fetched facts except the entry
// facts.
func (e *entry) load() error {
	s, err := e.tx.RecoverFrom(e.Skill, e.asks.Path)
	again := err != nil && e.asks.Typed() && e.takesOver(err)
	if s.Restored {
		again, err = e.archiveDeleted(&s)
	}
	if again {
		s, err = e.tx.RecoverFrom(e.Skill, e.asks.Path)
	}
	e.notes = append(e.notes, e.files.Healed()...)
	if b := s.Budget; err == nil && b != nil && e.asks.NeedsSeal(b, proc.Of(b.Owner)) {
		err = s.Unrecorded
	}
	other, oerr := e.files.Other(e.Skill, e.asks.Path)
	if err = errors.Join(err, oerr); other.Run != nil {
		e.asks.Other, e.asks.OtherIs = other, proc.Of(other.Run.Owner)
	}
	// Without a budget file, resume the run from the last line in the history.
	if err == nil && s.Budget == nil && other.Run == nil && e.asks.Flags.Resume {
		var last *loop.Iteration
		if last, err = e.files.Last(e.Skill, (*loop.Iteration).Ran); last != nil {
			s.Budget, err = e.files.BudgetOf(last)
		}
	}
	if e.State = &s; e.asks.Answers == nil { // answers show that a person is present
		e.asks.Scheduled = e.asks.FromSchedule(e.Values(), e.origin, e.fired)
	}
	e.known = loop.Known{Entry: e.known.Entry}
	return err
}

// archiveDeleted archives a run if a person deleted its budget file and a fresh run may begin
// (R111). It reports whether it archived the run.
func (e *entry) archiveDeleted(s *store.State) (archived bool, err error) {
	e.State = s
	asks, run := e.asks, s.Budget.RunID
	asks.Scheduled = asks.FromSchedule(e.Values(), e.origin, e.fired)
	if !asks.Discards(e.Values(), !alive(s.Budget)) {
		return false, nil
	}
	if err := e.files.Archive(e.Skill, run); err != nil {
		return false, fmt.Errorf("archive run: %w", err)
	}
	_ = e.files.Healed() // the note below is more detailed
	e.notes = append(e.notes, fmt.Sprintf("The budget file was deleted, so a fresh run begins; "+
		"run %s is in %s/archive/%s", run, store.Dir, run))
	return true, nil
}

// takesOver resolves a conflict over the run on disk and reports whether it did so. A run written
// by another state directory replaces the recorded run; a copy of another project's run becomes a
// separate run.
func (e *entry) takesOver(err error) bool {
	changed, isChanged := errors.AsType[*store.ChangedError](err)
	copied, isCopy := errors.AsType[*store.CopyError](err)
	var note string
	switch {
	case isCopy:
		id := e.asks.RunID + "-copy" // RunID itself is for a fresh run
		note = fmt.Sprintf("This folder holds a copy of run %s of %s; the copy is now run %s",
			copied.Run, copied.Project, id)
		err = e.files.Fork(e.Skill, e.asks.Path, id)
	case isChanged && changed.Home != "":
		last := changed.Changes[len(changed.Changes)-1]
		note = "Run " + changed.Run + " has ended here, because " + last
		err = e.files.Yield(e.Skill, e.asks.Path)
	default:
		return false
	}
	if err == nil {
		e.notes = append(e.notes, note)
	}
	e.sideError(err)
	return err == nil
}

// lookUp fetches the facts at the start of an iteration, without the state lock. On a resume it
// checks the recorded PRs and worktrees (R135–R144). Before a review it fetches the branch heads,
// which show whether anything has landed (R82).
func (e *entry) lookUp() {
	mode := e.known.Mode
	fresh := mode == loop.FreshRun
	var previous *loop.Iteration
	if !fresh && e.Budget != nil {
		// Ignore the error, because the entry reads the history again and returns it.
		previous, _ = e.files.Last(e.Skill, e.Budget.Worked)
	}
	f := loop.EntryFacts{Mode: mode}
	if fresh || e.asks.Rereads() {
		c, person := e.config(nil), notify.Person{Env: e.Env, Project: e.project}
		e.asks.Config, e.asks.Ask = c.Text(), person.Ask().Print
		e.asks.Prices = usage.NewTable(c.Rates).Source
	}
	var tracks sync.WaitGroup
	at := e.State
	if fresh {
		at = nil // a fresh run uses the current configuration
	}
	e.config(at) // fill the cache before goroutines share it
	var now loop.Tracker
	tracks.Go(func() { f.Asked, f.Edges, f.Unheard, now = e.ask(at, previous) })
	f.Worktrees, _ = tracker.Worktrees(e.ctx, e.project)
	resumed := previous != nil && mode == loop.ResumeRun
	if resumed || previous != nil && loop.KindOf(e.Skill).Reviews {
		f.Heads = e.heads(e.State, branchesOf(previous.Open()))
	}
	if e.asks.Flags.Idle > 0 || e.Budget != nil && e.Budget.MaxIdle > 0 {
		f.Trail = e.trail(f.Worktrees)
	}
	if loop.KindOf(e.Skill).Run.Of != nil {
		root := e.root(e.State)
		if own := e.asks.Own; own != nil {
			root = cmp.Or(own.Attempts().Root, root)
		}
		e.attemptFacts(at, &f, root, &e.asks.Request)
		if !fresh && e.Budget != nil {
			f.Dropped = dropped(root, loop.State{Run: e.Budget}.Tip())
		}
	}
	tracks.Wait()
	e.asks.Tracker = &now
	if resumed {
		f.Reattach(previous)
		f.Notes = append(f.Notes,
			tracker.CheckWorktrees(e.project, previous.Worktrees, f.Worktrees)...)
	}
	e.known.Entry.Value = &f
}

// ask asks the tracker for the facts at the start of an iteration. now is the project's current
// tracker. If the tracker fails, ask adds a note that the skill's report is used instead. It adds
// no note if the project has no known tracker.
func (e *entry) ask(at *store.State, previous *loop.Iteration) (
	asked *loop.Asked, edges [][2]int, notes []string, now loop.Tracker,
) {
	q := e.question(at)
	if e.asks.Rereads() {
		q.Config = e.config(nil)
	}
	switch {
	case loop.KindOf(e.Skill).Backlog:
		q.Backlog, q.Scope = true, backlog.ParseScope(e.asks.Flags.Rest)
	case e.asks.Flags.PR > 0:
		q.PR = e.asks.Flags.PR
	default:
		q.PRs = true
	}
	// An entry that waited for the lock has less of the hook's timeout left. The hook for a
	// dialog's result has a short timeout.
	most := 55 * time.Second
	if e.ev.Name == event.PostToolUse {
		most = 6 * time.Second
	}
	ctx, cancel := context.WithDeadline(context.Background(), e.began.Add(most))
	defer cancel()
	a := forge.Ask(ctx, q)
	f, _ := errors.AsType[*forge.Failure](a.Err)
	if f != nil && f.Why == forge.Unconfigured && q.Config.Tracker == (config.Tracker{}) {
		return nil, nil, nil, a.Now
	}
	if a.Err != nil {
		a.Notes = append(a.Notes, "The skill's report supplies what the tracker did not report")
	}
	if more := len(a.Notes) - maxNotes; more > 0 {
		a.Notes = append(slices.Clone(a.Notes[:maxNotes]), fmt.Sprintf(
			"tracker: %s; run `hooks backlog` to see all", english.Plural(more, "more note")))
	}
	return storedAnswer(&a, previous), a.Edges, a.Notes, a.Now
}

// maxNotes bounds how many notes about the tracker's answer a person sees.
const maxNotes = 4

// storedAnswer returns the part of a tracker's answer that the iteration stores, or nil if that
// part is empty. Every tool call reads it, so if there are several PRs, it contains only those from
// the previous iteration.
func storedAnswer(a *forge.Answer, previous *loop.Iteration) *loop.Asked {
	r := a.Report()
	asked := &loop.Asked{Backlog: r.Backlog}
	for i, pr := range r.PRs {
		if len(r.PRs) != 1 && previous.PR(pr.Number) == nil {
			continue
		}
		asked.PRs = append(asked.PRs, pr)
		if a.PRs[i].Elsewhere {
			asked.InForks = append(asked.InForks, pr.Number)
		}
	}
	for _, i := range r.Issues {
		if title := []rune(i.Title); len(title) > 0 && len(asked.Titles) < maxTitles {
			asked.Titles = append(asked.Titles,
				loop.Issue{Number: i.Number, Title: string(title[:min(len(title), maxTitle)])})
		}
		if i.Criteria == backlog.CriteriaMissing || i.Criteria == backlog.CriteriaTBD {
			asked.Ambiguous = append(asked.Ambiguous,
				loop.Issue{Number: i.Number, Criteria: i.Criteria})
		}
	}
	if asked.Backlog == nil && asked.PRs == nil && asked.Ambiguous == nil {
		return nil
	}
	return asked
}

// maxTitles bounds the number of issue titles that an iteration stores, and maxTitle the length of
// each in characters.
const (
	maxTitles = 6
	maxTitle  = 60
)

// begin saves a fresh or resumed run, takes the loop's lock and opens the iteration. If another
// session took the lock first, begin sets o.Again.
func (e *entry) begin(o *loop.Outcome) (event.Reply, error) {
	in := o.Save.Enter
	if in.Reap != nil {
		err := e.files.Reap(e.Skill, in.Reap)
		if o.Again = errors.Is(err, store.ErrLockChanged); o.Again {
			return event.Reply{}, nil
		}
		if err != nil {
			return event.Reply{}, fmt.Errorf("reap lock: %w", err)
		}
	}
	if in.Archive != nil {
		if err := e.files.Archive(e.Skill, in.Archive.RunID); err != nil {
			return event.Reply{}, fmt.Errorf("archive run: %w", err)
		}
	}
	e.equip(in)
	e.State = &store.State{
		Skill: e.Skill, BudgetPath: e.asks.Path, Claim: e.Claim, Budget: in.Run,
	}
	if in.Opens.Mode != loop.NextTick { // the run must be on disk before its lock and its tick
		if _, err := e.tx.Commit(e.State, loop.Save{Run: in.Run}); err != nil {
			return event.Reply{}, err
		}
	}
	if holder, err := e.files.Acquire(e.Skill, in.Lock); err != nil || holder != nil {
		o.Again = holder != nil
		return event.Reply{}, err
	}
	reply, err := e.open(in.Opens)
	if err != nil { // the iteration has not begun and does not count
		_, _ = e.tx.Commit(e.State, loop.Save{Run: in.Run, DropTick: true})
		e.release(e.Skill) // if this fails too, the next event closes the iteration
	}
	return reply, err
}

// equip prepares the seal of a run and the brake links, before the commit that activates them.
func (e *entry) equip(in *loop.Entering) {
	run, home := in.Run, e.seal.Path()
	run.Boot = proc.Boot()
	e.receive(run)
	if run.SealedIn != home {
		// Do not seal the run if no record can be written, or none can store the project's path.
		if run.SealedIn = home; !utf8.ValidString(e.project) || e.seal.Probe() != nil {
			run.SealedIn = ""
			return
		}
	}
	armed := home != "" && brake.Armed(e.Env, e.asks.SessionID)
	if in.Opens.Braked = armed && e.dress(); in.Opens.Braked {
		brake.Sweep(home, e.clientLives)
	}
}

// unguarded describes the protection that the session lacks without a brake, with the cause and the
// remedy.
func (e *entry) unguarded() string {
	const unchecked = "programs are not checked as they start"
	switch {
	case e.Budget.SealedIn == "":
		return fmt.Sprintf(unchecked+", and changes to the loop's files are not detected, because "+
			"nothing can be stored in %s; fix this and start the client again",
			cmp.Or(e.seal.Path(), "HOME, which is not set"))
	case runtime.GOOS == "windows":
		return unchecked + " on Windows; protect the branch on the forge"
	}
	return unchecked + ", because this session began without the hooks; restart the client"
}

// open opens the iteration once its lock has been taken, and formats the reply.
func (e *entry) open(opens loop.Opens) (event.Reply, error) {
	opens.Notes = slices.Concat(e.notes, opens.Notes)
	o, err := e.settle(e.State, opens, &e.known, true)
	if err != nil {
		return event.Reply{}, err
	}
	reply, err := e.carryOut(e.State, o)
	if err != nil {
		return event.Reply{}, err
	}
	if o.Reply.Began {
		// All spending so far has already been counted.
		run := e.Budget.Now(e.Tick, loop.Spent{}, true, e.now)
		say := fmt.Sprintf("hooks: loop iteration %d/%d begins, %s left", e.Tick.Iteration,
			run.Ceilings.Iterations, report.Remaining(run))
		if given := run.Policy.Words(); given != "" {
			say += "; answered in advance: " + given
		}
		if run.Own != nil && run.Conducted() && e.asks.Attended {
			say += "; Esc ends it, even with a worker in the background"
		}
		if !e.Tick.Braked {
			say += "; " + e.unguarded()
		}
		if e.asks.Flags.Resume && run.Attempts().Publishes {
			say = run.Attempts().Resuming() + "\n" + say
		}
		say = strings.Join(append([]string{say}, e.Tick.Notes...), "\n")
		text := report.Entry(run, e.Tick)
		switch {
		case e.feeding: // the worker gets the text; the person has already seen the rest
			text, say = "", strings.Join(e.Tick.Notes, "\n")
		case e.Budget.Own != nil && e.Budget.Drive() != "":
			if text = e.taskContext(e.State); len(e.Tick.Pending) > 0 {
				text = report.Ask(e.Tick.Pending)
			}
		}
		return event.Reply{}.Context(text).Say(e.before).Say(e.final).Say(say), nil
	}
	e.final = "" // reply.Said includes the final report
	text := e.Budget.StopText
	if text == "" {
		text = fmt.Sprintf("Loop paused at gate %s", e.Budget.Pending[0].Name)
	}
	reply = event.Block(e.withBefore(text + "\n" + reply.Said))
	if e.asks.Answers != nil {
		reply = reply.Context("The loop does not begin. If it is scheduled, delete the " +
			"schedule with CronDelete, then end the turn.")
	}
	return reply, nil
}
