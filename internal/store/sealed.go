package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/seal"
)

// LoadSealed loads a skill's state for a session. If the loop governs the session, it uses the
// session's record, and otherwise the project's files. If a file differs from the record, it reads
// again under the guard, so that no write is in progress and the file can be restored.
func (s *Store) LoadSealed(session string, skill loop.Skill) (State, error) {
	st, err := s.load(session, skill, false)
	if _, changed := errors.AsType[*ChangedError](err); !changed || s.guards > 0 {
		return st, err
	}
	err = s.guarded(func() (err error) {
		st, err = s.load(session, skill, false)
		return err
	})
	return st, err
}

// load loads a loop for LoadSealed and Tx.State. If settle is true, it first completes a change
// that a killed hook had committed.
func (s *Store) load(session string, skill loop.Skill, settle bool) (st State, err error) {
	r, err := s.own(s.seals.Active(session))
	run := sealed{r.Loop(string(skill)), r}
	switch {
	case err != nil:
		return State{Skill: skill, BudgetPath: DefaultBudgetPath(skill)}, err
	case run.Loop != nil && run.On:
		if run.Ended() { // a person may now edit its files
			st, err = s.stateOf(run, run.State)
		} else {
			st, err = s.loadRecorded(run, settle)
		}
		if b := st.Budget; b != nil && b.Status != loop.Active && st.Tick == nil {
			err = errors.Join(err, s.gate(run, &st))
		}
		return st, err
	case settle:
		st, err = (&Tx{s}).Recover(skill)
	default:
		st, err = s.LoadRun(skill)
	}
	if err == nil {
		err = s.unsealed(st, session)
	}
	return st, err
}

// gate sets the gate of an ended run. If a crash kept the gate from being recorded, it sets the
// zero value, which is a closed gate.
func (s *Store) gate(run sealed, st *State) (err error) {
	if st.Quiet = (&loop.Quiet{}); run.Quiet != "" {
		st.Quiet, err = parse[loop.Quiet](run.Budget, []byte(run.Quiet))
	}
	return err
}

// unsealed returns an error for a session's active run that has no record here, because the record
// is lost or is in another state directory.
func (s *Store) unsealed(st State, session string) error {
	b := st.Budget
	if b == nil || b.SessionID != session || b.Status != loop.Active || b.SealedIn == "" {
		return nil
	}
	if boot := s.boot(); b.Boot != "" && boot != "" && b.Boot != boot {
		return nil // a power cut may have lost the record, which is not synced
	}
	e := &ChangedError{b.Skill, session, b.RunID,
		[]string{"the session's seal record is missing"}, ""}
	if here := s.seals.Path(); b.SealedIn != here {
		e.Home, e.Changes[0] = b.SealedIn, fmt.Sprintf(
			"their seal record is in %s, but the state directory is now %q", b.SealedIn, here)
	}
	return e
}

// loadRecorded loads a recorded run after comparing its files with the record. If settle is true,
// it also resolves a change that a crash interrupted: it completes the change if the history has
// its line, and otherwise accepts the files as they are. A power cut may have lost the record's
// last save, so after a reboot the history's last line decides what was committed.
func (s *Store) loadRecorded(run sealed, settle bool) (st State, err error) {
	f := s.found(run)
	// A file that cannot be read, or whose change was interrupted, was not deleted by a person.
	deleted := run.Next == nil && f.budget.err == nil && !f.budget.there
	var files seal.Files
	if run.HeldFor != "" { // the record's other runs continue
		err = Held(run.record)
	} else {
		files, err = s.whole(run, f)
	}
	rebooted := s.rebooted(run)
	if err == nil && settle && (run.Next != nil || rebooted) {
		files, err = s.finish(run)
	}
	if err != nil {
		return State{Skill: loop.Skill(run.Skill), BudgetPath: run.Budget}, err
	}
	st, err = s.stateOf(run, files)
	var cerr error
	st.Claim, cerr = load[loop.Claim](&s.disk, claimName.of(st.Skill), &claimFormat)
	err = errors.Join(err, cerr)
	if err == nil && settle && rebooted {
		err = s.catchUp(&st, loop.Skill(run.Skill))
	}
	err = errors.Join(err, s.Findings(st.Budget))
	st.Restored = err == nil && st.Budget != nil && deleted
	return st, err
}

// finish completes a change that a crash interrupted after writing the history line. Otherwise, and
// for files that are newer after a power cut, it records the files as they are.
func (s *Store) finish(run sealed) (files seal.Files, err error) {
	f, was, then := s.found(run), run.State, run.next()
	if line := s.newest(run); line != "" && line == then.Line && line != was.Line {
		var at place
		if text := f.budget.text; text == was.Budget || text == then.Budget {
			if at, err = s.place(loop.Skill(run.Skill), run.Budget); err == nil {
				err = s.putBudget(at, []byte(then.Budget+"\n"))
			}
		}
		if err == nil && then.Tick == "" && f.tick.text == was.Tick {
			err = s.putTick(loop.Skill(run.Skill), "")
		}
		own, lerr := s.seals.Lines(run.RunID)
		if lerr == nil && !strings.Contains(string(own), line) {
			_ = s.seals.AppendLine(run.RunID, line)
		}
	}
	if err = errors.Join(err, s.settle()); err != nil {
		return files, err
	}
	run.State, run.Next = s.settled(run), nil
	if s.rebooted(run) { // trust the history as it is
		run.State.Line, run.record.Boot = s.newest(run), s.boot()
	}
	if run.State.Budget == "" && run.State.Tick == "" { // the run was archived or never started
		run.record.Drop(run.Skill)
	}
	return run.State, s.seals.Save(run.record)
}

