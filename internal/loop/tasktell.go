package loop

import (
	"fmt"
	"slices"
)

// How far a task loop is from each of its conditions and gates, for a person.

func tellTask(f *Facts) string { return f.Run.Tasks.Result() + "; fires when the last one is done" }

func tellRetries(f *Facts) string {
	r := f.Run.Tasks
	if r.Complete() {
		return "every task is done"
	}
	return fmt.Sprintf("attempt %d of %d at task %d; fires when the last one is not accepted",
		min(r.Try, r.MaxTries-1), r.MaxTries-1, min(r.Index+1, len(r.List)))
}

// tellNumbered is for one of the three numbered gates.
func tellNumbered(n int, when string) func(f *Facts) string {
	return func(f *Facts) string {
		if slices.Contains(f.Run.Tasks.Passed, n) {
			return "passed"
		}
		return when
	}
}

func tellCheck(f *Facts) string {
	if r := f.Run.Tasks; r.Check != "" {
		return fmt.Sprintf("`%s` runs after each claim", r.Check)
	}
	return "no check command; asks when the project proposes one"
}

func tellUnproven(f *Facts) string {
	if f.Run.Tasks.Require == "" {
		return "asks when the worker changed the check, and a checkout of the start is red too"
	}
	return "asks about every task that is not verified"
}

func tellCheckpoint(f *Facts) string {
	if f.Run.Tasks.Mode != "checkpoint" {
		return "asks in mode checkpoint only; this run's mode is " + f.Run.Tasks.Mode
	}
	n := 0
	for _, i := range f.Run.Tasks.List[min(f.Run.Tasks.Index, len(f.Run.Tasks.List)):] {
		if i.Checkpoint {
			n++
		}
	}
	return fmt.Sprintf("asks after a milestone of the spec; %s left", Plural(n, "milestone"))
}
