package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
)

// brought are the acts of the call that count. Of a call that failed only a PR does whose address it printed: what went
// wrong came after it was there.
func (v *visit) brought() []guard.Act {
	failed := v.ev.Name == event.PostToolUseFailure
	if failed && len(openedPRs(v.ev)) == 0 {
		return nil
	}
	facts := []guard.Kind{guard.OpenPR, guard.Comment, guard.MergePR, guard.ApprovePR, guard.SetLabel, guard.DropLabel}
	if failed {
		facts = facts[:1]
	}
	return slices.DeleteFunc(v.read().Acts, func(a guard.Act) bool { return !slices.Contains(facts, a.Kind) })
}

// count adds what the call did on the forge.
func (v *visit) count(t *loop.Tick) {
	acts := v.brought()
	for _, a := range acts {
		label := fmt.Sprintf("#%d %s", a.PR, a.Ref)
		switch a.Kind {
		case guard.Comment, guard.ApprovePR:
			t.Comments++
			t.Observed.Comments++
			touched(t, commentedPR(v.ev, a, t))
		case guard.OpenPR:
			v.countOpened(t, opened(acts))
		case guard.SetLabel:
			t.Labels = loop.AppendNew(t.Labels, label)
		case guard.DropLabel:
			t.Labels = slices.DeleteFunc(t.Labels, func(l string) bool { return l == label })
		case guard.MergePR:
			countMerged(t, a.PR, saysMerged(v.ev, a.PR, merging(acts) == 1))
		}
	}
}

// countOpened takes in the PRs that a call has opened, so many of them: other addresses may stand before theirs.
func (v *visit) countOpened(t *loop.Tick, opens int) {
	numbers := openedPRs(v.ev)
	for _, n := range numbers[max(0, len(numbers)-opens):] {
		touched(t, n)
		t.Track(loop.PR{Number: n, State: "open"})
	}
}

// countMerged takes in a merge call that succeeded. Whether the PR is merged is another matter: the
// call's answer says so, or the tracker when the iteration ends.
func countMerged(t *loop.Tick, pr int, merged bool) {
	if pr == 0 {
		return
	}
	if touched(t, pr); merged {
		t.Merged(pr)
	}
}

// touched notes a PR that a call which succeeded was about; 0 is none.
func touched(t *loop.Tick, pr int) {
	if pr > 0 {
		t.Observed.Saw(pr)
		t.PRs = loop.AppendNew(t.PRs, fmt.Sprintf("#%d", pr))
	}
}

// commentedPR is the PR that a comment went to, 0 if it went to none: issues have comments too, and numbers of the same
// row, and on some ways in a PR is called an issue. The address in the result decides, where there is one.
func commentedPR(ev event.Event, a guard.Act, t *loop.Tick) int {
	name := fmt.Sprintf("#%d", a.PR)
	prs := openedPRs(ev)
	switch {
	case a.PR == 0 && len(prs) == 1:
		return prs[0]
	case a.PR == 0 || slices.Contains(prs, a.PR):
		return a.PR
	case strings.Contains(ev.Response.Raw, fmt.Sprintf("/issues/%d#", a.PR)):
		return 0
	case !strings.Contains(a.Command, "issue") || slices.Contains(t.PRs, name) || t.Head(a.PR) != "":
		return a.PR
	case slices.ContainsFunc(t.Report.PRs, func(p loop.PR) bool { return p.Number == a.PR }):
		return a.PR
	}
	return 0
}

// opened counts the PRs that a call opens.
func opened(acts []guard.Act) (n int) {
	for _, a := range acts {
		if a.Kind == guard.OpenPR {
			n++
		}
	}
	return n
}

// openedPRs are the numbers in the addresses that the tool printed, each once, in order.
func openedPRs(ev event.Event) []int {
	var list []int
	for _, text := range []string{ev.Response.Raw, ev.Error} {
		for _, mark := range []string{"/pull/", "/merge_requests/", "/pulls/"} {
			for _, rest := range strings.Split(text, mark)[1:] {
				end := strings.IndexFunc(rest+" ", func(r rune) bool { return r < '0' || r > '9' })
				if n, err := strconv.Atoi(rest[:end]); err == nil && n > 0 && !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// qmdDown: a failing shell call whose output has a line with the token, or that ended with the reserved exit code
// (R53). What a search or a document shows is no signal.
func qmdDown(ev event.Event) bool {
	if _, shell := ev.ShellCommand(); !shell || ev.Error == "" {
		return false
	}
	return strings.HasPrefix(ev.Error, "Exit code 78\n") || ev.Error == "Exit code 78" || strings.Contains(ev.Error, "qmd-unreachable")
}

func qmdLine(text string) string {
	for l := range strings.Lines(text) {
		if strings.Contains(l, "qmd-unreachable") {
			return strings.TrimSpace(l)
		}
	}
	return strings.TrimSpace(text)
}
