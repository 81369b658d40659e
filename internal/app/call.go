package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
	"hooks/internal/usage"
)

// toolCall is the call as loops judge it.
func (h *handler) toolCall() loop.Call {
	c := loop.Call{
		Turn: h.turn(), Tool: h.ev.Tool, ID: h.ev.ToolUseID, Input: h.ev.Input.Raw,
		Agent: h.ev.AgentID, Asks: h.ev.Asks(), EndsSchedule: h.ev.EndsSchedule(),
		Background: h.ev.Flag("run_in_background") || h.ev.Tool == "Monitor",
		Outside:    guard.Outside(h.input()),
	}
	_, c.Edits = h.fileTool()
	switch h.ev.Tool {
	case "TaskStop", "KillShell", "KillBash":
		c.Finishes = true
	}
	if prompt, ok := h.ev.Schedules(); ok {
		c.Schedules = &loop.Later{Prompt: prompt}
	}
	task := func(text string) *loop.Task {
		return &loop.Task{Text: text, Issues: mentions(text),
			Replayed: h.replayRepo != nil, Type: h.ev.Text("subagent_type")}
	}
	switch {
	case h.ev.Dispatches():
		c.Sends = task(h.ev.Text("prompt") + " " + h.ev.Text("description"))
	case h.ev.Tool == "SendMessage" && c.Agent == "":
		c.Tells = task(h.ev.Text("message"))
	}
	return c
}

// fetchCall looks up what a Step needs to judge a call.
func (h *handler) fetchCall(t *loopState, l *lookup, k *loop.Known) {
	fill(l, &k.Running, func() loop.RunningNow {
		r, err := h.runningCount(t)
		if h.ev.Name == event.PreToolUse && h.replayRepo == nil && nearCeiling(t, r.Running) {
			usage.AwaitCall(h.transcript(t, loop.Call{}), h.ev.AgentID, h.ev.ToolUseID)
			r, err = h.runningCount(t)
		}
		h.slip(err)
		k.Model = loop.Fetched(h.model(t, r.Cursors))
		return r
	})
	fill(l, &k.Overrun, func() int { return h.config(t).Overrun })
	fill(l, &k.Reading, func() loop.Reading { return h.reading(t) })
	fill(l, &k.Looks, func() (is loop.Looks) {
		is.Only = guard.ReadOnly(h.call()) || h.runsOneTest(t)
		is.Check = h.runsCheck(t)
		if t.Budget != nil && t.Budget.Audit != nil {
			_, is.Reports = guard.Reported(h.call())
			is.Files = h.printedBy(t)
		}
		return is
	})
	fill(l, &k.Commits, func() bool { return guard.Finishing(h.call(), h.repo, h.below(h.project)) })
	fill(l, &k.Merging, func() []loop.Looked { return h.askMerging(t, k.Reading.Is.Acts) })
	fill(l, &k.Words, func() string { return h.config(t).Redact(loop.Secrets(h.whatCall())) })
}

// nearCeiling reports whether half of the run's dollars are spent: then the answer that makes a
// call is waited for, so that it counts at once.
func nearCeiling(t *loopState, r loop.Running) bool {
	most := t.Budget.Ceilings.Dollars
	return most > 0 && t.Budget.DollarsEstimate.Plus(r.Dollars) >= most/2
}

// runningCount counts what the iteration has spent until now, and how much of that was read in this
// call.
func (h *handler) runningCount(t *loopState) (r loop.RunningNow, err error) {
	r.Running, _ = t.Tick.Spending(t.Budget)
	path, cursors, fresh := h.growing(t)
	rates := func() usage.Table { return usage.NewTable(h.config(t).Rates) }
	look, err := usage.Running(path, cursors, fresh, rates)
	r.Dollars = r.Dollars.Plus(look.Dollars)
	r.Cursors, r.Read = loop.Overlay(r.Cursors, look.Cursors), look.Read
	return r, err
}

// model compares the model of the main thread's last request with the dearest one of the run.
func (h *handler) model(t *loopState, cursors []loop.Cursor) loop.Model {
	m := loop.Model{Name: usage.MainModel(cursors), Than: t.Budget.Model}
	if m.Name != m.Than && m.Name != "" && m.Than != "" {
		m.Tenths = usage.NewTable(h.config(t).Rates).Dearer(m.Name, m.Than)
	}
	return m
}

