package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/tidwall/gjson"

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
	if err == nil && record.Held() && h.typedPrompt(record) {
		// Reset from a terminal: no process that the model starts can type a prompt.
		if err = store.Lift(h.seal.Dir, record); err == nil {
			record, err = h.seal.Active(h.ev.SessionID)
		}
	}
	// A kill left it there, or a person types whose loops have ended and whose state is gone.
	if err == nil && record != nil && (!record.On() ||
		!record.Runs() && !store.Exists(record.Project) && h.typedPrompt(record)) {
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

// sessionStarted accepts events from the process that took up a session, if the earlier process is
// gone. A script in a tool call cannot get there: while its client lives, only that client is
// believed.
func (h *handler) sessionStarted() (event.Reply, error) {
	if h.ev.Source == "startup" || h.ev.Source == "resume" {
		if _, err := h.step(loop.ClientStart{Turn: h.turn()}); err != nil {
			return event.Nothing(), err
		}
	}
	list, err := h.sessionRuns() // for the receipt too
	from := h.from()
	moved := func(t *store.State) bool {
		return t.Budget != nil && t.Budget.EventsFrom != nil && *t.Budget.EventsFrom != *from
	}
	if err != nil || from == nil || !slices.ContainsFunc(list, moved) {
		return event.Nothing(), err
	}
	return event.Nothing(), h.withRuns(func(list []*store.State) error {
		for _, t := range only(list, moved) {
			t.Budget.EventsFrom = from
			if err := h.write(t, loop.Save{Run: t.Budget}); err != nil {
				return err
			}
		}
		return nil
	})
}

// receiptTime bounds the wait for a receipt, which must not delay the answer.
const receiptTime = 200 * time.Millisecond

// keepReceipt saves the record that no save of this event included: once a session and kind of
// event. A failure is left to the next event.
func (h *handler) keepReceipt() {
	if !h.runs.news {
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
		if h.receive(s.Budget) {
			_, _ = tx.Commit(&s, loop.Save{Run: s.Budget})
		}
	}
}
