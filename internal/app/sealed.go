package app

import (
	"errors"
	"fmt"
	"slices"

	"hooks/internal/brake"
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
	h.sealed, h.witness = record != nil || err != nil, record
	if h.project = tracker.Project(h.Env, h.ev.Cwd); record != nil {
		h.project = record.Project
	}
	return err
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

// releaseEnded releases the session's runs that have ended before this turn began.
func (h *handler) releaseEnded(list []*loopState) error {
	if h.ev.PromptID == "" || h.ev.InSubagent() {
		return nil
	}
	return h.rest(only(list, func(t *loopState) bool {
		return t.ended() && t.Tick == nil && !slices.Contains(t.Budget.LastPrompts, h.ev.PromptID)
	}))
}

func (t *loopState) ended() bool { return t.Budget != nil && t.Budget.Status != loop.Active }

// rest releases runs that have ended.
func (h *handler) rest(ended []*loopState) error {
	if !h.sealed || len(ended) == 0 {
		return nil
	}
	return h.withStateLock(func() error {
		err := h.files.Rest(h.ev.SessionID, func(skill loop.Skill) bool {
			return slices.ContainsFunc(ended, func(t *loopState) bool { return t.Skill == skill })
		})
		if record, rerr := h.seals.Active(h.ev.SessionID); record == nil && rerr == nil {
			// No one meets the links any more: the switch that turns them on is off.
			_ = brake.Undress(h.seals.Path(), h.ev.SessionID)
		}
		return err
	})
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
		e.notes = append(e.notes, "The budget file was gone; it is restored as hooks wrote it last")
	case loop.Discards:
		if err := e.files.Archive(skill, run); err != nil {
			return store.State{}, fmt.Errorf("archive run: %w", err)
		}
		e.notes = append(e.notes, fmt.Sprintf("The files of run %s were removed or changed; "+
			"what hooks wrote of it is in %s/archive/%s", run, store.Dir, run))
	}
	return e.tx.RecoverFrom(skill, path)
}
