package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// postToolUse takes what a tool call brought: a person's answers, workers that were sent off, PRs
// opened, comments pushed, a failing qmd.
func (h *handler) postToolUse() (event.Reply, error) {
	list, err := h.sessionRuns()
	h.keepRunning(h.addressed(list))
	if err == nil && h.ev.Name == event.PostToolUse && !h.answersDialog() {
		_, err = h.stepEach(every, func(*loopState) loop.Event {
			return loop.Heard{Turn: h.turn()}
		})
	}
	_, _, job := h.ev.StartsJob()
	anything := func(t *loopState) bool { return h.open(t) || t.Claim != nil || job }
	if err != nil || !slices.ContainsFunc(list, anything) {
		return event.Nothing(), err
	}
	result := h.result()
	reply, err := h.stepEach(h.addressed, func(t *loopState) loop.Event {
		r := result
		r.Looked = h.shown(t)
		if h.answersDialog() && t.Tick != nil {
			a := answersOf(t.Tick.Pending, h.ev.ToolUseID, h.ev.Input.Raw, h.ev.Answers())
			r.Answers = &a
		}
		return r
	})
	if err != nil || !h.answersDialog() {
		return reply, err
	}
	list, err = h.sessionRuns()
	if err != nil {
		return reply, err
	}
	forced, err := h.forEachRun(only(list, (*loopState).forcing),
		func(t *loopState) (event.Reply, error) {
			return h.forceAnswered(t, h.ev.ToolUseID, h.ev.Answers())
		})
	return reply.And(forced), err
}

// result is what the call brought, as loops count it.
func (h *handler) result() loop.Result {
	e := loop.Result{
		Turn: h.turn(), Event: h.ev.Name, ID: h.ev.ToolUseID, Input: h.ev.Input.Raw,
		Failed: h.ev.Name == event.PostToolUseFailure,
	}
	if h.answersDialog() {
		return e
	}
	if e.Sent = h.ev.Dispatches(); e.Sent && !e.Failed &&
		h.ev.Result("status").Str == "async_launched" {
		e.Worker = h.ev.Result("agentId").Str
	}
	if id, about, ok := h.ev.StartsJob(); ok && !e.Failed {
		e.Job = &loop.Job{ID: id, About: about}
	}
	if e.Failed && qmdDown(h.ev) {
		e.Qmd = qmdLine(h.ev.Error)
	}
	printed := printedPRs(h.ev)
	e.Effects = h.effects(printed)
	if h.ev.Tool != "Bash" || len(printed) > 0 && !guard.ReadOnly(h.call()) {
		e.Printed = printed
	}
	return e
}

func (h *handler) answersDialog() bool { return h.ev.Asks() && h.ev.Name == event.PostToolUse }

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

// number counts the acts of a kind.
func number(acts []guard.Act, kind guard.Kind) (n int) {
	for _, a := range acts {
		if a.Kind == kind {
			n++
		}
	}
	return n
}

// countsUnheard reports whether the call opens a PR in a session in which no event brings results,
// so that only the transcript has how many there are (R30).
func (h *handler) countsUnheard(t *loopState) bool {
	return h.open(t) && !t.Budget.Heard(h.ev.SessionID, event.WordOf(event.PostToolUse)) &&
		number(h.read().Acts, guard.OpenPR) > 0
}

// missedCalls are the results of the iteration's calls on the forge that no event brought, because
// PostToolUse was killed or is not registered. While both loops of a session are open, no one can
// tell whose they are.
func (h *handler) missedCalls(t *loopState, calls []usage.Call) (list []loop.Result) {
	missed := func(c usage.Call) bool { return t.Tick != nil && t.Tick.Missed(c.ID, c.At) }
	if !slices.ContainsFunc(calls, missed) || h.openBeside(t) {
		return nil
	}
	for _, c := range calls {
		if !missed(c) {
			continue
		}
		after := *h
		after.ev = event.Event{
			Name: event.PostToolUse, SessionID: t.Tick.SessionID, Transcript: h.ev.Transcript,
			Cwd: c.Cwd, Tool: c.Tool, ToolUseID: c.ID, Input: c.Input,
			Response: c.Response, Error: c.Error,
		}
		if c.Error != "" {
			after.ev.Name = event.PostToolUseFailure
		}
		r := after.result()
		r.Now = c.At
		list = append(list, r)
	}
	return list
}

// openBeside reports whether the other loop of the tick's session has an iteration open too.
func (h *handler) openBeside(t *loopState) bool {
	return slices.ContainsFunc(loop.Skills(), func(skill loop.Skill) bool {
		other, err := h.files.OpenTick(skill)
		return skill != t.Skill && err == nil && other != nil &&
			other.SessionID == t.Tick.SessionID
	})
}

// keepAtResult is how many bytes of transcript the next look may read again before a tool's result
// saves the running count.
const keepAtResult = 256 << 10

// keepRunning saves the running counts of the open iterations, once much of the transcripts is new.
func (h *handler) keepRunning(list []*loopState) {
	for _, t := range list {
		if !h.open(t) || t.Budget.Ceilings.Dollars == 0 ||
			usage.Grown(h.growing(t)) < keepAtResult {
			continue
		}
		now, err := h.runningCount(t)
		h.slip(err)
		_, err = h.stepOne(t, loop.Grown{Turn: h.turn(), Running: now.Running})
		h.slip(err)
	}
}
