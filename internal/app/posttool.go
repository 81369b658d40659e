package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/printable"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// postToolUse takes what a tool call brought: a person's answers, workers that were sent off, PRs opened, comments
// pushed, a failing qmd.
func (v *visit) postToolUse() (event.Reply, error) {
	list, err := v.mine()
	if err != nil || !v.tellsAnything(list) {
		return event.Nothing(), err
	}
	reply := event.Nothing()
	err = v.guarded(func(list []*thread) error {
		for _, t := range v.addressed(list) {
			r, err := v.learn(t)
			if err != nil {
				return err
			}
			reply = reply.And(r)
		}
		return nil
	})
	return reply, err
}

// tellsAnything spares most events the guard: nothing is written for a call that brings no fact.
func (v *visit) tellsAnything(list []*thread) bool {
	if !slices.ContainsFunc(list, func(t *thread) bool { return t.open(v.ev.SessionID) || t.Claim != nil }) {
		return false
	}
	merged := func(t *thread) bool { return t.Tick != nil && t.Tick.Ended(v.ev.ToolUseID) }
	switch {
	case slices.ContainsFunc(list, merged):
		return true
	case v.ev.Tool == "AskUserQuestion", slices.Contains(dispatchTools, v.ev.Tool):
		return true
	case v.ev.Name == event.PostToolUseFailure && qmdDown(v.ev):
		return true
	}
	return len(v.brought()) > 0
}

func (v *visit) learn(t *thread) (event.Reply, error) {
	if v.ev.Tool == "AskUserQuestion" && v.ev.Name == event.PostToolUse {
		if c := t.Claim; c != nil && c.Gate != nil && c.SessionID == v.ev.SessionID {
			return v.forceAnswer(t)
		}
	}
	if !t.open(v.ev.SessionID) {
		return event.Nothing(), nil
	}
	t.Tick.Ended(v.ev.ToolUseID)
	if v.ev.Tool == "AskUserQuestion" && v.ev.Name == event.PostToolUse {
		reply := v.takeAnswers(t, v.ev.ToolUseID, v.ev.Answers())
		return reply, v.save(t)
	}
	v.observe(t.Tick)
	return event.Nothing(), v.files.SaveTick(t.Tick)
}

// observe takes the facts that a call brought.
func (v *visit) observe(tick *loop.Tick) {
	switch {
	case slices.Contains(dispatchTools, v.ev.Tool) && v.ev.Name == event.PostToolUse:
		if v.ev.Result("status").Str == "async_launched" {
			tick.Workers = loop.AppendNew(tick.Workers, v.ev.Result("agentId").Str)
		}
	case v.ev.Name == event.PostToolUseFailure && qmdDown(v.ev):
		tick.QmdDown, tick.QmdError = true, qmdLine(v.ev.Error)
	}
	if tick.Once(v.ev.Name, v.ev.ToolUseID) {
		v.count(tick)
	}
}

// takeAnswers records the answers of one dialog, verbatim. Those of a call that brought its own answers, that nobody
// answered, or that resolved itself while the person was away are none. Questions of the skill's own are recorded
// too, under the name question (R120).
func (v *visit) takeAnswers(t *thread, id string, given event.Answers) event.Reply {
	i := slices.IndexFunc(t.Tick.Dialogs, func(d loop.Dialog) bool { return d.ID == id })
	if given.AFK || i >= 0 && (t.Tick.Dialogs[i].Forged || t.Tick.Dialogs[i].Done) {
		return event.Nothing()
	}
	if i >= 0 {
		t.Tick.Dialogs[i].Done = true
	} else if !t.Tick.Once(event.PostToolUse, id) {
		return event.Nothing()
	}
	var told []string
	for _, a := range given.List {
		if a.Unanswered != "" {
			continue
		}
		told = append(told, v.takeAnswer(t, a))
	}
	if len(told) == 0 {
		return event.Nothing()
	}
	begun := loop.StartBody(t.Budget, t.Tick)
	return event.Nothing().Context(v.afterAnswers(t, told, begun))
}

func (v *visit) takeAnswer(t *thread, a event.Answer) string {
	answer := loop.GateAnswer{Name: "question", Question: a.Question, Answer: a.Text, At: v.now}
	i := slices.IndexFunc(t.Tick.Pending, func(g loop.Gate) bool { return g.Question == a.Question || printable.Text(g.Question) == a.Question })
	if i < 0 {
		t.Tick.Answered = append(t.Tick.Answered, answer)
		return fmt.Sprintf("Recorded: %q", a.Text)
	}
	g := t.Tick.Pending[i]
	answer.Name, answer.Target, answer.Question = g.Name, g.Target, g.Question // as it stands, not as a terminal may show it
	act := loop.Answer(t.Budget, t.Tick, i, answer)
	if act == "merge" && g.HeadSHA != "" {
		return fmt.Sprintf("Gate %s: the person answered %q for commit %s. Merge just that: add --match-head-commit %s", g.Name, a.Text, g.HeadSHA, g.HeadSHA)
	}
	if act == strings.ToLower(strings.TrimSpace(a.Text)) {
		return fmt.Sprintf("Gate %s: the person answered %q", g.Name, a.Text)
	}
	return fmt.Sprintf("Gate %s: the person answered %q, which acts as %s", g.Name, a.Text, act)
}

