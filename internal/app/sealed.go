package app

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// sealed holds the user's state directory and the session's sealed record.
type sealed struct {
	seal.Dir
	// the record as the event found it; nil if there is none or it cannot be read
	record *seal.Record
	on     bool // the session has an active loop, or its record cannot be read
}

// findProject finds the event's project. While the session has an active loop, the seal names the
// project, so that the environment and the call's folder cannot redirect it.
func (h *handler) findProject() error {
	h.seal.Dir = seal.At(seal.Home(h.Env))
	record, err := h.seal.Active(h.ev.SessionID)
	if err == nil && record.Held() && h.typedPrompt(record) {
		// A person typed a prompt after a reset in a terminal. The model cannot type a prompt.
		if err = store.Lift(h.seal.Dir, record); err == nil {
			record, err = h.seal.Active(h.ev.SessionID)
		}
	}
	// The record is left over from a kill, or a person types in a session whose loops have ended
	// and lost their state.
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

// openState opens the project's state. While a loop is on, a failure means damage.
func (h *handler) openState() error {
	if h.files != nil {
		return nil
	}
	files, err := store.Open(h.project)
	if errors.Is(err, fs.ErrNotExist) && (h.seal.record.Runs() || h.ev.Name == event.PreToolUse) {
		files, err = store.Create(h.project) // the seal restores its contents
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

// sealedSkill returns the skill of the session's first active loop.
func (h *handler) sealedSkill() loop.Skill {
	for _, skill := range kind.Skills() {
		if l := h.seal.record.Loop(string(skill)); l != nil && l.On {
			return skill
		}
	}
	return kind.Skills()[0]
}

// healed returns notes about changed files that were restored. It returns each note once.
func (h *handler) healed() (list []string) {
	if h.files != nil {
		for _, line := range h.files.Healed() {
			list = append(list, "hooks: "+line)
		}
	}
	return list
}

// sayOnce reports that a run's record was lost, the first time that a turn of its session ends.
func (h *handler) sayOnce(changed *store.ChangedError, text string) event.Reply {
	reply := event.Nothing().
		Say("hooks lets this turn end; merges, dispatch and schedules stay shut\n" + text)
	record, err := h.seal.Find(changed.Session)
	if err != nil { // a damaged record cannot store that this was reported
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
	_ = h.seal.Save(record) // if this fails, the report is repeated
	return reply
}

// clientLives reports whether the client of a session's last runs may still be alive.
func (h *handler) clientLives(session string) bool {
	r, _ := h.seal.Find(session)
	return r != nil && slices.ContainsFunc(r.Loops, func(l seal.Loop) bool {
		var b loop.Budget
		err := codec.Decode(gjson.Parse(l.State.Budget), &b)
		return err == nil && b.Owner.PID != 0 && alive(&b)
	})
}

// typedPrompt reports whether a person typed the event's prompt. The prompt must come over the
// client's own socket and must not be a task's notification or a schedule's prompt.
func (h *handler) typedPrompt(r *seal.Record) bool {
	prompts := []string{event.UserPromptSubmit, event.UserPromptExpansion}
	if !slices.Contains(prompts, h.ev.Name) || h.ev.InSubagent() || h.ev.Wakeup() != nil ||
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

// An event must come the same way as its run's entry: over a socket that the client made. See
// "Where events come from" in docs/security.md.

// mayEnter returns an error for a request from inside another loop of this project, such as a
// script that imitates the client or a client that a tool call started.
func (h *handler) mayEnter(owner loop.Process) error {
	for _, skill := range kind.Skills() {
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

// inside reports whether a run's client started this process.
func (a *App) inside(client loop.Process) bool {
	if a.Inside != nil {
		return a.Inside(client)
	}
	return proc.Inside(client)
}

// sessionStarted accepts events from the process that resumed a session if the earlier process is
// gone. A script in a tool call cannot use this, because its client is still alive.
func (h *handler) sessionStarted() (event.Reply, error) {
	if h.ev.Source == "startup" || h.ev.Source == "resume" {
		if _, err := h.step(loop.ClientStart{Turn: h.turn()}); err != nil {
			return event.Nothing(), err
		}
	}
	list, err := h.sessionRuns() // this also fills the receipt
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

// receiptTime bounds the wait for the state lock, so that a receipt does not delay the answer.
const receiptTime = 200 * time.Millisecond

// keepReceipt saves a new receipt that no other save of this event included. This happens once for
// each session and kind of event. After a failure the next event tries again.
func (h *handler) keepReceipt() {
	ctx, cancel := context.WithTimeout(context.Background(), receiptTime)
	defer cancel()
	tx, err := h.files.Begin(ctx)
	if err != nil {
		return
	}
	defer tx.End()
	for _, skill := range kind.Skills() {
		s, err := h.files.LoadSealed(h.ev.SessionID, skill) // Load would seal an edit
		if err != nil || s.Budget == nil {
			continue
		}
		if h.receive(s.Budget) {
			_, _ = tx.Commit(&s, loop.Save{Run: s.Budget})
		}
	}
}
