package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/internal/codec"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// sealed is the user's state directory with the session's sealed record.
type sealed struct {
	seal.Dir
	record *seal.Record // as the event found it, nil without one that can be read
	on     bool         // the seal says that a loop of this session is on
}

// findProject finds the event's project. While a loop of the session is on, the seal names it, so
// neither the environment nor the call's folder leads elsewhere.
func (h *handler) findProject() error {
	h.seal.Dir = seal.At(seal.Home(h.Env))
	record, err := h.seal.Active(h.ev.SessionID)
	if err == nil {
		record, err = h.liftHold(record)
	}
	if err == nil && record != nil && h.isOver(record) {
		record.Release()
		err, record = h.seal.Save(record), nil
	}
	h.seal.on, h.seal.record = record != nil || err != nil, record
	if h.project = tracker.Project(h.Env, h.ev.Cwd); record != nil {
		record.Adopt(h.project)
		h.project = record.Project
	}
	return err
}

// isOver reports whether no loop of a record that was found governs the session: a kill left it
// where it was, or a person types whose loops have ended and whose state is gone.
func (h *handler) isOver(r *seal.Record) bool {
	return !r.On() || !r.Runs() && !store.Exists(r.Project) && h.typedPrompt(r)
}

// openState opens the project's state. State that cannot be opened while a loop is on is damage.
func (h *handler) openState() error {
	if h.files != nil {
		return nil
	}
	files, err := store.Open(h.project)
	if errors.Is(err, fs.ErrNotExist) && (h.seal.record.Runs() || h.ev.Name == event.PreToolUse) {
		files, err = store.Create(h.project) // what was in it is written again
	}
	if err != nil && h.seal.on {
		return &store.ChangedError{
			Skill:   h.sealedSkill(),
			Session: h.ev.SessionID,
			Changes: []string{err.Error()},
		}
	}
	if err != nil {
		return err
	}
	files.Seal(h.seal.Dir, proc.Boot)
	h.files = files
	return nil
}

// sealedSkill is the skill of the session's first loop that is on.
func (h *handler) sealedSkill() loop.Skill {
	for _, skill := range loop.Skills() {
		if l := h.seal.record.Loop(string(skill)); l != nil && l.On {
			return skill
		}
	}
	return loop.Skills()[0]
}

// healed are lines about what somebody had changed in the files, once; an entry has them in its
// notes.
func (h *handler) healed() (list []string) {
	if h.files != nil {
		for _, line := range h.files.Healed() {
			list = append(list, "hooks: "+line)
		}
	}
	return list
}

// sayOnce reports that a run's record was lost, the first time that a turn of its session
// ends.
func (h *handler) sayOnce(changed *store.ChangedError, text string) event.Reply {
	reply := event.Nothing().
		Say("hooks lets this turn end; merges, dispatch and schedules stay shut\n" + text)
	record, err := h.seal.Find(changed.Session)
	if err != nil { // the record itself is damaged: nothing can note that it was said
		return reply
	}
	l := record.Loop(string(changed.Skill))
	switch {
	case l == nil:
		return reply
	case l.Told:
		return event.Nothing()
	}
	l.Told = true
	_ = h.seal.Save(record) // else it is said again
	return reply
}

// archiveLost archives a run whose budget file a person deleted, to begin a fresh one (R111).
func (e *entry) archiveLost() error {
	lost, err := e.files.Lost(e.Skill, e.asks.Path)
	if err != nil || lost.Budget == nil {
		return err
	}
	e.State = lost
	asks, run := e.asks, lost.Budget.RunID
	asks.Scheduled = e.isScheduled()
	if !asks.Discards(e.values(), gone(lost.Budget)) {
		return nil
	}
	if err := e.files.Archive(e.Skill, run); err != nil {
		return fmt.Errorf("archive run: %w", err)
	}
	e.notes = append(e.notes, fmt.Sprintf("The budget file was deleted, so a fresh run begins; "+
		"run %s is in %s/archive/%s", run, store.Dir, run))
	return nil
}

