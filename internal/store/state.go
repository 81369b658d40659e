package store

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// State is a skill's state on disk. A field is nil if its file is missing or could not be read.
type State struct {
	Skill  loop.Skill
	Budget *loop.Budget
	// BudgetPath is the path of the budget, relative to the project or absolute. The file may not
	// exist.
	BudgetPath string
	Tick       *loop.Tick
	Lock       *loop.Lock
	Claim      *loop.Claim
	// Quiet is the gate of an ended run. It is nil if the run is active or does not govern a
	// session.
	Quiet *loop.Quiet
	// Restored reports that the budget file was missing and has been restored from the record.
	Restored bool
	// Unrecorded is the error for a run whose budget names this state directory but that has no
	// record. Only Tx.Recover and Tx.RecoverFrom set it.
	Unrecorded error
}

// Elsewhere returns the path of the budget, or "" for the default path.
func (st State) Elsewhere() string {
	if st.BudgetPath == DefaultBudgetPath(st.Skill) {
		return ""
	}
	return st.BudgetPath
}

// Values converts the state to the form that Step expects.
func (st State) Values() loop.State {
	return loop.State{Run: st.Budget, Tick: st.Tick, Claim: st.Claim, Quiet: st.Quiet}
}

// Load reads a skill's state, using the last run's budget path. If files are damaged or newer, it
// joins their errors and returns the rest of the state as well.
func (s *Store) Load(skill loop.Skill) (State, error) {
	st, err := s.LoadRun(skill)
	held, lerr := s.Holder(skill)
	st.Lock = held
	return st, errors.Join(err, lerr)
}

// LoadRun is like Load but does not read the lock. Hooks use it inside an iteration.
func (s *Store) LoadRun(skill loop.Skill) (State, error) {
	path, err := s.budgetPath(skill)
	st, errs := s.run(skill, path)
	return st, errors.Join(err, errs)
}

// run reads the budget at a path, the open tick and the lock waiter. An empty path means the
// default.
func (s *Store) run(skill loop.Skill, budgetPath string) (State, error) {
	st := State{Skill: skill, BudgetPath: cmp.Or(budgetPath, DefaultBudgetPath(skill))}
	var errs [3]error
	st.Budget, errs[0] = s.loadBudget(skill, st.BudgetPath)
	st.Tick, errs[1] = s.OpenTick(skill)
	st.Claim, errs[2] = load[loop.Claim](&s.disk, claimName.of(skill), &claimFormat)
	return st, errors.Join(errors.Join(errs[:]...), s.Findings(st.Budget))
}

// OpenTick returns a skill's open iteration, whichever run it belongs to, or nil if none is open.
func (s *Store) OpenTick(skill loop.Skill) (*loop.Tick, error) {
	return load[loop.Tick](&s.disk, tickName.of(skill), &tickFormat)
}

// Holder returns the skill's lock, or nil if it is free.
func (s *Store) Holder(skill loop.Skill) (*loop.Lock, error) {
	return load[loop.Lock](&s.disk, lockName.of(skill), &lockFormat)
}

// load reads, checks and parses one file. It returns nil if the file is missing.
func load[T any](d *disk, name string, f *format) (*T, error) {
	body, err := d.read(name)
	if err == nil && body != nil {
		err = f.check(d.path(name), body)
	}
	if err != nil || body == nil {
		return nil, err
	}
	return parse[T](d.path(name), body)
}

// parse parses the contents of a file, which must already be checked.
func parse[T any](path string, body []byte) (*T, error) {
	v := new(T)
	if err := codec.Decode(gjson.ParseBytes(body), v); err != nil {
		return nil, damage(path, "%v", err)
	}
	return v, nil
}

// decodeBudget checks and parses a budget.
func decodeBudget(path string, skill loop.Skill, body []byte) (*loop.Budget, error) {
	body = bytes.TrimSpace(body)
	if err := budgetFormat.check(path, body); err != nil {
		return nil, err
	}
	return parseBudget(path, skill, body)
}

// parseBudget parses a budget, which must already be checked.
func parseBudget(path string, skill loop.Skill, body []byte) (*loop.Budget, error) {
	b, err := parse[loop.Budget](path, body)
	if err == nil {
		err = adopt(path, skill, b)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// adopt fills in defaults, so that a budget with only the SPEC's sixteen fields is an active run of
// this skill. It returns an error if the budget has another skill, a newer version or an unknown
// status.
func adopt(path string, skill loop.Skill, b *loop.Budget) error {
	if b.Version > loop.Version {
		return &NewerError{Path: path, Version: int64(b.Version)}
	}
	b.Version = max(b.Version, 1)
	if b.Status == "" {
		b.Status = loop.Active
	}
	if b.Skill == "" {
		b.Skill = skill
	}
	if !slices.Contains([]loop.Status{loop.Active, loop.Halted, loop.Paused}, b.Status) {
		return damage(path, "status %q is not one of active, halted, paused", b.Status)
	}
	if b.Skill != skill { // two skills share one --budget-file
		return damage(path, "it belongs to the skill %q, not %q", b.Skill, skill)
	}
	return nil
}
