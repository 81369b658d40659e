package toolcall

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
)

// Result returns what the call brought, as loops count it.
func (c *Call) Result(turn loop.Turn, run Run) loop.Result {
	e := loop.Result{
		Turn: turn, Event: c.Event.Name, ID: c.Event.ToolUseID, Input: c.Event.Input.Raw,
		Failed: c.Event.Name == event.PostToolUseFailure,
	}
	if c.Event.Asks() && !e.Failed {
		return e
	}
	if e.Sent = c.Event.Dispatches(); e.Sent && !e.Failed &&
		c.Event.Result("status").Str == "async_launched" {
		e.Worker = c.Event.Result("agentId").Str
	}
	if id, about, ok := c.Event.StartsJob(); ok && !e.Failed {
		e.Job = &loop.Job{ID: id, About: about}
	}
	if e.Failed && qmdDown(c.Event) {
		e.Qmd = qmdLine(c.Event.Error)
	}
	printed := printedPRs(c.Event)
	e.Effects = c.effects(run, printed)
	if c.Event.Tool != "Bash" || len(printed) > 0 && !c.ReadOnly() {
		e.Printed = printed
	}
	return e
}

// qmdDown reports whether a failing shell call has a line with the token in its output, or ended
// with the reserved exit code (R53). What a search or a document shows is no signal.
func qmdDown(ev event.Event) bool {
	if _, shell := ev.ShellCommand(); !shell || ev.Error == "" {
		return false
	}
	return strings.HasPrefix(ev.Error, "Exit code 78\n") || ev.Error == "Exit code 78" ||
		strings.Contains(ev.Error, "qmd-unreachable")
}

func qmdLine(text string) string {
	for l := range strings.Lines(text) {
		if strings.Contains(l, "qmd-unreachable") {
			return strings.TrimSpace(l)
		}
	}
	return strings.TrimSpace(text)
}

// effects returns the changes that the call made on the forge. For a failed call, an opened PR
// counts only if the call printed its address, because the failure came after that.
func (c *Call) effects(run Run, printed []int) (list []loop.Effect) {
	failed := c.Event.Name == event.PostToolUseFailure
	acts := c.Read().Acts
	for _, a := range acts {
		kind, counts := EffectKind(a.Kind)
		if !counts {
			continue
		}
		other, _ := c.Elsewhere(run, a)
		e := loop.Effect{Kind: kind, PR: a.PR, Label: a.Ref, Elsewhere: other != ""}
		switch kind {
		case loop.OpenedPR:
			if (len(list) == 0 || list[len(list)-1].Kind != loop.OpenedPR) &&
				(!failed || len(printed) > 0) {
				list = append(list, openedPRs(e, printed, number(acts, guard.OpenPR))...)
			}
			continue
		case loop.Commented:
			e.Failed, e.Named = failed, a.PR
			e.Starts = c.Event.Tool == "Bash" && a.Kind == guard.Comment
			e.PR, e.Issue = commented(c.Event, a, printed)
		case loop.MergedPR:
			e.Landed = saysMerged(c.Event, a.PR, number(acts, guard.MergePR) == 1)
		}
		if !failed || e.Starts {
			list = append(list, e)
		}
	}
	return list
}

// EffectKind returns how loops count an act that was made; ok is false if they do not count it.
func EffectKind(kind guard.Kind) (is loop.EffectKind, ok bool) {
	switch kind {
	case guard.OpenPR:
		return loop.OpenedPR, true
	case guard.Comment, guard.ApprovePR:
		return loop.Commented, true
	case guard.SetLabel:
		return loop.SetLabel, true
	case guard.DropLabel:
		return loop.DroppedLabel, true
	case guard.MergePR:
		return loop.MergedPR, true
	}
	return 0, false
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

// commented returns the number of the PR that a comment went to, or 0 if it went to no PR. issue
// reports that the number may be an issue's: issues share comments and numbers with PRs, and some
// interfaces call a PR an issue. An address in the result decides.
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

// saysMerged reports whether the answer of a call reports a PR as merged. only says that the call
// merges no other PR, so an answer without a number is about this one. An exit code proves
// nothing: curl ends well on a conflict, gh on a PR that is merely queued.
func saysMerged(ev event.Event, pr int, only bool) bool {
	text := strings.ToLower(ev.Response.Raw)
	for _, rest := range strings.Split(text, "merged pull request ")[1:] { // as gh says it
		_, rest, _ = strings.Cut(rest, "#")
		end := strings.IndexFunc(rest+" ", func(r rune) bool { return r < '0' || r > '9' })
		if n, err := strconv.Atoi(rest[:end]); err == nil && n == pr {
			return true
		}
	}
	if !only {
		return false
	}
	bare := strings.NewReplacer(`\n`, "", `\`, "", `"`, "", " ", "").Replace(text)
	said := [...]string{"merged:true", "state:merged", "squashedandmerged!", "✓merged!"}
	for _, words := range said {
		if strings.Contains(bare, words) {
			return true
		}
	}
	azure := strings.Contains(bare, "mergestatus:succeeded")
	return azure && strings.Contains(bare, ",status:completed")
}

// OpensPR reports whether the call opens a PR.
func (c *Call) OpensPR() bool { return number(c.Read().Acts, guard.OpenPR) > 0 }

// number counts the acts of a kind.
func number(acts []guard.Act, kind guard.Kind) (n int) {
	for _, a := range acts {
		if a.Kind == kind {
			n++
		}
	}
	return n
}
