package loop

import (
	"fmt"
	"slices"
	"time"
)

// exhausted is the text of a ceiling that is reached in mid-iteration, "" below all of them, so
// that one long turn does not exceed it by dispatching (R30). The iteration limit is left
// out: it already counts this iteration.
func exhausted(f *Facts) string {
	for _, fired := range evaluate(f, Exit) {
		switch fired.Condition {
		case "prs-touched-budget", "wall-clock-budget", "cost-budget":
			return fired.Text
		}
	}
	return ""
}

// spent are the facts with what was spent until now.
func (s State) spent(now time.Time, k *Known) *Facts {
	b := *s.Run
	b.Spend(k.Count.Spent)
	b.observe(k.Count.Clock)
	return Look(&b, s.Tick, nil, now)
}

// leftAlone returns the target of a worker's task if every issue or PR that the task mentions is
// deferred or in progress elsewhere; "" otherwise. Issues of this tick's own workers are not
// elsewhere.
func (t *Tick) leftAlone(run *Budget, mentions []int) string {
	off := slices.Concat(run.DeferredTargets, t.Deferred)
	for _, n := range t.siblingIssues(run) {
		off = append(off, fmt.Sprintf("#%d", n))
	}
	found := ""
	for _, n := range mentions {
		found = fmt.Sprintf("#%d", n)
		if !slices.Contains(off, found) && !slices.Contains(off, prTarget(n)) {
			return ""
		}
	}
	return found
}
