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

// effects are what the call did on the forge. Of a call that failed only a PR counts whose address
// it printed, because what went wrong came after that.
func (h *handler) effects(printed []int) (list []loop.Effect) {
	failed := h.ev.Name == event.PostToolUseFailure
	var run *loopState
	if len(h.runs) > 0 {
		run = h.runs[0]
	}
	acts := h.read().Acts
	for _, a := range acts {
		other, _ := h.elsewhere(run, a)
		e := loop.Effect{PR: a.PR, Label: a.Ref, Elsewhere: other != ""}
		switch a.Kind {
		case guard.OpenPR:
			if (len(list) == 0 || list[len(list)-1].Kind != loop.OpenedPR) &&
				(!failed || len(printed) > 0) {
				list = append(list, openedPRs(e, printed, number(acts, guard.OpenPR))...)
			}
			continue
		case guard.Comment, guard.ApprovePR:
			e.Kind, e.Failed, e.Named = loop.Commented, failed, a.PR
			e.Starts = h.ev.Tool == "Bash" && a.Kind == guard.Comment
			e.PR, e.Issue = commented(h.ev, a, printed)
		case guard.SetLabel:
			e.Kind = loop.SetLabel
		case guard.DropLabel:
			e.Kind = loop.DroppedLabel
		case guard.MergePR:
			e.Kind = loop.MergedPR
			e.Landed = saysMerged(h.ev, a.PR, number(acts, guard.MergePR) == 1)
		default:
			continue
		}
		if !failed || e.Starts {
			list = append(list, e)
		}
	}
	return list
}

// openedPRs are the PRs that a call has opened: the last addresses that it printed, because others
// may stand before them. Without an address it is one whose number is not known.
func openedPRs(e loop.Effect, printed []int, opens int) (list []loop.Effect) {
	for _, n := range printed[max(0, len(printed)-opens):] {
		list = append(list, loop.Effect{Kind: loop.OpenedPR, PR: n, Elsewhere: e.Elsewhere})
	}
	if list == nil {
		list = []loop.Effect{{Kind: loop.OpenedPR}}
	}
	return list
}

// commented is the number that a comment went to, 0 if it went to no PR. issue says that it may be
// an issue's: issues have comments too, and numbers of the same series, and on some ways in a PR is
// called an issue. The address in the result decides, where there is one.
func commented(ev event.Event, a guard.Act, printed []int) (pr int, issue bool) {
	switch {
	case a.PR == 0 && len(printed) == 1:
		return printed[0], false
	case a.PR == 0 || slices.Contains(printed, a.PR):
		return a.PR, false
	case strings.Contains(ev.Response.Raw, fmt.Sprintf("/issues/%d#", a.PR)):
		return 0, false
	}
	return a.PR, strings.Contains(a.Command, "issue")
}

// printedPRs are the numbers in the addresses that the tool printed, each once, in order.
func printedPRs(ev event.Event) []int {
	var list []int
	for _, text := range []string{ev.Response.Raw, ev.Error} {
		for _, mark := range []string{"/pull/", "/merge_requests/", "/pulls/"} {
			for _, rest := range strings.Split(text, mark)[1:] {
				end := strings.IndexFunc(rest+" ", func(r rune) bool { return r < '0' || r > '9' })
				n, err := strconv.Atoi(rest[:end])
				if err == nil && n > 0 && !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
	}
	return list
}
