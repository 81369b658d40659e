package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/printable"
	"hooks/internal/report"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// takeAnswers records the answers of one dialog, verbatim. Those of a call that brought its own answers, that nobody
// answered, or that resolved itself while the person was away are none. Questions of the skill's own are recorded
// too, under the name question (R120).
func (v *visit) takeAnswers(t *thread, id string, given event.Answers) event.Reply {
	i := t.Tick.Shown(id)
	if given.AFK || i >= 0 && (t.Tick.Dialogs[i].Forged || t.Tick.Dialogs[i].Done) {
		return event.Nothing()
	}
	var dialog loop.Dialog // without one, nothing was shown that a gate asked
	if i >= 0 {
		t.Tick.Dialogs[i].Done = true
		dialog = t.Tick.Dialogs[i]
	} else if !t.Tick.Once(event.PostToolUse, id, v.ev.Input.Raw) {
		return event.Nothing()
	}
	var told []string
	for _, a := range given.List {
		if a.Unanswered != "" {
			continue
		}
		told = append(told, v.takeAnswer(t, dialog, a))
	}
	if len(told) == 0 {
		return event.Nothing()
	}
	begun := loop.StartBody(t.Budget, t.Tick)
	return event.Nothing().Context(v.afterAnswers(t, told, begun))
}

func (v *visit) takeAnswer(t *thread, dialog loop.Dialog, a event.Answer) string {
	answer := loop.GateAnswer{Name: "question", Question: a.Question, Answer: a.Text, At: v.now}
	i := slices.IndexFunc(t.Tick.Pending, func(g loop.Gate) bool { return g.Question == a.Question || printable.Text(g.Question) == a.Question })
	if i < 0 || !dialog.Shows(a.Question, printable.Text) {
		t.Tick.Answered = append(t.Tick.Answered, answer)
		return fmt.Sprintf("Recorded: %q", a.Text)
	}
	g := t.Tick.Pending[i]
	answer.Name, answer.Target, answer.Question = g.Name, g.Target, g.Question // as it stands, not as a terminal may show it
	act := loop.Answer(t.Budget, t.Tick, i, answer)
	if act == "merge" && g.HeadSHA != "" {
		text := fmt.Sprintf("Gate %s: the person answered %q for commit %s. Merge just that",
			g.Name, a.Text, g.HeadSHA)
		if flag := tracker.HeadFlag(v.forge(), g.HeadSHA); flag != "" {
			text += ": add " + flag
		}
		return text
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
		if tick.Replan && len(tick.Report.Plan) == 0 {
			told = append(told, "Report the new plan before a worker is sent.")
		}
		told = append(told, "Go on with iteration "+strconv.Itoa(tick.Iteration)+". Budget remaining: "+report.Remaining(t.Budget))
	}
	return strings.Join(told, "\n")
}

// missedAnswers takes answers from the transcript that no event brought (PostToolUse may not be registered).
func (v *visit) missedAnswers(t *thread) (found bool) {
	if !t.Tick.Unheard() || t.Budget.Heard(t.Tick.SessionID, event.WordOf(event.PostToolUse)) {
		return false // where events bring answers, a transcript alone brings none
	}
	r, err := usage.Count(v.ev.Transcript, t.Budget.Cursors, usage.NewTable(nil))
	if err != nil {
		return false
	}
	for _, a := range r.Answers {
		known := slices.ContainsFunc(t.Tick.Dialogs, func(d loop.Dialog) bool { return d.ID == a.ToolUseID && !d.Done })
		found = known && !v.takeAnswers(t, a.ToolUseID, event.ParseAnswers(a.Result)).Empty() || found
	}
	return found
}
