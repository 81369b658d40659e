//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// raising are the calls of a model that would like more iterations: now, and by a schedule.
func raising(int) []Call {
	const flags = "--loop --max-iterations 50"
	return []Call{
		{"Skill", map[string]any{"skill": "sdd:work", "args": flags}},
		{"Skill", map[string]any{"skill": "sdd:work", "args": flags + " --resume"}},
		load("CronCreate", "CronDelete", "ScheduleWakeup"),
		{"CronCreate", map[string]any{
			"cron": "*/1 * * * *", "prompt": "/sdd:work " + flags, "recurring": true,
		}},
		{"ScheduleWakeup", map[string]any{
			"delaySeconds": 60, "prompt": "/loop /sdd:work " + flags, "reason": "more",
		}},
	}
}

// The model raises no ceiling; a person who types /loop with new flags does, also after the loop's
// end (R16, R17, R111; design §6: ceilings belong to a person).
func TestCeilingsAreRaisedByAPersonAlone(t *testing.T) {
	w := newWorld(t, Worker{Work: raising}.Say)
	term := w.Interactive()
	term.Enter("/loop 1m /sdd:work --loop --max-iterations 1")
	lines := w.WaitHistory("work", 1, 60*time.Second)
	first := w.Budget("work")
	if lines[0].Outcome != "halted" || first.Ceilings != 1 {
		t.Errorf("the first run is %+v, its iteration %s", first, lines[0].Outcome)
	}
	for _, reason := range []string{
		"Not started: these flags differ from", "Not scheduled: these flags differ from",
	} {
		if !w.Model.Told(reason) {
			t.Errorf("the model was not told %q", reason)
		}
	}
	term.WaitShowed("done as asked", 30*time.Second)

	term.Enter("/loop 1m /sdd:work --loop --max-iterations 2")
	fresh := func() bool { // the budget takes its place after the line
		b := w.Budget("work")
		return b.RunID != first.RunID && b.StopCause != "" && len(w.History("work")) == 2
	}
	if !patiently(3*time.Minute, fresh) {
		t.Fatalf("the second run is %+v with %+v", w.Budget("work"), w.History("work"))
	}
	if b := w.Budget("work"); b.Ceilings != 2 || b.StopCause != "iteration_budget" {
		t.Errorf("the second run is %+v, want it halted at 2 iterations", b)
	}
	if got := strings.Join(sameRun(t, w.History("work")), " "); got != "ok halted" {
		t.Errorf("its iterations ended %s", got)
	}
}
