package store

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
)

var noon = time.Date(2026, 5, 9, 12, 0, 0, 0, time.UTC)

// specBudget is a budget with the SPEC's sixteen fields and nothing else.
const specBudget = `{"started_at":"2026-05-09T12:00:00Z","max_iterations":5,"max_prs":3,"max_minutes":120,"max_dollars":12.5,
"iterations_used":2,"prs_touched":["#7"],"comments_pushed":4,"merges_attempted":1,"minutes_elapsed":33,"tokens_in":100,
"tokens_out":20,"agents_dispatched":3,"dollars_estimate":1.25,"rate_table_source":"built-in","qmd_failures_consecutive":0}`

const specLock = `{"pid":12345,"iteration":3,"started_at":"2026-05-09T14:50:00Z","skill":"work"}`

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// guard is Begin, with End as a function.
func (s *Store) guard(ctx context.Context) (unlock func() error, err error) {
	tx, err := s.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return tx.End, nil
}

func (s *Store) recover(skill loop.Skill) (State, error) { return (&Tx{s}).Recover(skill) }

func (s *Store) saveBudget(path string, b *loop.Budget) error {
	_, err := s.write(b.Skill, path, change{budget: b})
	return err
}

func (s *Store) saveTick(t *loop.Tick) error {
	_, err := s.write(t.Skill, "", change{tick: t})
	return err
}

func (s *Store) dropTick(skill loop.Skill) error {
	_, err := s.write(skill, "", change{noTick: true})
	return err
}

func (s *Store) commit(it *loop.Iteration, path string, b *loop.Budget) (created bool, err error) {
	it.Budget = *b
	return s.write(it.Skill, path, change{line: it, budget: &it.Budget, noTick: true})
}

func budget() *loop.Budget {
	return &loop.Budget{
		Version: 1, RunID: "run-1", SessionID: "s-1", Skill: backlog.Work, StartedAt: noon,
		ActiveSince: noon,
		Ceilings:    loop.Ceilings{Iterations: 5, PRs: 3, Minutes: 120, Dollars: 25 * loop.Dollar},
		PRsTouched:  []string{"#7"}, Status: loop.Active, RateTableSource: "built-in",
		Command: "/sdd:work <&> x",
	}
}

// at is the budget after n committed iterations.
func at(n int) *loop.Budget {
	b := budget()
	b.Seq, b.IterationsUsed, b.LastPrompts = n, n, nil
	return b
}

func line(n int) *loop.Iteration {
	return &loop.Iteration{
		Version: 1, RunID: "run-1", Seq: n, Iteration: n, Skill: backlog.Work, Outcome: loop.OK,
		StartedAt: noon.Add(time.Duration(n) * time.Minute),
		EndedAt:   noon.Add(time.Duration(n)*time.Minute + time.Second),
		Budget:    *at(n), LastQmdError: "two\nlines <&>",
	}
}

func tick(n int) *loop.Tick {
	return &loop.Tick{
		Version: 1, RunID: "run-1", SessionID: "s-1", Skill: backlog.Work, Iteration: n,
		StartedAt: noon.Add(time.Duration(n) * time.Minute), Started: true,
	}
}

func path(s *Store, name string) string {
	return filepath.Join(s.project, filepath.FromSlash(Dir), name)
}

func put(t *testing.T, s *Store, name, text string) {
	t.Helper()
	ok(t, os.WriteFile(path(s, name), []byte(text), 0o600))
}

func content(t *testing.T, s *Store, name string) string {
	t.Helper()
	b, err := os.ReadFile(path(s, name))
	ok(t, err)
	return string(b)
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func holds(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s is %q, want it to hold %q", what, got, want)
	}
}

// files are the names in the state folder that are no part of its furniture.
func files(t *testing.T, s *Store) []string {
	t.Helper()
	entries, err := os.ReadDir(path(s, ""))
	ok(t, err)
	names := []string{}
	for _, e := range entries {
		if e.Name() != ".gitignore" && e.Name() != guardName {
			names = append(names, e.Name())
		}
	}
	return names
}

func damaged(err error) *DamagedError {
	var d *DamagedError
	errors.As(err, &d)
	return d
}

func newer(err error) *NewerError {
	var n *NewerError
	errors.As(err, &n)
	return n
}

// lines reads the history from its first line, as RawLines gives it.
func lines(s *Store, skill loop.Skill) iter.Seq2[loop.Iteration, error] {
	return func(yield func(loop.Iteration, error) bool) {
		for raw, err := range s.RawLines(skill) {
			var it *loop.Iteration
			if err == nil {
				it, err = raw.Parse()
			}
			if it == nil {
				it = new(loop.Iteration)
			}
			if !yield(*it, err) {
				return
			}
		}
	}
}

func (s *Store) saveClaim(c *loop.Claim) error {
	return (&Tx{s}).claim(&State{Skill: c.Skill}, c)
}
