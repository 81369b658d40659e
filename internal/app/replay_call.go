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

// call takes a tool call of the past through the rules: what holds it back, and what it brought where nothing does.
func (w *rerun) call(st *replay.Step) {
	v := &visit{App: w.App, now: st.At.UTC(), ev: called(st.Moment, w.id), past: &guard.Repo{Branch: st.Branch}}
	v.ev.PromptID = w.session.PromptID()
	if v.ev.Asks() {
		w.dialog(st)
		return
	}
	if seen := w.session.Seen(); seen != nil {
		if v.ev.Dispatches() {
			seen.RecordWorker(v.toolCall())
		}
		v.brings(seen, st)
	}
	refused := false
	v.runs = w.addressed(v)
	for _, t := range v.runs {
		refused = w.refused(v, t) || refused
	}
	for _, t := range v.runs {
		if v.open(t) && !refused {
			v.brings(t.Tick, st)
		}
	}
}

// addressed are the runs that a call is judged by. A question that keeps the call back is settled first.
func (w *rerun) addressed(v *visit) []*thread {
	var list []*thread
	for _, t := range w.session.Threads() {
		if t.Tick != nil && !v.ev.InSubagent() && len(t.Tick.Held()) > 0 {
			w.session.Settle(t, v.now)
		}
		list = append(list, &thread{t.Skill, store.State{Budget: t.Run, Tick: t.Tick}})
	}
	return v.addressed(list)
}

// brings counts into a tick what a call brought.
func (v *visit) brings(t *loop.Tick, st *replay.Step) {
	if st.Result == nil {
		return
	}
	after := *v
	after.ev.Name, after.ev.Response, after.ev.Error = event.PostToolUse, st.Result.Response, st.Result.Error
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

// refused says whether a run's rules keep a call back, and tells why. A call about which a person is asked is told by
// the question.
func (w *rerun) refused(v *visit, t *thread) bool {
	reply := w.judge(v, t)
	if !reply.Blocks() {
		return false
	}
	r := v.read()
	asked := func(a guard.Act) bool { return t.Tick != nil && t.Tick.AsksMerge(a.PR) }
	if !slices.ContainsFunc(r.Merges(), asked) && (t.Tick == nil || len(t.Tick.Held()) == 0) {
		reason, _, _ := strings.Cut(reply.Reason(), "\n")
		w.session.Deny(report.Denial{
			Tool:   v.ev.Tool,
			Call:   v.inWords(r),
			Rule:   cmp.Or(reply.Rule(), loop.OtherRule),
			Reason: reason,
			Agent:  v.ev.AgentID,
			At:     v.now,
		})
	}
	return true
}

// judge steps a run by a call, with what the transcript has of it. Money that an open iteration has
// spent is not looked at before the iteration ends.
func (w *rerun) judge(v *visit, t *thread) event.Reply {
	known := loop.Known{
		Has: ^loop.Need(0), Beside: v.openInOther(t),
		Count:   loop.Count{Spent: w.session.Spent(), Clock: loop.Clock{Wall: v.now}},
		Running: loop.Running{From: t.Budget.DollarsEstimate},
	}
	if call := v.toolCall(); call.Sends == nil && call.Schedules == nil {
		known.Reading = v.reading(t)
	}
	o := loop.Step(t.values(), known, v.toolCall())
	if o.Save.Tick != nil {
		t.Tick = o.Save.Tick
		w.session.SetTick(t.skill, t.Tick)
	}
	return v.words(t, o.Reply)
}

// inWords is a call as a person would name it.
func (v *visit) inWords(r guard.Reading) string {
	command, shell := v.ev.ShellCommand()
	switch {
	case len(r.Acts) > 0:
		return r.Acts[0].Command
	case shell:
		return command
	}
	return strings.TrimSpace(v.ev.Tool + " " + v.ev.Text("description"))
}
