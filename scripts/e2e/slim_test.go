//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// At a terminal, where workers run in the background, a task costs three requests of the main
// thread and at most six lines of the screen (issue 29).
func TestATaskCostsThreeRequestsAndSixLines(t *testing.T) {
	w := taskWorld(t, 4, Conductor{})
	w.noRemote()
	term := w.conducts(`/hooks:go docs/spec.md --check "test ! -e red"`)
	term.WaitShowed("Loop halted", 120*time.Second)
	under, asked := 0, map[int]int{} // the requests of the main thread since a task's worker began
	for _, r := range w.Model.Requests() {
		if n, _ := r.task(); n > 0 {
			under = n
		} else if r.main() {
			asked[under]++
		}
	}
	if under != 4 || asked[1]+asked[2]+asked[3]+asked[4] > 3*4 {
		t.Errorf("%d tasks cost the main thread the requests %v", under, asked)
	}
	blocks := strings.Split(term.Screen(), "Stop says:")[1:]
	for _, b := range blocks {
		block, _, _ := strings.Cut(b, "\n\n")
		if n := strings.Count(block, "\n") + 1; n > 6 || !strings.Contains(block, "complete: ") {
			t.Errorf("a block has %d lines:\n%s", n, block)
		}
	}
	if len(blocks) < 2 || strings.Contains(term.Screen(), "PreToolUse:Agent says") {
		t.Errorf("%d blocks on the screen:\n%s", len(blocks), term.Screen())
	}
}
