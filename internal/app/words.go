package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
)

// words formats a reply.
func (h *handler) words(t *store.State, r loop.Reply) event.Reply {
	reply := event.Reply{}
	switch {
	case r.Refuse != "":
		return h.refusal(t, r)
	case r.Draining:
		return h.told(t,
			"Workers of the interrupted iteration are still running. Nothing new is dispatched, "+
				"and the report follows when they end.")
	case r.Answers != nil:
		return reply.Context(h.afterAnswers(t, r.Answers))
	case r.PassedOver != nil:
		return h.passedOver(t, r.PassedOver)
	case r.Force != nil:
		return reply.Context(report.Ask([]loop.Gate{loop.AskForceUnlock()})).
			Say(fmt.Sprintf("hooks: the lock is held by pid %d; asking whether to force it",
				r.Force.PID))
	case r.Ask != nil:
		return event.Ask(h.questionsOf(t, r.Ask)...)
	case r.Deny != nil:
		reply = h.denial(t, r.Deny).Context(r.Context).Say(r.Say)
		if r.Closed != nil { // no Stop will report the end
			over := loop.Reply{Closed: r.Closed, Between: r.Between, AtStop: true}
			reply = reply.Say(h.ended(t, over).Said)
		}
		return reply
	case r.Closed != nil:
		reply = h.ended(t, r)
	}
	if r.Prompt != "" {
		reply = event.Send(h.ev.Input, h.agent(t), r.Prompt)
	}
	reply = reply.Context(r.Context).Context(r.Say).Say(r.Say)
	if len(r.Missed) > 0 {
		text := report.Missed(r.Missed)
		reply = reply.Context(text).Say(text)
	}
	if r.Continue != nil {
		h.out.Until = r.Continue.Until
		return event.Block(report.Continue(t.Budget, r.Continue)).And(reply)
	}
	return reply
}

// refusal formats the refusal of a prompt, and the end of an iteration if the prompt revealed it.
func (h *handler) refusal(t *store.State, r loop.Reply) event.Reply {
	text := r.Refuse
	if r.Closed != nil { // the client shows only the refusal's own text
		text += "\n" + h.ended(t, loop.Reply{Closed: r.Closed, AtStop: true}).Said
	}
	reply := event.Block(text)
	reply.Hidden = r.Hidden
	return reply
}

// ended formats the end of an iteration: its status block, and the final report if the run ended.
func (h *handler) ended(t *store.State, r loop.Reply) event.Reply {
	run, line := &r.Closed.Budget, r.Closed
	text := report.Status(line, report.Wake(run))
	if r.Between {
		text = report.Notes(line.Notes)
	}
	if run.Status == loop.Active {
		return event.Reply{}.Say(text)
	}
	text = strings.TrimSpace(text + "\n\n" + h.finalReport(t))
	switch {
	case r.AtStop:
		return event.Reply{}.Say(text)
	case r.Wakes:
		return event.Block(text)
	}
	return h.told(t, text)
}

// finalReport formats the final report, with the gates and denials from the run's whole history.
func (h *handler) finalReport(t *store.State) string {
	r := report.Ended{
		Budget: filepath.ToSlash(t.BudgetPath), History: store.HistoryPath(t.Skill),
		Elsewhere: t.BudgetPath != store.DefaultBudgetPath(t.Skill),
	}
	for raw, err := range h.files.RawLines(t.Skill) {
		var l *loop.Iteration
		if err == nil {
			l, err = raw.Skim("cursors", "usage_by_model")
		}
		if err != nil || l.RunID != t.Budget.RunID {
			continue // the doctor reports damaged lines
		}
		for _, g := range l.Gates {
			r.Asked = append(r.Asked, report.Asked{Iteration: l.Iteration, GateAnswer: g})
		}
		for _, d := range l.Denied {
			r.Denied = loop.AddDenial(r.Denied, d)
		}
		r.LastError, r.Left, r.Overrun = l.LastQmdError, l.Left, l.Overrun
	}
	return report.Final(t.Budget, r)
}

