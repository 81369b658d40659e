package loop

import (
	"fmt"
	"slices"
)

// Exhausted is the text of a ceiling that is reached in mid-iteration, "" below all of them, so
// that one long turn does not exceed it by dispatching (R30). The iterations are no such ceiling:
// this one is among them.
func Exhausted(f *Facts) string {
	for _, fired := range Evaluate(f, Exit) {
		switch fired.Condition {
		case "prs-touched-budget", "wall-clock-budget", "cost-budget":
			return fired.Text
		}
	}
	return ""
}

// LeftAlone returns the target of a worker's task if every issue or PR that the task mentions is
// deferred or in progress elsewhere; "" otherwise. Issues of this tick's own workers are not
// elsewhere.
func (t *Tick) LeftAlone(run *Budget, mentions []int) string {
	off := slices.Concat(run.DeferredTargets, t.Deferred)
	for _, n := range t.SiblingIssues(run) {
		off = append(off, fmt.Sprintf("#%d", n))
	}
	found := ""
	for _, n := range mentions {
		found = fmt.Sprintf("#%d", n)
		if !slices.Contains(off, found) && !slices.Contains(off, PRTarget(n)) {
			return ""
		}
	}
	return found
}

// OffPlan is why a worker does not follow the new plan that a person asked for, and what to do
// instead; "" where it does or where no plan was asked for (R88).
func (t *Tick) OffPlan(mentions []int) (why, hint string) {
	plan := t.Report.Plan
	inPlan := func(n int) bool { return slices.Contains(plan, n) }
	switch {
	case !t.Replan || slices.ContainsFunc(mentions, inPlan):
		return "", ""
	case len(plan) == 0:
		return "the backlog changed, a person asked for a new plan, and none is reported yet",
			`report it first: hooks report <<< '{"plan":[N]}'`
	}
	names := ""
	for _, n := range plan {
		names += fmt.Sprintf(" #%d", n)
	}
	return "the task names no issue of the new plan",
		"the plan is" + names + "; name one of them in the task, or report another plan"
}

// Elsewhere are the issues that a sibling has in progress: no worker of this tick was sent for
// them, and the run itself has not failed them.
func (t *Tick) SiblingIssues(run *Budget) []int {
	b := t.Backlog()
	if b == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(b.InProgress), func(n int) bool {
		return slices.Contains(t.Taken, n) || slices.Contains(run.FailedIssues, n)
	})
}
