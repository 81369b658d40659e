package app

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/replay"
	"hooks/internal/report"
	"hooks/internal/store"
)

// call judges a past tool call, and counts its effects unless it is refused.
func (w *rerun) call(st *replay.Step) {
	h := &handler{App: w.App, now: st.At.UTC(), ev: called(st.Moment, w.id),
		replayRepo: &guard.Repo{Branch: st.Branch}}
	h.ev.PromptID = w.session.PromptID()
	if h.ev.Asks() {
		w.dialog(st)
		return
	}
	if seen := w.session.Seen(); seen != nil {
		if h.ev.Dispatches() {
			seen.RecordWorker(h.toolCall())
		}
		h.brings(seen, st)
	}
	refused := false
	h.runs = w.addressed(h)
	for _, t := range h.runs {
		refused = w.refused(h, t) || refused
	}
	for _, t := range h.runs {
		if h.open(t) && !refused {
			h.brings(t.Tick, st)
		}
	}
}

// addressed are the runs that a call is judged by. A question that holds the call back is settled
// first.
func (w *rerun) addressed(h *handler) []*loopState {
	var list []*loopState
	for _, t := range w.session.Threads() {
		if t.Tick != nil && !h.ev.InSubagent() && len(t.Tick.Held()) > 0 {
			w.session.Settle(t, h.now)
		}
		list = append(list, &loopState{store.State{Skill: t.Skill, Budget: t.Run, Tick: t.Tick}})
	}
	return h.addressed(list)
}

// brings counts into a tick what a call brought.
func (h *handler) brings(t *loop.Tick, st *replay.Step) {
	if st.Result == nil {
		return
	}
	after := *h
	after.ev.Name, after.ev.Response = event.PostToolUse, st.Result.Response
	after.ev.Error = st.Result.Error
	if after.ev.Error != "" {
		after.ev.Name = event.PostToolUseFailure
	}
	t.RecordEffects(after.result())
}

// dialog takes over a person's answers to the very questions that the rules ask.
func (w *rerun) dialog(st *replay.Step) {
	asked := event.Event{Name: event.PreToolUse, Tool: st.Tool, Input: st.Input}
	if st.Result == nil || asked.Answers().Forged {
		return
	}
	given := event.ParseAnswers(st.Result.Response)
	for _, a := range given.List {
		if a.Unanswered == "" && !given.AFK {
			w.session.Answered(a.Question, a.Text, st.Result.At)
		}
	}
}

// refused reports whether a run's rules refuse a call, and records why. Where a person is asked
// about the call, the question is recorded instead.
func (w *rerun) refused(h *handler, t *loopState) bool {
	reply := w.judge(h, t)
	if !reply.Blocks() {
		return false
	}
	r := h.read()
	asked := func(a guard.Act) bool { return t.Tick != nil && t.Tick.AsksMerge(a.PR) }
	if !slices.ContainsFunc(r.Merges(), asked) && (t.Tick == nil || len(t.Tick.Held()) == 0) {
		reason, _, _ := strings.Cut(reply.Reason(), "\n")
		w.session.Deny(report.Denial{
			Tool:   h.ev.Tool,
			Call:   h.inWords(r),
			Rule:   cmp.Or(reply.Rule(), loop.OtherRule),
			Reason: reason,
			Agent:  h.ev.AgentID,
			At:     h.now,
		})
	}
	return true
}

// judge steps a run by a call, with what the transcript has of it. Money that an open iteration has
// spent is not looked at before the iteration ends.
func (w *rerun) judge(h *handler, t *loopState) event.Reply {
	known := loop.Known{
		Bare:  true,
		Count: loop.Fetched(loop.Count{Spent: w.session.Spent(), Clock: loop.Clock{Wall: h.now}}),
		Running: loop.Fetched(loop.RunningNow{
			Running: loop.Running{From: t.Budget.DollarsEstimate},
		}),
	}
	reading := loop.Reading{Beside: h.openInOther(t)}
	if call := h.toolCall(); call.Sends == nil && call.Schedules == nil {
		reading = h.reading(t)
	}
	var merging []loop.Looked
	for i := range reading.Acts { // no one can be asked any more: a person decides
		a := &reading.Acts[i]
		a.SHA, a.Alone = "", true
		pr := loop.PR{Number: a.PR, HeadSHA: "unknown", HumanFeedback: new(true)}
		merging = append(merging, loop.Looked{PR: pr})
	}
	known.Reading, known.Merging = loop.Fetched(reading), loop.Fetched(merging)
	o := loop.Step(t.values(), known, h.toolCall())
	if o.Save.Tick != nil {
		t.Tick = o.Save.Tick
		w.session.SetTick(t.Skill, t.Tick)
	}
	return h.words(t, o.Reply)
}

// inWords is a call as a person would name it.
func (h *handler) inWords(r guard.Reading) string {
	command, shell := h.ev.ShellCommand()
	switch {
	case len(r.Acts) > 0:
		return r.Acts[0].Command
	case shell:
		return command
	}
	return strings.TrimSpace(h.ev.Tool + " " + h.ev.Text("description"))
}
