package app

import (
	"fmt"
	"strconv"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
)

// afterAnswers is what the model is given after a person's answers: how each acts, and what comes
// next.
func (h *handler) afterAnswers(t *loopState, a *loop.Answered) string {
	var text []string
	for _, one := range a.List {
		text = append(text, h.acted(t, one))
	}
	tick := t.Tick
	switch {
	case tick.Halting():
		text = append(text, "The loop ends with this iteration. Dispatch nothing, schedule "+
			"nothing, end the turn now.")
	case tick.Kept():
		text = append(text, "The person holds the loop at a gate. End the turn now; it pauses.")
	case len(tick.Pending) > 0:
		text = append(text, report.Ask(tick.Pending))
	case a.Begun:
		text = append(text, tick.Notes...)
		text = append(text, report.LeftAlone(t.Budget, tick)...)
		if tick.Replan && len(tick.Report.Plan) == 0 {
			text = append(text, "Report the new plan before a worker is sent.")
		}
		text = append(text, "Continue with iteration "+strconv.Itoa(tick.Iteration)+
			". Budget remaining: "+report.Remaining(h.runNow(t)))
		if order := h.taskContext(t); order != "" {
			text = append(text, order)
		}
	}
	return strings.Join(text, "\n")
}

// acted is one answer in a line.
func (h *handler) acted(t *loopState, a loop.Acted) string {
	switch {
	case a.Gate.Name == "":
		return fmt.Sprintf("Recorded: %q", a.Text)
	case a.As == "merge" && a.Gate.HeadSHA != "":
		kind := h.forge(t)
		way := "add " + tracker.HeadFlag(kind, a.Gate.HeadSHA)
		if kind == forge.Gitea {
			pr := strings.TrimPrefix(a.Gate.Target, "PR #")
			way = tracker.MergeAt(kind, pr, a.Gate.HeadSHA)
		}
		return fmt.Sprintf("Gate %s: the person answered %q for commit %s. Merge just that: %s",
			a.Gate.Name, a.Text, a.Gate.HeadSHA, way)
	case a.As == strings.ToLower(strings.TrimSpace(a.Text)):
		return fmt.Sprintf("Gate %s: the person answered %q", a.Gate.Name, a.Text)
	}
	return fmt.Sprintf("Gate %s: the person answered %q, which acts as %s", a.Gate.Name, a.Text,
		a.As)
}
