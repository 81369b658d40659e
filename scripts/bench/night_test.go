//go:build linux || darwin

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"hooks/scripts/driver"
)

// R59, R108, R118: however many workers a run has sent, its budget and its history lines stay as
// small as they were, and its dollars exact. Workers that ended are sent on again.
func TestALongRunStaysSmall(t *testing.T) {
	n := newNight(t, 9, nil)
	list := n.play(n.of)
	n.exact(t)
	early, late := list[3], list[8]
	if late.budget > 16_000 || late.line > 4_000 || late.line > early.line+100 {
		t.Errorf("budget and line have %d and %d bytes, five iterations before %d and %d",
			late.budget, late.line, early.budget, early.line)
	}
}

// R59, R112: half of the events die at any moment and come again, and no dollar is lost or counted
// twice.
func TestNoDollarIsLostToAKill(t *testing.T) {
	for seed := range uint64(2) {
		n := newNight(t, 5, rand.New(rand.NewPCG(seed, 1)))
		n.play(n.of)
		n.exact(t)
	}
}

func newNight(t *testing.T, iterations int, dice *rand.Rand) *night {
	program := filepath.Join(t.TempDir(), "hooks")
	if err := driver.Build(program, "./hooks"); err != nil {
		t.Fatal(err)
	}
	w := driver.New(t.TempDir(), program, os.Getpid())
	w.Env = []string{"CLAUDE_CODE_SESSION_ATTENDED=1"}
	return &night{World: w, of: iterations, dice: dice}
}

// exact checks that nothing went wrong and that the dollars are those of a count from nothing.
func (n *night) exact(t *testing.T) {
	counted, spent := n.dollars()
	if len(n.Errors) > 0 || counted != spent || spent == 0 {
		t.Errorf("%d and %d pico-dollars, %q", counted, spent, n.Errors)
	}
}
