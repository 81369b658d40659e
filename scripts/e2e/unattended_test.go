//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
)

// If no one can answer, a gate pauses the run and prints the next step. After a person's answer
// from a terminal of their own --resume continues (q; R92, R96, R120, design §3: no one there).
func TestUnattendedGatePauses(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents}.Say)
	w.Headless(dollarLoop)
	paused := w.Headless(dollarLoop + " --resume")

	said := strings.Join(append(paused.Said, paused.Result), "\n")
	for _, want := range []string{dollarGate, "budget-escalation", "hooks gate answer"} {
		if !strings.Contains(said, want) {
			t.Errorf("the person was not told %q, but:\n%s", want, said)
		}
	}
	if b := w.Budget("work"); b.Status != "paused" || b.IterationsUsed != 1 {
		t.Fatalf("the run is %+v, want paused with 1 used", b)
	}
	if n := w.iterationsBegun(); n != 1 {
		t.Errorf("%d iterations reached the model, want 1", n)
	}

	w.hooks("gate", "answer", "budget-escalation", "raise")
	w.Headless(dollarLoop + " --resume")
	lines := w.History("work")
	last := lines[len(lines)-1]
	if last.Outcome != "ok" || len(last.Gates) != 1 || last.Gates[0].Question != dollarGate ||
		last.Gates[0].Answer != "raise" {
		t.Errorf("after the answer the iteration is %s with gates %+v", last.Outcome, last.Gates)
	}
	if b := w.Budget("work"); b.Status != "active" || b.IterationsUsed != 2 {
		t.Errorf("the run is %+v, want active with 2 used", b)
	}
}

// If no one can answer, an issue with unclear criteria holds the run before any worker is
// dispatched. After the answer from a terminal the next tick dispatches it (q; R89–R92, R107,
// design: no one there).
func TestUnattendedAmbiguousIssuePauses(t *testing.T) {
	const planned = `hooks report <<'JSON'
{"backlog":{"unblocked":[149],"blocked":[],"in_progress":[]},"plan":[149],
 "issues":[{"number":149,"criteria":"tbd"}]}
JSON`
	w := newWorld(t, withWorkers(
		Worker{Work: func(int) []Call {
			return []Call{bash(planned),
				dispatch("WORKER implement #149", "haiku", false)}
		},
			Report: func(int) string { return `{"outcome":"ok"}` }}, quickly))
	r := w.Headless("/sdd:work --loop")
	said := strings.Join(append(r.Said, r.Result), "\n")
	const question = "Issue #149 has ambiguous criteria. Skip, escalate, or proceed with my best " +
		"interpretation?"
	if !strings.Contains(said, question) ||
		!strings.Contains(said, "hooks gate answer 'ambiguous-criteria:#149' ANSWER") {
		t.Errorf("the person was told:\n%s", said)
	}
	if b := w.Budget("work"); b.Status != "paused" || b.Agents != 0 {
		t.Fatalf("the run is %+v, want paused with no worker", b)
	}

	w.hooks("gate", "answer", "ambiguous-criteria:#149", "proceed")
	w.Headless("/sdd:work --loop --resume")
	lines := w.History("work")
	last := lines[len(lines)-1]
	if last.Outcome != "ok" || last.Agents != 1 || len(last.Gates) != 1 ||
		last.Gates[0].Question != question || last.Gates[0].Answer != "proceed" {
		t.Errorf("after the answer the iteration is %+v", last)
	}
}
