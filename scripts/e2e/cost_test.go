//go:build e2e && linux

package e2e

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// A run that spent its dollars halts at the exit of the iteration, with the exact text and a final
// report, and what it counted is what the client itself counted (g; R58–R63, R150, R152).
func TestCostCeilingStopsAtExit(t *testing.T) {
	w := newWorld(t, Worker{Usage: func(int) Usage {
		return Usage{Input: 900, Output: 700, CacheRead: 4000, CacheWrite5m: 300, CacheWrite1h: 200}
	}}.Say)
	r := w.Headless("/sdd:work --loop --max-dollars 0.01")

	said := strings.Join(r.Said, "\n")
	b := w.Budget("work")
	for _, want := range []string{
		fmt.Sprintf("Cost budget reached: $%.2f / $0.01", r.TotalUSD), "Cause: cost_budget",
		fmt.Sprintf("dollars_estimate=$%.2f / max_dollars=$0.01", r.TotalUSD),
		".sdd/loop/work.budget.json", ".sdd/loop/work.history.jsonl",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the person was not told %q, but:\n%s", want, said)
		}
	}
	if math.Abs(b.Dollars-r.TotalUSD) > 1e-9 {
		t.Errorf("dollars_estimate is %v, the client's own total is %v", b.Dollars, r.TotalUSD)
	}
	lines := w.History("work")
	if len(lines) != 1 || lines[0].Outcome != "halted" || strings.Join(lines[0].Fired,
		" ") != "cost_budget" {
		t.Errorf("history is %+v", lines)
	}
	if w.Locked("work") {
		t.Error("the lock is still there")
	}
}

// A person switches to a dearer model between two ticks. Under a ceiling in dollars the second one
// reports it at its first call, and refuses nothing.
func TestADearerModelIsReported(t *testing.T) {
	w := newWorld(t, Worker{Work: func(int) []Call {
		return []Call{bash("echo one"), bash("echo two")}
	}}.Say)
	term := w.Interactive("--model", "claude-haiku-4-5")
	term.Enter("/sdd:work --loop --max-dollars 20")
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter("/model claude-opus-4-5")
	term.WaitScreen("Switch model?", 30*time.Second)
	time.Sleep(time.Second) // a key that comes while the client draws is lost
	term.Press(Enter)
	term.WaitScreen("Set model to", 30*time.Second)
	term.Enter("/sdd:work --loop --max-dollars 20")
	const line = "The model is now claude-opus-4-5"
	term.WaitShowed(line, 60*time.Second)
	lines := w.WaitHistory("work", 2, 60*time.Second)
	if lines[1].Outcome != "ok" || len(lines[1].Denied) > 0 {
		t.Errorf("the second iteration is %+v", lines[1])
	}
	if !w.Model.Told(line) {
		t.Error("the model was not told")
	}
}
