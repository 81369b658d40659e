package app

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// alive reports whether a run's client may still continue it.
func alive(b *loop.Budget) bool { return !gone(b) }

// clientLives reports whether the client of a session's last runs may still live.
func (h *handler) clientLives(session string) bool {
	r, _ := h.seals.Find(session)
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
	if err := store.Lift(h.seals, r); err != nil {
		return r, err
	}
	return h.seals.Active(h.ev.SessionID)
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
