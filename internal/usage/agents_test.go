package usage

import (
	"testing"
	"time"

	"hooks/internal/config"
)

// The rates in force name each model once, with the client's multipliers on the project's rows.
func TestRowsInForce(t *testing.T) {
	table := NewTable([]config.Rate{{Model: "claude-opus-4-7", Input: 7, Output: 8},
		{Model: "claude-haiku", Input: 1, Output: 2}})
	seen := map[string]Row{}
	for _, r := range table.Rows() {
		if _, twice := seen[r.Model]; twice {
			t.Errorf("%s appears twice", r.Model)
		}
		seen[r.Model] = r
	}
	if r := seen["claude-opus-4-7"]; r.Input != 7 || r.Fast != 6 ||
		r.Source != "CLAUDE.md SDD config" {
		t.Errorf("%+v", r)
	}
	if _, there := seen["claude-haiku-4-5"]; there {
		t.Error("claude-haiku-4-5 is priced by claude-haiku and listed all the same")
	}
	if r := seen["claude-opus-5"]; r.Source == "CLAUDE.md SDD config" || r.Input == 0 {
		t.Errorf("%+v", r)
	}
}

func TestAgeDays(t *testing.T) {
	for at, want := range map[string]int{
		"2026-01-01T00:00:00Z": 0, "2026-11-20T23:00:00Z": 0, "2027-02-18T23:59:59Z": 90,
		"2027-02-19T00:00:00Z": 91,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := AgeDays(now); got != want {
			t.Errorf("%s: %d days, want %d", at, got, want)
		}
	}
}
