//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// At a terminal, where workers run in the background, a task costs three requests of the main
// thread and at most six lines of the screen, and no worker's first request is larger by more than
// two percent than the first one's (T1, M12).
func TestATaskCostsThreeRequestsAndSixLines(t *testing.T) {
	const tasks = 8
	w := taskWorld(t, tasks, Conductor{})
	w.noRemote()
	term := w.conducts(`/hooks:go docs/spec.md --check "test ! -e red"`)
	term.WaitShowed("Loop finished", 120*time.Second)
	under, all, asked := 0, 0, map[int]int{} // the main thread's requests since a worker began
	for _, r := range w.Model.Requests() {
		if n, _ := r.task(); n > 0 {
			under = n
		} else if r.main() {
			asked[under]++
			all += min(under, 1)
		}
	}
	if under != tasks || all > 3*tasks {
		t.Errorf("%d tasks cost the main thread the requests %v", under, asked)
	}
	w.provesFresh()
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