func (v *visit) afterAnswers(t *thread, told []string, begun bool) string {
	tick := t.Tick
	switch {
	case tick.Halting():
		told = append(told, "The loop ends with this iteration. Dispatch nothing, schedule nothing, end the turn now.")
	case len(tick.Pending) > 0:
		told = append(told, report.Ask(tick.Pending))
	case begun:
		told = append(told, tick.Notes...)
		for _, d := range slices.Concat(t.Budget.DeferredTargets, tick.Deferred) {
			told = append(told, report.Deferred(d))
		}
		told = append(told, "Go on with iteration "+strconv.Itoa(tick.Iteration)+". Budget remaining: "+report.Remaining(t.Budget))
	}
	return strings.Join(told, "\n")
}

// forceAnswer acts on the answer to the force-unlock gate: only yes takes the lock, and the tick begins here (R104).
func (v *visit) forceAnswer(t *thread) (event.Reply, error) {
	return v.forceAnswered(t, v.ev.ToolUseID, v.ev.Answers())
}

// missedForce takes that answer from the transcript, for a client in which PostToolUse is not registered.
func (v *visit) missedForce() (reply event.Reply, err error) {
	r, err := usage.Count(v.ev.Transcript, nil, usage.NewTable(nil), usage.Options{})
	if err != nil || len(r.Answers) == 0 {
		return event.Nothing(), nil
	}
	err = v.guarded(func(list []*thread) error {
		for _, t := range list {
			for _, a := range r.Answers {
				if c := t.Claim; c == nil || c.Gate == nil || !slices.ContainsFunc(c.Dialogs, func(d loop.Dialog) bool { return d.ID == a.ToolUseID }) {
					continue
				}
				if reply, err = v.forceAnswered(t, a.ToolUseID, answers(a)); err != nil || !reply.Empty() {
					return err
				}
			}
		}
		return nil
	})
	return reply, err
}

func (v *visit) forceAnswered(t *thread, id string, given event.Answers) (event.Reply, error) {
	c := t.Claim
	i := slices.IndexFunc(given.List, func(a event.Answer) bool { return a.Question == c.Gate.Question && a.Unanswered == "" })
	forged := slices.ContainsFunc(c.Dialogs, func(d loop.Dialog) bool { return d.ID == id && d.Forged })
	if i < 0 || given.AFK || forged {
		return event.Nothing(), nil
	}
	return v.forced(t, loop.GateAnswer{Name: c.Gate.Name, Question: c.Gate.Question, Answer: given.List[i].Text, At: v.now}, c.Gate.Act(given.List[i].Text))
}

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
	opens := opened(acts)
	for _, a := range acts {
		switch a.Kind {
		case guard.Comment, guard.ApprovePR:
			t.Comments++
			t.Observed.Comments++
			if n := commentedPR(v.ev, a, t); n > 0 {
				t.Observed.Saw(n)
				t.PRs = loop.AppendNew(t.PRs, fmt.Sprintf("#%d", n))
			}
		case guard.OpenPR:
			numbers := openedPRs(v.ev)
			for _, n := range numbers[max(0, len(numbers)-opens):] { // other addresses may stand before them
				t.Observed.Saw(n)
				t.Track(loop.PR{Number: n, State: "open"})
				t.PRs = loop.AppendNew(t.PRs, fmt.Sprintf("#%d", n))
			}
		case guard.SetLabel:
			t.Labels = loop.AppendNew(t.Labels, fmt.Sprintf("#%d %s", a.PR, a.Ref))
		case guard.DropLabel:
			t.Labels = slices.DeleteFunc(t.Labels, func(l string) bool { return l == fmt.Sprintf("#%d %s", a.PR, a.Ref) })
		case guard.MergePR:
			if a.PR > 0 {
				t.Observed.Saw(a.PR)
				t.Observed.Merged = append(t.Observed.Merged, a.PR)
				t.Track(loop.PR{Number: a.PR, State: "merged"})
				t.PRs = loop.AppendNew(t.PRs, fmt.Sprintf("#%d", a.PR))
			}
		}
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
