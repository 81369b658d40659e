package loop

import (
	"fmt"
	"slices"
	"strings"
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
	count := k.Count.or()
	b.Spend(count.Spent)
	b.observe(count.Clock)
	return Look(&b, s.Tick, nil, now)
}

// leftAlone is why no worker is sent: every issue or PR that its task mentions is deferred or in
// progress elsewhere. It is "" otherwise. Issues of this tick's own workers are not elsewhere. A
// task is about a PR that it names by its branch alone; beside a number, a branch named as one
// plain word could be any word.
func (s State) leftAlone(task *Task) (why string) {
	for _, target := range s.Run.DeferredTargets {
		branch := s.branchOf(target)
		numbered := func(n int) bool { return prTarget(n) == target }
		if namesBranch(task.Text, branch) && !slices.ContainsFunc(task.Issues, numbered) &&
			(len(task.Issues) == 0 || strings.ContainsAny(branch, "/-_.")) {
			return saysSkip(target)
		}
	}
	var off []string
	for _, n := range s.Tick.siblingIssues(s.Run) {
		off = append(off, fmt.Sprintf("#%d", n))
	}
	off = append(off, s.Tick.Deferred...)
	for _, n := range task.Issues {
		name := fmt.Sprintf("#%d", n)
		switch skipped := s.skipped("", name, prTarget(n)); {
		case skipped != "":
			why = saysSkip(skipped)
		case slices.Contains(off, name), slices.Contains(off, prTarget(n)):
			why = name + " is deferred or in progress elsewhere in this iteration"
		default:
			return ""
		}
	}
	return why
}
