package app

import (
	"errors"
	"fmt"
	"io/fs"

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

// openState opens the project's state. State that cannot be opened while a loop is on is damage.
func (h *handler) openState() error {
	if h.files != nil {
		return nil
	}
	files, err := store.Open(h.project)
	if errors.Is(err, fs.ErrNotExist) && (h.witness.Runs() || h.ev.Name == event.PreToolUse) {
		files, err = store.Create(h.project) // what was in it is written again
	}
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
