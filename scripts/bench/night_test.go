//go:build linux || darwin

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hooks/scripts/driver"
)

var buildDir string // "" before the program is built

// built compiles the program, once for all tests.
var built = sync.OnceValues(func() (program string, err error) {
	if buildDir, err = os.MkdirTemp("", "hooks-bench-"); err != nil {
		return "", err
	}
	program = filepath.Join(buildDir, "hooks")
	return program, driver.Build(program, "./hooks")
})

func TestMain(m *testing.M) {
	driver.InMemory()
	code := m.Run()
	_ = os.RemoveAll(buildDir)
	os.Exit(code)
}

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
	seeds, iterations := uint64(1), 3
	if os.Getenv("HOOKS_WHOLE") != "" {
		seeds, iterations = 2, 5
	}
	for seed := range seeds {
		n := newNight(t, iterations, rand.New(rand.NewPCG(seed, 1)))
		n.play(n.of)
		n.exact(t)
	}
}

func newNight(t *testing.T, iterations int, dice *rand.Rand) *night {
	program, err := built()
	if err != nil {
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
