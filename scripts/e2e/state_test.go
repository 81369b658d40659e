//go:build e2e && linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Budget is what the scenarios read of {skill}.budget.json, as an outsider would.
type Budget struct {
	RunID      string `json:"run_id"`
	Status     string `json:"status"`
	StopCause  string `json:"stop_cause"`
	Ceilings   int    `json:"max_iterations"`
	EventsFrom struct {
		PID int `json:"pid"`
	} `json:"events_from"`
	IterationsUsed int     `json:"iterations_used"`
	Dollars        float64 `json:"dollars_estimate"`
	Agents         int     `json:"agents_dispatched"`
	Comments       int     `json:"comments_pushed"`
	Merges         int     `json:"merges_attempted"`

	PRsTouched []string `json:"prs_touched"`

	ByModel map[string]struct {
		Input        int     `json:"input"`
		Output       int     `json:"output"`
		CacheRead    int     `json:"cache_read"`
		CacheWrite5m int     `json:"cache_write_5m"`
		CacheWrite1h int     `json:"cache_write_1h"`
		WebSearches  int     `json:"web_searches"`
		Dollars      float64 `json:"dollars"`
	} `json:"tokens_by_model"`
}

// Line is what they read of a history line.
type Line struct {
	RunID     string   `json:"run_id"`
	Iteration int      `json:"iteration"`
	Outcome   string   `json:"outcome"`
	Fired     []string `json:"stop_conditions_fired"`
	Gates     []struct {
		Name, Question, Answer, Origin string
	} `json:"gates"`
	PRs       []string `json:"prs_touched_this_iter"`
	Agents    int      `json:"agents_dispatched_this_iter"`
	TokensOut int      `json:"tokens_out_this_iter"`
	Dollars   float64  `json:"dollars_this_iter"`
	Merges    int      `json:"merges_attempted_this_iter"`
	Denied    []struct {
		Tool, Rule, What string
		Times            int
	} `json:"denied"`
}

func (w *World) state(name string) string { return filepath.Join(w.Project, ".sdd", "loop", name) }

// Budget reads the run's budget file; it is the zero value while there is none.
func (w *World) Budget(skill string) (b Budget) {
	w.t.Helper()
	data, err := os.ReadFile(w.state(skill + ".budget.json"))
	if errors.Is(err, os.ErrNotExist) {
		return b
	}
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		w.t.Fatalf("read budget: %v", err)
	}
	return b
}

// History reads the lines of the current run.
func (w *World) History(skill string) (lines []Line) {
	w.t.Helper()
	data, err := os.ReadFile(w.state(skill + ".history.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatalf("read history: %v", err)
	}
	for _, raw := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var l Line
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &l); err != nil {
				w.t.Fatalf("read history line %q: %v", raw, err)
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// WaitHistory waits until the history has that many lines, and the lock of the last one is gone.
func (w *World) WaitHistory(skill string, lines int, limit time.Duration) []Line {
	w.t.Helper()
	if !patiently(limit, func() bool {
		return len(w.History(skill)) >= lines &&
			!w.Locked(skill)
	}) {
		w.t.Fatalf("waited %v for %d history lines without a lock; have %+v, locked: %v", limit,
			lines, w.History(skill), w.Locked(skill))
	}
	return w.History(skill)
}

// WaitLocked waits until an iteration holds the lock.
func (w *World) WaitLocked(skill string, limit time.Duration) {
	w.t.Helper()
	if !patiently(limit, func() bool { return w.Locked(skill) }) {
		w.t.Fatalf("waited %v for the lock of %s", limit, skill)
	}
}

// Locked reports whether the skill's lock exists.
func (w *World) Locked(skill string) bool {
	_, err := os.Stat(w.state(skill + ".lock"))
	return err == nil
}

// LockPID is the process that the lock names, 0 without a lock.
func (w *World) LockPID(skill string) int {
	var lock struct{ PID int }
	if data, err := os.ReadFile(w.state(skill + ".lock")); err == nil {
		_ = json.Unmarshal(data, &lock)
	}
	return lock.PID
}

// sameRun fails unless every line belongs to one run, and gives the outcomes in order.
func sameRun(t *testing.T, lines []Line) []string {
	t.Helper()
	var outcomes []string
	for _, l := range lines {
		if l.RunID == "" || l.RunID != lines[0].RunID {
			t.Errorf("run ids differ: %q and %q", lines[0].RunID, l.RunID)
		}
		outcomes = append(outcomes, l.Outcome)
	}
	return outcomes
}