// growing is what grows while the iteration runs: its transcript, the cursors from which it is
// counted, and the transcripts of workers that have none. The history has the cursor of a worker
// that had ended and was sent on; one whose transcript began in this iteration is not in it.
func (h *handler) growing(t *loopState) (path string, cursors []loop.Cursor, fresh []string) {
	path = h.transcript(t, loop.Call{})
	_, cursors = t.Tick.Spending(t.Budget)
	fresh = usage.Fresh(path, cursors, t.Tick.Workers, h.ev.AgentID)
	old := slices.DeleteFunc(slices.Clone(fresh), func(name string) bool {
		return usage.Began(path, name).After(t.Tick.StartedAt)
	})
	if len(old) > 0 {
		ended, err := h.files.Ended(t.Budget, path, old)
		h.slip(err)
		cursors = append(slices.Clip(cursors), ended...)
	}
	return path, cursors, fresh
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

// openInOther reports whether the session's other loop has an iteration open.
func (h *handler) openInOther(t *loopState) bool {
	return slices.ContainsFunc(h.runs, func(o *loopState) bool {
		return o.Skill != t.Skill && h.open(o)
	})
}

// denial puts a refusal into words: what was refused, the questions that wait, and what to do.
func (h *handler) denial(t *loopState, d *loop.Deny) event.Reply {
	text := []string{d.Text}
	if d.Ask != nil {
		text = append(text, report.Waits(d.Ask))
	}
	switch {
	case d.Plainly:
		text = append(text, "hint: "+fmt.Sprintf(d.Hint, h.mergePlainly(t, d.Act, d.SHA)))
	case d.Hint != "":
		text = append(text, "hint: "+d.Hint)
	}
	reply := event.Deny(strings.Join(text, "\n")).By(d.Rule).Say(d.Say)
	if d.Ends {
		reply = reply.Ends()
	}
	return reply
}

// askGates fills the dialog with the questions of a loop.
func (h *handler) askGates(t *loopState, gates []loop.Gate) event.Reply {
	var list []event.Question
	for _, g := range gates {
		q := event.Question{Question: g.Question, Header: g.Header}
		if h.besides(t) { // the words of both loops may be the same
			q.Header = string(t.Skill) + " loop"
		}
		for _, o := range g.Options {
			q.Options = append(q.Options, event.Option{Label: o.Label, Description: o.Description})
		}
		list = append(list, q)
	}
	return event.Ask(list...)
}

// besides reports whether the session has another loop that has not ended.
func (h *handler) besides(t *loopState) bool {
	return slices.ContainsFunc(h.runs, func(o *loopState) bool {
		active := o.Budget != nil && o.Budget.Status == loop.Active
		return o.Skill != t.Skill && (active || o.forcing())
	})
}

// mergePlainly is the forge's own command for what a call tried to merge, bound to a commit where
// one is given: the call's own if it lacks just that. N stands for a PR that the call does not
// name.
func (h *handler) mergePlainly(t *loopState, a loop.Act, sha string) string {
	kind, pr := h.forge(t), "N"
	if kind == "" {
		program, _, _ := strings.Cut(a.Command, " ")
		kind = tracker.ForgeOfClient(program)
	}
	if a.PR > 0 {
		pr = strconv.Itoa(a.PR)
	}
	plain, flag := tracker.MergeCommand(kind, pr), tracker.HeadFlag(kind, sha)
	switch {
	case sha == "":
		return plain
	case a.SHA == "" && flag != "" && strings.HasPrefix(a.Command, plain) &&
		!strings.Contains(a.Command, "…"):
		return a.Command + " " + flag
	}
	return tracker.MergeAt(kind, pr, sha)
}

// forge is the kind of a run's forge, "" where it is not known or asked by a command.
func (h *handler) forge(t *loopState) string {
	place, _ := forge.Choose(h.Env, h.config(t).Tracker, tracker.Repo(h.Env, h.project))
	if place.Kind == forge.Command {
		return tracker.ForgeOf(place.Host)
	}
	return place.Kind
}
