package app

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// alive reports whether a run's client may still continue it.
func alive(b *loop.Budget) bool { return !gone(b) }

// archive puts a run into the archive. A session whose client is alive stays shut until its
// person's next prompt.
func (v *visit) archive(skill loop.Skill, run string) error {
	err := v.files.Hold(skill, run, alive)
	if err == nil {
		err = v.files.Archive(skill, run)
	}
	if err != nil {
		return fmt.Errorf("archive run: %w", err)
	}
	return nil
}

// liftHold releases a session that was reset or accepted from a terminal, once a person types in
// it, because no process that the model starts can do that.
func (v *visit) liftHold(r *seal.Record) (*seal.Record, error) {
	if !r.Held() || !v.typedPrompt(r) {
		return r, nil
	}
	if err := store.Lift(v.seals, r); err != nil {
		return r, err
	}
	return v.seals.Active(v.ev.SessionID)
}

// typedPrompt reports whether the event is a prompt that a person types: it comes over the client's
// own socket, and is neither a task's notification nor a prompt that a schedule fires.
func (v *visit) typedPrompt(r *seal.Record) bool {
	prompts := []string{event.UserPromptSubmit, event.UserPromptExpansion}
	if !slices.Contains(prompts, v.ev.Name) || v.ev.InSubagent() ||
		strings.HasPrefix(v.ev.Prompt, "<task-notification>") ||
		usage.ScheduledFire(v.ev.Transcript, v.ev.Prompt) {
		return false
	}
	for _, b := range store.HeldBudgets(r) {
		if v.believe(b.EventsFrom) != nil || slices.Contains(b.Scheduled, v.ev.Prompt) {
			return false
		}
	}
	return true
}