// takesOver makes room for the run that lies here instead of the recorded one, because another
// state directory wrote it, or makes a run of its own of another project's copy.
func (e *entry) takesOver(err error) bool {
	changed, isChanged := errors.AsType[*store.ChangedError](err)
	copied, isCopy := errors.AsType[*store.CopyError](err)
	var note string
	switch {
	case isCopy:
		id := e.asks.RunID + "-copy" // a fresh run has the id itself
		note = fmt.Sprintf("This folder holds a copy of run %s of %s, which is run %s from here "+
			"on", copied.Run, copied.Project, id)
		err = e.files.Fork(e.Skill, e.asks.Path, id)
	case isChanged && changed.Home != "":
		note = "Run " + changed.Run + " has ended here: " + changed.Changes[len(changed.Changes)-1]
		err = e.files.Yield(e.Skill, e.asks.Path)
	default:
		return false
	}
	if err == nil {
		e.notes = append(e.notes, note)
	}
	e.slip(err)
	return err == nil
}

// alive reports whether a run's client may still continue it.
func alive(b *loop.Budget) bool { return !gone(b) }

// clientLives reports whether the client of a session's last runs may still live.
func (h *handler) clientLives(session string) bool {
	r, _ := h.seal.Find(session)
	return r != nil && slices.ContainsFunc(r.Loops, func(l seal.Loop) bool {
		var b loop.Budget
		err := codec.Decode(gjson.Parse(l.State.Budget), &b)
		return err == nil && b.Owner.PID != 0 && alive(&b)
	})
}

// archive puts a run into the archive. A session whose client is alive stays shut until its
// person's next prompt.
func (h *handler) archive(skill loop.Skill, run string) error {
	err := h.files.Hold(skill, run, alive)
	if err == nil {
		err = h.files.Archive(skill, run)
	}
	if err != nil {
		return fmt.Errorf("archive run: %w", err)
	}
	return nil
}

// liftHold releases a session that was reset or accepted from a terminal, once a person types in
// it, because no process that the model starts can do that.
func (h *handler) liftHold(r *seal.Record) (*seal.Record, error) {
	if !r.Held() || !h.typedPrompt(r) {
		return r, nil
	}
	if err := store.Lift(h.seal.Dir, r); err != nil {
		return r, err
	}
	return h.seal.Active(h.ev.SessionID)
}

// typedPrompt reports whether the event is a prompt that a person types: it comes over the client's
// own socket, and is neither a task's notification nor a prompt that a schedule fires.
func (h *handler) typedPrompt(r *seal.Record) bool {
	prompts := []string{event.UserPromptSubmit, event.UserPromptExpansion}
	_, wakes := h.ev.Wakeup()
	if !slices.Contains(prompts, h.ev.Name) || h.ev.InSubagent() || wakes ||
		h.sender(true) >= loop.SenderClient {
		return false
	}
	for _, b := range store.HeldBudgets(r) {
		if h.checkEventFrom(b.EventsFrom) != nil || slices.Contains(b.Scheduled, h.ev.Prompt) {
			return false
		}
	}
	return true
}

// Events come the way their run's entry came: over a socket that the client itself made.
// docs/security.md has the argument, in "Where events come from".

// from is the process over whose socket this event came; nil where that is not known.
func (h *handler) from() *loop.Process {
	if h.caller == nil { // a person's command
		return nil
	}
	return h.caller()
}

// clientSocket is the caller where it is the client itself, so that later events can be held
// against it. A wrapper of the person's own that feeds the program is another process each time.
func (h *handler) clientSocket(owner loop.Process) *loop.Process {
	if from := h.from(); from != nil && from.PID == owner.PID {
		return from
	}
	return nil
}

// checkEventFrom refuses an event that came from somebody else than the run's client. With an error
// the event decides nothing: an entry is refused, a call that could do harm is held back, and
// nothing is written.
func (h *handler) checkEventFrom(client *loop.Process) error {
	if client == nil || h.ev.Name == "" {
		return nil // not known how events come, or a person's command and no event
	}
	from := h.from()
	switch {
	case from != nil && from.PID == client.PID && from.Start == client.Start:
		return nil
	case proc.Of(*client) == loop.Alive:
	case from != nil: // its client is gone: the session was taken up again by another one
		return nil
	}
	return hint.New(
		"a person may close that client, or use `hooks loop stop` and then `hooks loop reset`",
		"this %s did not come from the client of the loop (process %d), so it decides nothing",
		h.ev.Name, client.PID)
}