// told shows text to the person and tells the model that the loop was interrupted.
func (h *handler) told(t *store.State, text string) event.Reply {
	model := "The loop was interrupted. Dispatch nothing new, and do not continue its iteration."
	if len(t.Budget.Scheduled) > 0 {
		model += " Delete its schedule with CronDelete (or ScheduleWakeup {\"stop\":true})."
	}
	return event.Reply{}.Say(text).Context(model)
}

// passedOver formats the reply for an iteration that did not begin. It shows the run's current
// state, because another iteration of the run may be open.
func (h *handler) passedOver(t *store.State, o *loop.PassedOver) event.Reply {
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
		return event.Reply{}.Context(o.Text).Say(text)
	}
	return event.Block(paragraphs(o.Text, text))
}

// denial formats a refusal: what was refused, the waiting questions, and the next step.
func (h *handler) denial(t *store.State, d *loop.Deny) event.Reply {
	waits := ""
	if d.Ask != nil {
		waits = report.Waits(d.Ask)
	}
	hint := h.call().Hint(d, h.config(t).Tracker)
	reply := event.Deny(paragraphs(d.Text, waits, hint)).Say(d.Say)
	reply.Rule, reply.Ends = d.Rule, d.Ends
	return reply
}

// questionsOf converts gates to questions for the client's dialog.
func (h *handler) questionsOf(t *store.State, gates []loop.Gate) (list []event.Question) {
	besides := slices.ContainsFunc(h.runs.list, func(o *store.State) bool {
		active := o.Budget != nil && o.Budget.Status == loop.Active
		return o.Skill != t.Skill && (active || forcing(o))
	})
	for _, g := range gates {
		q := event.Question{Question: g.Question, Header: g.Header, Options: g.Options}
		if besides { // both loops may ask the same question
			q.Header = string(t.Skill) + " loop"
		}
		list = append(list, q)
	}
	return list
}

// afterAnswers formats the effects of a person's answers and the next step for the model.
func (h *handler) afterAnswers(t *store.State, a *loop.Answered) string {
	var text []string
	for _, one := range a.List {
		text = append(text, h.acted(t, one))
	}
	tick := t.Tick
	switch {
	case tick.Halting():
		text = append(text, "The loop ends with this iteration. Dispatch nothing, schedule "+
			"nothing, and end the turn now.")
	case tick.Kept():
		text = append(text, "The person answered hold at a gate. End the turn now; "+
			"the loop pauses.")
	case len(tick.Pending) > 0:
		text = append(text, report.Ask(tick.Pending))
	case a.Begun:
		text = append(text, tick.Notes...)
		text = append(text, report.LeftAlone(t.Budget, tick)...)
		if tick.Replan && len(tick.Report.Plan) == 0 {
			text = append(text, "Report the new plan before you send a worker.")
		}
		text = append(text, "Continue with iteration "+strconv.Itoa(tick.Iteration)+
			". Budget remaining: "+report.Remaining(h.runNow(t)))
		if order := h.taskContext(t); order != "" {
			text = append(text, order)
		}
	}
	return strings.Join(text, "\n")
}

// acted describes one answer and its effect in one line.
func (h *handler) acted(t *store.State, a loop.Acted) string {
	switch {
	case a.Gate.Name == "":
		return fmt.Sprintf("Recorded: %q", a.Text)
	case a.As == "merge" && a.Gate.HeadSHA != "":
		kind := h.call().Forge(h.config(t).Tracker)
		way := "add " + tracker.HeadFlag(kind, a.Gate.HeadSHA)
		if kind == forge.Gitea {
			pr, _ := strconv.Atoi(strings.TrimPrefix(a.Gate.Target, "PR #"))
			way = tracker.MergeCommand(kind, pr, a.Gate.HeadSHA)
		}
		return fmt.Sprintf("Gate %s: the person answered %q for commit %s. Merge only that "+
			"commit: %s", a.Gate.Name, a.Text, a.Gate.HeadSHA, way)
	case a.As == strings.ToLower(strings.TrimSpace(a.Text)):
		return fmt.Sprintf("Gate %s: the person answered %q", a.Gate.Name, a.Text)
	}
	return fmt.Sprintf("Gate %s: the person answered %q, which acts as %s", a.Gate.Name, a.Text,
		a.As)
}

// paragraphs joins the non-empty parts with newlines.
func paragraphs(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}
