package app

import (
	"fmt"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// passedOver puts a tick that did not begin into words. The run that it belongs to is shown as it
// is now, because its iteration may be open.
func (h *handler) passedOver(t *loopState, o *loop.PassedOver) event.Reply {
	line := *o.Line
	if o.Run == nil && t.Budget != nil && t.Budget.Status == loop.Active {
		line.Budget = *h.runNow(t)
	}
	text := report.Status(&line, "when the schedule fires again")
	if o.Run != nil {
		ended := report.Ended{
			Budget: "none: this loop never began", History: store.HistoryPath(o.Run.Skill),
		}
		if o.Answer != nil {
			asked := report.Asked{Iteration: o.Line.Iteration, GateAnswer: *o.Answer}
			ended.Asked = []report.Asked{asked}
		}
		text = report.Status(o.Line, "Loop ended") + "\n\n" + report.Final(o.Run, ended)
	}
	if o.Answer != nil {
		return event.Nothing().Context(o.Text).Say(text)
	}
	return event.Block(lines(o.Text, text))
}

// forceAsked puts the question before another's lock is taken into words.
func forceAsked(a *loop.Admission) event.Reply {
	ask := report.Ask([]loop.Gate{loop.AskForceUnlock()})
	return event.Nothing().Context(ask).
		Say(fmt.Sprintf("hooks: the lock is held by pid %d; asking whether to force it", a.PID))
}
