package tasks

import (
	"testing"

	"hooks/internal/attempt"
	"hooks/internal/loop"
)

// T91: a task that is done is progress.
func TestAdvanced(t *testing.T) {
	first := &Run{}
	one := &Run{List: []Item{{Result: attempt.Unbroken}}}
	if !one.Advanced(first) || first.Advanced(first) {
		t.Error("a task that is done is progress")
	}
}

// T86: what a person names is taken over by a run that continues.
func TestRetune(t *testing.T) {
	r := &Run{MaxTries: 5, CheckMinutes: 10}
	changed := r.Retune(loop.TaskFlags{MaxTries: 7, Minutes: 20})
	if len(changed) != 2 || r.MaxTries != 7 || r.CheckMinutes != 20 {
		t.Errorf("%v: %+v", changed, r)
	}
}
