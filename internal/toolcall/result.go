package toolcall

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
)

// Result converts the call's result to the form that loops count.
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
	if e.Failed {
		e.Qmd = qmdDown(c.Event)
	}
	printed := printedPRs(c.Event)
	e.Effects = c.effects(run, printed)
	if c.Event.Tool != "Bash" || len(printed) > 0 && !c.ReadOnly() {
		e.Printed = printed
	}
	return e
}

// qmdDown returns the message of a failed shell call that reports qmd as unreachable. This is the
// line with qmd's token, or the whole message if the call exited with the reserved exit code (R53).
// For any other call it returns "". A successful call does not count, because its output may be a
// search result or document that contains the token.
func qmdDown(ev event.Event) string {
	_, shell := ev.ShellCommand()
	for line := range strings.Lines(ev.Error) {
		if shell && strings.Contains(line, "qmd-unreachable") {
			return strings.TrimSpace(line)
		}
	}
	if code, _, _ := strings.Cut(ev.Error, "\n"); shell && code == "Exit code 78" {
		return strings.TrimSpace(ev.Error)
	}
	return ""
}

// effects returns the changes that the call made on the forge. If the call failed, effects returns
// only opened PRs whose URLs were printed, because the call opened them before it failed.
func (c *Call) effects(run Run, printed []int) (list []loop.Effect) {
	failed, opened := c.Event.Name == event.PostToolUseFailure, false
	acts := c.Read().Acts
	command, _ := c.Event.ShellCommand()
	// The call may have printed other URLs before those of the PRs that it opened.
	addresses := printed[max(0, len(printed)-number(acts, effect.OpenPR)):]
	counted := []effect.Kind{effect.OpenPR, effect.MergePR, effect.ApprovePR, effect.Comment,
		effect.SetLabel, effect.DropLabel}
	for _, a := range acts {
		if !slices.Contains(counted, a.Kind) {
			continue
		}
		other, _ := c.Elsewhere(run, a)
		e := loop.Effect{Kind: a.Kind, PR: a.PR, Label: a.Ref, Elsewhere: other != ""}
		switch a.Kind {
		case effect.OpenPR:
			switch {
			case len(addresses) > 0:
				e.PR, addresses = addresses[0], addresses[1:]
				list = append(list, e)
			case !opened && !failed: // the PR's number is unknown
				list = append(list, e)
			}
			opened = true
			continue
		case effect.Comment, effect.ApprovePR:
			e.Starts = c.Event.Tool == "Bash" && a.Kind == effect.Comment &&
				!guard.LeavesLinks(command)
			e.PR, e.Issue = commented(c.Event, a, printed)
		case effect.MergePR:
			e.Landed = saysMerged(c.Event, a.PR, number(acts, effect.MergePR) == 1)
		}
		if !failed {
			list = append(list, e)
		}
	}
	return list
}

// commented returns the PR that received a comment, or 0 if a URL in the result shows that the
// comment is on an issue. issue reports whether pr may be an issue number instead, because the
// command mentions issues.
func commented(ev event.Event, a effect.Act, printed []int) (pr int, issue bool) {
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

// printedPRs returns the PR numbers in URLs that the tool printed, in order without duplicates.
func printedPRs(ev event.Event) []int {
	var list []int
	for _, text := range []string{ev.Response.Raw, ev.Error} {
		for _, mark := range []string{"/pull/", "/merge_requests/", "/pulls/"} {
			for _, rest := range strings.Split(text, mark)[1:] {
				if n := leading(rest); n > 0 && !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// leading returns the number at the beginning of text, or 0 if there is none.
func leading(text string) int {
	n, _ := strconv.Atoi(text[:len(text)-len(strings.TrimLeft(text, "0123456789"))])
	return n
}

// saysMerged reports whether a call's output shows that the PR was merged. If only is true, the
// call merges no other PR, so output without a number refers to this one. The exit code proves
// nothing, because curl succeeds even on a conflict, and gh even if the PR is only queued.
func saysMerged(ev event.Event, pr int, only bool) bool {
	text := strings.ToLower(ev.Response.Raw)
	for _, rest := range strings.Split(text, "merged pull request ")[1:] { // gh's wording
		if _, rest, _ = strings.Cut(rest, "#"); pr > 0 && leading(rest) == pr {
			return true
		}
	}
	if !only {
		return false
	}
	bare := strings.NewReplacer(`\n`, "", `\`, "", `"`, "", " ", "").Replace(text)
	azure := strings.Contains(bare, "mergestatus:succeeded")
	return shellword.HasPart(bare, "merged:true state:merged squashedandmerged! ✓merged!") ||
		azure && strings.Contains(bare, ",status:completed")
}

// OpensPR reports whether the call opens a PR.
func (c *Call) OpensPR() bool { return number(c.Read().Acts, effect.OpenPR) > 0 }

func number(acts []effect.Act, kind effect.Kind) (n int) {
	for _, a := range acts {
		if a.Kind == kind {
			n++
		}
	}
	return n
}
