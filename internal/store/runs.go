package store

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
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
		return tx.RecoverFrom(skill, path)
	}
	return State{Skill: skill}, errors.Join(errs...)
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

// startedPaths returns the --budget-file paths in the flags of the history. Paths are not quoted
// there, so it returns both the rest of the flags and the first word of the rest.
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
