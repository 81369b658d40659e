//go:build e2e && linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A person's own command is run once when a question waits and once when the loop stops, with the
// text on its stdin; the terminal does not ring (B; R98, R150).
func TestCommandTellsOfAGateAndOfAStop(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents}.Say)
	told, note := filepath.Join(w.Home, "told"), filepath.Join(w.Bin, "note")
	w.write(note, "#!/bin/sh\nread -r text\necho "+
		"\"$HOOKS_TITLE|$HOOKS_TEXT|$text|$HOOKS_PROJECT\" >>'"+told+"'\n", 0o755)
	w.Env = []string{"HOOKS_NOTIFY=" + note}
	term := w.Interactive()
	term.Enter(dollarLoop)
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter(dollarLoop)
	term.WaitScreen(dollarGate, 60*time.Second)
	term.Choose(3)
	w.WaitHistory("work", 2, 30*time.Second)

	notes := func() []string {
		text, _ := os.ReadFile(told)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	patiently(15*time.Second, func() bool { return len(notes()) > 1 })
	gate := "[budget-escalation] " + dollarGate + " — next: answer in the session's dialog" +
		", or in a terminal: hooks loop raise work --max-dollars 1.50"
	stop := "prior_gate_stop: Loop stopped at gate budget-escalation in iteration 2" +
		" — next: /sdd:work --loop --resume"
	want := []string{
		"hooks: a question is waiting for you|" + gate + "|" + gate + "|" + w.Project,
		"hooks: the work loop has halted|" + stop + "|" + stop + "|" + w.Project,
	}
	if diff := cmp.Diff(want, notes()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if n := term.Bells(); n != 0 {
		t.Errorf("the terminal rang %d times, want silence", n)
	}
}

// With the bell switched on the client's terminal rings once for a question and once for a stop (B;
// R98, R150).
func TestBellRingsForAGateAndForAStop(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents}.Say)
	w.Env = []string{"HOOKS_NOTIFY=bell"}
	term := w.Interactive()
	term.Enter(dollarLoop)
	w.WaitHistory("work", 1, 60*time.Second)
	if n := term.Bells(); n != 0 {
		t.Errorf("the terminal rang %d times for an iteration, want silence", n)
	}
	term.Enter(dollarLoop)
	term.WaitScreen(dollarGate, 60*time.Second)
	if !patiently(10*time.Second, func() bool { return term.Bells() > 0 }) || term.Bells() != 1 {
		t.Errorf("the terminal rang %d times for the question, want once", term.Bells())
	}
	term.Choose(3)
	w.WaitHistory("work", 2, 30*time.Second)
	term.WaitShowed("Cause: prior_gate_stop", 10*time.Second)
	if !patiently(10*time.Second, func() bool { return term.Bells() > 1 }) || term.Bells() != 2 {
		t.Errorf("the terminal rang %d times in all, want twice", term.Bells())
	}
}
