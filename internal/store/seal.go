package store

import (
	"errors"
	"fmt"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Seal makes the store compare the project's files with the records in the user's state directory,
// and update the records with every write. boot returns the id of the machine's current boot, or ""
// if unknown.
//
// During a change, the record holds the old and the new contents of each file. After a crash, each
// file has one of the two; any other contents are from another program.
func (s *Store) Seal(dir seal.Dir, boot func() string) { s.seals, s.boot = dir, boot }

// ChangedError reports that a run's files or its record are not as the program left them.
type ChangedError struct {
	Skill   loop.Skill
	Session string
	Run     string
	Changes []string // shown to people, usually one per changed file
	Home    string   // the other state directory that the files name, if any
}

func (e *ChangedError) Error() string {
	changes := strings.Join(e.Changes, "; ")
	if strings.HasSuffix(changes, nextPrompt) {
		return changes
	}
	return fmt.Sprintf("the files of the %s loop cannot be trusted: %s", e.Skill, changes)
}

// sealed is a run's entry in its session's record.
type sealed struct {
	*seal.Loop
	record *seal.Record
}

// next returns the files as they will be after the change in progress, or as last written if no
// change is in progress.
func (r sealed) next() seal.Files {
	if r.Next != nil {
		return *r.Next
	}
	return r.State
}

// own returns the record if it belongs to this project, and nil otherwise.
func (s *Store) own(r *seal.Record, err error) (*seal.Record, error) {
	if err != nil || r == nil || !r.Adopt(s.project) {
		return nil, err
	}
	return r, nil
}

// sealedRuns returns a skill's runs in the project's records. It skips unreadable records and joins
// their errors.
func (s *Store) sealedRuns(skill loop.Skill) (list []sealed, err error) {
	records, err := s.seals.Of(s.project)
	for _, r := range records {
		if l := r.Loop(string(skill)); l != nil {
			list = append(list, sealed{l, r})
		}
	}
	return list, err
}

// changeRun makes a durable change to a run. It notes the start and the end of the change in the
// run's record. edit sets the new contents of the files, and do writes the files. For a run without
// a record, changeRun only calls do and syncs the folders.
func (s *Store) changeRun(run sealed, edit func(*seal.Files), do func() error) error {
	if run.Loop == nil {
		return errors.Join(do(), s.settle())
	}
	if run.Next != nil { // a crash interrupted the last change
		run.State = s.settled(run)
	}
	next := run.State
	edit(&next)
	run.Next, run.record.Boot = &next, s.boot()
	run.Unlocked = run.Unlocked && run.State.Tick != "" // applies only to the open iteration
	if err := s.seals.Save(run.record); err != nil {
		return err
	}
	err := do()
	if err == nil {
		run.State, run.Next = next, nil
		// if this fails, both the old and the new contents are valid until the next change
		_ = s.seals.Save(run.record)
	}
	return errors.Join(err, s.settle())
}

// seal adds a run to a record with its files' current contents. It replaces the skill's old run.
func (s *Store) seal(r *seal.Record, b *loop.Budget, path string) sealed {
	r.Boot = s.boot()
	r.Drop(string(b.Skill))
	r.Loops = append(r.Loops, seal.Loop{
		Skill: string(b.Skill), RunID: b.RunID, Budget: path, On: b.Status == loop.Active,
	})
	run := sealed{&r.Loops[len(r.Loops)-1], r}
	run.State = s.found(run).files(run)
	run.State.Line = s.newest(run)
	return run
}

// giveUp removes the skill's runs from the records of other sessions, because a skill has only one
// run at a time. It keeps runs waiting for a person's prompt.
func (s *Store) giveUp(b *loop.Budget) error {
	runs, _ := s.sealedRuns(b.Skill) // an unreadable record affects only its own session
	for _, run := range runs {
		if run.record.Session == b.SessionID || run.HeldFor != "" {
			continue
		}
		run.record.Drop(run.Skill)
		if err := s.seals.Save(run.record); err != nil {
			return err
		}
	}
	return nil
}

// unlockSealed records that the program itself removes the lock, so that a missing lock does not
// count as a change.
func (s *Store) unlockSealed(skill loop.Skill, seen *loop.Lock) error {
	if seen == nil || seen.SessionID == "" {
		return nil
	}
	r, err := s.own(s.seals.Find(seen.SessionID))
	if err != nil {
		return nil // no file is compared with an unreadable record
	}
	l := r.Loop(string(skill))
	open := l != nil && (l.State.Tick != "" || l.Next != nil && l.Next.Tick != "")
	if !open || l.Unlocked {
		return nil
	}
	l.Unlocked = true
	return s.seals.Save(r)
}
