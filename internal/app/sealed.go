package app

import (
	"errors"
	"fmt"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// findProject finds the event's project. While a loop of the session is on, the seal names it, so
// neither the environment nor the call's folder leads elsewhere.
func (h *handler) findProject() error {
	h.seals = seal.At(seal.Home(h.Env))
	record, err := h.seals.Active(h.ev.SessionID)
	if err == nil {
		record, err = h.liftHold(record)
	}
	if err == nil && record != nil && h.isOver(record) {
		record.Release()
		err, record = h.seals.Save(record), nil
	}
	h.sealed, h.witness = record != nil || err != nil, record
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

// openState opens the project's state and compares it with the seal. State that cannot be opened
// while a loop is on is damage, like any other change.
func (h *handler) openState() error {
	files, err := store.Open(h.project)
	if err != nil && h.sealed {
		return &store.ChangedError{
			Skill:   h.sealedSkill(),
			Session: h.ev.SessionID,
			Changes: []string{err.Error()},
		}
	}
	if err != nil {
		return err
	}
	files.Seal(h.seals, proc.Boot)
	h.files = files
	return nil
}

// sealedSkill is the skill of the session's first loop that is on.
func (h *handler) sealedSkill() loop.Skill {
	for _, skill := range loop.Skills() {
		if l := h.witness.Loop(string(skill)); l != nil && l.On {
			return skill
		}
	}
	return loop.Skills()[0]
}

// sayOnce reports that a run's files were changed, the first time that a turn of its session
// ends.
func (h *handler) sayOnce(changed *store.ChangedError, text string) event.Reply {
	reply := event.Nothing().
		Say("hooks lets this turn end; merges, dispatch and schedules stay shut\n" + text)
	record, err := h.seals.Find(changed.Session)
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
	_ = h.seals.Save(record) // else it is said again
	return reply
}

// loadChanged handles a request whose run's files are not as they were written.
func (e *entry) loadChanged(changed *store.ChangedError) (store.State, error) {
	skill, path := e.Skill, e.asks.Path
	sealed, lost, err := e.files.Sealed(skill, path)
	if err != nil || sealed.Budget == nil {
		return store.State{}, errors.Join(changed, err)
	}
	e.State = sealed
	asks := e.asks
	asks.Scheduled = e.isScheduled()
	switch run := sealed.Budget.RunID; asks.Mend(e.values(), lost, gone(sealed.Budget)) {
	case loop.StaysShut:
		return store.State{}, changed
	case loop.Restores:
		if err := e.files.Restore(skill, path); err != nil {
			return store.State{}, err
		}
		e.notes = append(e.notes,
			"The budget file was gone or empty; it is restored as hooks wrote it last")
	case loop.Discards:
		if err := e.files.Archive(skill, run); err != nil {
			return store.State{}, fmt.Errorf("archive run: %w", err)
		}
		e.notes = append(e.notes, fmt.Sprintf("The files of run %s were removed or changed; "+
			"what hooks wrote of it is in %s/archive/%s", run, store.Dir, run))
	}
	return e.tx.RecoverFrom(skill, path)
}