// checkSender is believe for what this session has of a loop.
func (h *handler) checkSender(t *loopState) error {
	if t.Budget != nil {
		if err := h.checkEventFrom(t.Budget.EventsFrom); err != nil {
			return err
		}
	}
	if t.Claim != nil {
		return h.checkEventFrom(t.Claim.EventsFrom)
	}
	return nil
}

// mayEnter refuses a request that comes from inside of another loop of this project: from a script
// that plays the client, or from a client that a tool call started.
func (h *handler) mayEnter(owner loop.Process) error {
	for _, skill := range loop.Skills() {
		s, err := h.files.LoadRun(skill)
		if err != nil || s.Budget == nil {
			continue // the entry itself reports damage
		}
		b := s.Budget
		known := b.EventsFrom != nil && proc.Of(*b.EventsFrom) == loop.Alive
		if b.SessionID == h.ev.SessionID || known && h.from() == nil {
			if err := h.checkEventFrom(b.EventsFrom); err != nil {
				return err
			}
		}
		from := h.from()
		other := owner.PID != b.Owner.PID ||
			known && (from == nil || from.PID != b.EventsFrom.PID)
		if other && h.inside(b.Owner) {
			return hint.New("a person starts it in a terminal of their own",
				"a client inside of the %s loop's own (process %d) begins no loop here",
				skill, b.Owner.PID)
		}
	}
	return nil
}

// inside reports whether this process was started by a run's client.
func (a *App) inside(client loop.Process) bool {
	if a.Inside != nil {
		return a.Inside(client)
	}
	return proc.Inside(client)
}

// sessionStarted makes the process that took up a session the one whose events are believed, where
// the earlier one is gone. A script in a tool call cannot get there: while its client lives, only
// that client is believed.
func (h *handler) sessionStarted() (event.Reply, error) {
	if h.ev.Source == "startup" || h.ev.Source == "resume" {
		if _, err := h.step(loop.ClientStart{Turn: h.turn()}); err != nil {
			return event.Nothing(), err
		}
	}
	list, err := h.sessionRuns() // for the receipt too
	from := h.from()
	moved := func(t *loopState) bool {
		return t.Budget != nil && t.Budget.EventsFrom != nil && *t.Budget.EventsFrom != *from
	}
	if err != nil || from == nil || !slices.ContainsFunc(list, moved) {
		return event.Nothing(), err
	}
	return event.Nothing(), h.withRuns(func(list []*loopState) error {
		for _, t := range only(list, moved) {
			t.Budget.EventsFrom = from
			if err := h.write(t, loop.Save{Run: t.Budget}); err != nil {
				return err
			}
		}
		return nil
	})
}

// receive records in a run of this session that the event reached the program. Whatever saves the
// run saves the record too.
func (h *handler) receive(b *loop.Budget) {
	if b != nil && b.Status == loop.Active && b.SessionID == h.ev.SessionID {
		h.news = h.stamp(b) || h.news
	}
}

func (h *handler) stamp(b *loop.Budget) (news bool) {
	word := event.WordOf(h.ev.Name)
	// a person's command is no event
	return word != "" && b.Receive(h.ev.SessionID, word, h.now, program)
}

// program is the running binary.
func program() loop.Program {
	p := proc.Self()
	p.Version = gjson.Get(plugin.Manifest, "version").String()
	return p
}

// receiptTime bounds the wait for a receipt, which must not delay the answer.
const receiptTime = 200 * time.Millisecond

// keepReceipt saves the record that no save of this event included: once a session and kind of
// event. A failure is left to the next event.
func (h *handler) keepReceipt() {
	if !h.news {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), receiptTime)
	defer cancel()
	tx, err := h.files.Begin(ctx)
	if err != nil {
		return
	}
	defer tx.End()
	for _, skill := range loop.Skills() {
		s, err := h.files.LoadSealed(h.ev.SessionID, skill) // saving an edit would seal it
		if err != nil || s.Budget == nil {
			continue
		}
		h.news = false
		if h.receive(s.Budget); h.news {
			_, _ = tx.Commit(&s, loop.Save{Run: s.Budget})
		}
	}
}