// settled returns a run's current files, with its last history line if hooks wrote that line.
func (s *Store) settled(run sealed) seal.Files {
	files := s.found(run).files(run)
	if line := s.newest(run); line != "" && line == run.next().Line {
		files.Line = line
	}
	return files
}

// recordAt returns the recorded run whose budget is at path, in any session. It skips held runs.
func (s *Store) recordAt(skill loop.Skill, path string) (run sealed, known bool, err error) {
	runs, err := s.sealedRuns(skill)
	for _, run := range runs {
		if run.HeldFor == "" &&
			safefile.Absolute(s.project, run.Budget) == safefile.Absolute(s.project, path) {
			return run, true, nil
		}
	}
	return sealed{}, false, err
}

// checkSealed returns a ChangedError if an unfinished run's budget names this state directory but
// no record has the run. It returns a CopyError if only another project's record has the run.
func (s *Store) checkSealed(b *loop.Budget) error {
	over := b == nil || b.Status != loop.Active && b.Status != loop.Paused
	if over || b.SealedIn == "" || b.SealedIn != s.seals.Path() {
		return nil
	}
	runs, err := s.sealedRuns(b.Skill)
	for _, run := range runs {
		if run.RunID == b.RunID {
			return nil
		}
	}
	if err != nil {
		return err
	}
	if r := s.seals.RecordOf(b.RunID); r != nil {
		return &CopyError{b.RunID, r.Project}
	}
	return &ChangedError{b.Skill, b.SessionID, b.RunID,
		[]string{"the run's seal record is missing"}, ""}
}

// Look loads a skill's state for display and writes nothing. If the run's files were changed, it
// returns the recorded state and describes the changes in note.
func (s *Store) Look(skill loop.Skill) (st State, note string, err error) {
	path, err := s.budgetPath(skill)
	run, known, rerr := s.recordAt(skill, path)
	if err = errors.Join(err, rerr); known {
		f := s.found(run)
		list := s.differences(run, f)
		changed := s.changed(run, f, list)
		switch {
		case len(list) == 0, s.superseded(run, f):
		case changed.Home != "":
			err = errors.Join(err, changed)
		default:
			note = strings.Join(changed.Changes, "; ") +
				"; the session's next event or the loop's command will restore the recorded state"
			var serr, lerr error
			st, serr = s.stateOf(run, run.State)
			st.Lock, lerr = s.Holder(skill)
			return st, note, errors.Join(err, serr, lerr, s.Findings(st.Budget))
		}
	}
	st, lerr := s.Load(skill)
	if lerr == nil {
		lerr = s.checkSealed(st.Budget)
	}
	return st, "", errors.Join(err, lerr)
}

// sealedBudget returns a run's budget from the record, or nil if the record has no budget.
func (s *Store) sealedBudget(run sealed) (*loop.Budget, error) {
	st, err := s.stateOf(run, seal.Files{Budget: run.State.Budget})
	return st.Budget, err
}

// SealedBudgets returns the budgets of a skill's runs from their records.
func (s *Store) SealedBudgets(skill loop.Skill) (list []loop.Budget) {
	runs, _ := s.sealedRuns(skill)
	for _, run := range runs {
		if b, err := s.sealedBudget(run); err == nil && b != nil {
			list = append(list, *b)
		}
	}
	return list
}

// LostRuns returns an error for each unfinished run whose linked worktree is gone, with a hint to
// restore the worktree. has reports whether the repository has a commit. trees lists the
// repository's worktrees; the run may have moved to one of them.
func LostRuns(seals seal.Dir, trees []string, has func(commit string) bool) (lost []error) {
	projects, _ := seals.Projects() // an unreadable record is reported in its own project
	for _, p := range projects {
		if Exists(p) {
			continue
		}
		records, _ := seals.Of(p)
		for _, r := range records {
			if slices.ContainsFunc(trees, r.Adopt) {
				continue
			}
			for _, l := range r.Loops {
				if b, err := parse[loop.Budget](l.Budget, []byte(l.State.Budget)); err == nil &&
					b.Own != nil && b.Kind().Linked && !loop.Completes(b.StopCause) &&
					has(b.Attempts().Base) {
					lost = append(lost, lostRun(p, b))
				}
			}
		}
	}
	return lost
}

// lostRun describes a run whose worktree is gone.
func lostRun(worktree string, b *loop.Budget) error {
	own := b.Attempts()
	return hint.New(fmt.Sprintf("restore it with `git worktree add %q %s && "+
		"mkdir -p %[1]q/%[3]s`; there, run `hooks status` to see how to continue the "+
		"run, or `hooks loop reset %s` to close it", worktree, own.Branch, Dir, b.Skill),
		"the worktree %s is gone, and with it the %s of %s (%s)", worktree, b.Skill, own.Source,
		b.Own.Result())
}
