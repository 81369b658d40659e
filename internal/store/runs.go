package store

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Find recovers a run wherever its budget is: at the default path, at the path that the last run
// used, or at one from a sealed record. The returned Budget is nil if the run is not found.
func (tx *Tx) Find(skill loop.Skill, runID string) (State, error) {
	s := tx.s
	var errs []error
	for _, path := range s.budgetPaths(skill) {
		b, err := s.loadBudget(skill, path)
		if err != nil || b == nil || b.RunID != runID {
			errs = append(errs, err)
			continue
		}
		return s.recoverFrom(skill, path)
	}
	return State{Skill: skill}, errors.Join(errs...)
}

// Runs returns the runs of a skill that have a budget here, each once. The first is the one whose
// budget the pointer names. The tick is set in the run that it belongs to.
func (s *Store) Runs(skill loop.Skill) (list []State, err error) {
	tick, err := s.OpenTick(skill)
	for _, path := range s.budgetPaths(skill) {
		b, berr := s.loadBudget(skill, path)
		err = errors.Join(err, berr)
		if b == nil || slices.ContainsFunc(list, func(st State) bool {
			return st.Budget.RunID == b.RunID
		}) {
			continue
		}
		st := State{Skill: skill, Budget: b, BudgetPath: path}
		if tick != nil && tick.RunID == b.RunID {
			st.Tick = tick
		}
		list = append(list, st)
	}
	return list, err
}

// budgetPaths returns the distinct paths at which runs of a skill keep their budgets.
func (s *Store) budgetPaths(skill loop.Skill) []string {
	var paths []string
	if last, err := s.budgetPath(skill); err == nil {
		paths = append(paths, last)
	}
	paths = append(paths, DefaultBudgetPath(skill))
	paths = append(paths, s.startedPaths(skill)...)
	runs, _ := s.sealedRuns(skill)
	for _, run := range runs {
		paths = append(paths, run.Budget)
	}
	kept := paths[:0]
	for _, path := range paths {
		same := func(other string) bool { return s.absolute(other) == s.absolute(path) }
		if !slices.ContainsFunc(kept, same) {
			kept = append(kept, path)
		}
	}
	return kept
}

// startedPaths returns the --budget-file paths in the flags of the history. The flags do not quote
// a path, so both the whole rest and its first word are returned.
func (s *Store) startedPaths(skill loop.Skill) (paths []string) {
	for raw, err := range s.RawLines(skill) {
		if err != nil || !bytes.Contains(raw.JSON, []byte(loop.BudgetFileFlag)) {
			continue
		}
		flags := gjson.GetBytes(raw.JSON, "budget_snapshot.flags").String()
		if _, path, ok := strings.Cut(flags, " "+loop.BudgetFileFlag); ok {
			first, _, _ := strings.Cut(path, " ")
			paths = loop.AppendNew(paths, path, first)
		}
	}
	return paths
}

// stopName returns the name of the file that marks a run as stopped by a person while the state
// could not be written. The file is empty, so a full disk has room for it.
func stopName(skill loop.Skill, run string) string {
	return string(skill) + "." + seal.FileName(run) + stopEnd
}

const stopEnd = ".stop"

// MarkStop creates the stop mark, so that the next event that can write ends the run. Anyone may
// create it: it does no more than `hooks loop stop`.
func (s *Store) MarkStop(b *loop.Budget) error {
	f, err := s.disk.create(stopName(b.Skill, b.RunID))
	if errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return f.Close()
}

// StopMarked reports whether the run has a stop mark.
func (s *Store) StopMarked(skill loop.Skill, run string) bool {
	_, err := s.disk.root.Lstat(stopName(skill, run))
	return err == nil
}

// UnmarkStop removes the run's stop mark, even if somebody made it a folder.
func (s *Store) UnmarkStop(skill loop.Skill, run string) error {
	name := stopName(skill, run)
	return s.disk.change("remove", name, func() error { return s.disk.root.RemoveAll(name) })
}
