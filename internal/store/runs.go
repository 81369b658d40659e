package store

import (
	"errors"
	"slices"

	"hooks/internal/loop"
)

// Other returns the run on record if its budget is not at path. Its Run is nil if there is none.
func (s *Store) Other(skill loop.Skill, path string) (loop.RunFile, error) {
	last, err := s.budgetPath(skill)
	if err != nil || s.absolute(last) == s.absolute(path) {
		return loop.RunFile{}, err
	}
	run, err := s.loadBudget(skill, last)
	return loop.RunFile{Run: run, Path: last}, err
}

// Runs returns the runs of a skill whose budgets are in this project. The first is the run whose
// budget the pointer names. The open tick is set in the run that owns it.
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
