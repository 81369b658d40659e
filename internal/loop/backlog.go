package loop

import (
	"cmp"
	"fmt"
	"slices"

	"hooks/internal/english"
)

// takesIssues reports whether the run takes issues from a backlog. Rows use it as Applies.
func takesIssues(b *Budget) bool { return b.Kind().Backlog }

// merge adds the later report o. Each issue in o moves to the list where o has it.
func (b *Backlog) merge(o Backlog) *Backlog {
	b = cmp.Or(b, &Backlog{})
	named := func(n int) bool {
		return slices.Contains(o.Unblocked, n) || slices.Contains(o.Blocked, n) ||
			slices.Contains(o.InProgress, n)
	}
	keep := func(old, add []int) []int {
		return AppendNew(slices.DeleteFunc(append([]int{}, old...), named), add...)
	}
	return &Backlog{keep(b.Unblocked, o.Unblocked), keep(b.Blocked, o.Blocked),
		keep(b.InProgress, o.InProgress)}
}

// KnownBacklog returns the issues from the tracker or else from the skill's report, or nil.
func (t *Tick) KnownBacklog() *Backlog {
	if t.FromTracker() {
		return t.Asked.Backlog
	}
	return t.Report.Backlog
}

// FromTracker reports whether KnownBacklog comes from the tracker.
func (t *Tick) FromTracker() bool { return t.Asked != nil && t.Asked.Backlog != nil }

// Workable returns the issues that a work loop may pick (R78–R80). These are the unblocked issues
// that no other iteration is working on, and the issues in progress that the run itself failed.
// Blocked issues and issues that a person skipped are left out.
func (b *Budget) Workable(list *Backlog) []int {
	if list == nil {
		return nil
	}
	var out []int
	for _, n := range slices.Concat(list.Unblocked, list.InProgress) {
		theirs := slices.Contains(list.InProgress, n) && !slices.Contains(b.FailedIssues, n)
		off := slices.Contains(list.Blocked, n) ||
			slices.Contains(b.DeferredTargets, fmt.Sprintf("#%d", n))
		if !theirs && !off {
			out = AppendNew(out, n)
		}
	}
	return out
}

// siblingIssues returns the issues that another iteration is working on. It excludes the issues of
// this tick's workers and the issues that the run itself failed.
func (t *Tick) siblingIssues(run *Budget) []int {
	b := t.KnownBacklog()
	if b == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(b.InProgress), func(n int) bool {
		return slices.Contains(t.Taken, n) || slices.Contains(run.FailedIssues, n)
	})
}

// PassOver returns the planned issues that another iteration is working on (R78–R80).
func (t *Tick) PassOver(run *Budget) []int {
	elsewhere := t.siblingIssues(run)
	return slices.DeleteFunc(slices.Clone(t.Report.Plan), func(n int) bool {
		return !slices.Contains(elsewhere, n)
	})
}

// offPlan reports whether a person asked for a new plan and a worker's task mentions none of the
// issues in that plan (R88).
func (t *Tick) offPlan(mentions []int) bool {
	return t.Replan && !slices.ContainsFunc(mentions, func(n int) bool {
		return slices.Contains(t.Report.Plan, n)
	})
}

func (r *Report) failedIssues() (list []int) {
	for _, f := range r.Failures {
		if f.Kind == "issue" {
			list = append(list, f.Number)
		}
	}
	return list
}

// driftDue returns a question if the set of unblocked issues has changed since the previous
// iteration recorded it (R86, R87). Issues that the previous iteration planned, or worked on with a
// PR, may disappear. Backlogs from different sources cannot be compared.
func driftDue(f *Facts) []Gate {
	list, before := f.Tick.KnownBacklog(), f.Previous
	if list == nil || before == nil || before.Backlog == nil ||
		before.FromTracker != f.Tick.FromTracker() {
		return nil
	}
	now, then := list.Unblocked, before.Backlog.Unblocked
	if !missing(then, now) && !missing(slices.Concat(now, before.Plan, before.Taken), then) {
		return nil
	}
	return []Gate{{Question: "Backlog changed since last iteration. Re-propose the next batch?"}}
}

// missing reports whether list contains a number that known does not.
func missing(known, list []int) bool {
	return slices.ContainsFunc(list, func(n int) bool { return !slices.Contains(known, n) })
}

func tellDrift(f *Facts) string {
	before := f.Previous
	if before == nil || before.Backlog == nil {
		return "there is no earlier backlog to compare with"
	}
	return fmt.Sprintf("asks if the unblocked issues have changed since iteration %d, which had %s",
		before.Iteration, english.Plural(len(before.Backlog.Unblocked), "issue"))
}
