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
func (v *visit) toolCall() loop.Call {
	c := loop.Call{
		Turn: v.turn(), Tool: v.ev.Tool, ID: v.ev.ToolUseID, Input: v.ev.Input.Raw,
		Agent: v.ev.AgentID, Asks: v.ev.Asks(), EndsSchedule: v.ev.EndsSchedule(),
		Background: v.ev.Flag("run_in_background") || v.ev.Tool == "Monitor",
	}
	switch v.ev.Tool {
	case "TaskStop", "KillShell", "KillBash":
		c.Finishes = true
	}
	if prompt, ok := v.ev.Schedules(); ok {
		c.Schedules = &loop.Later{Prompt: prompt}
	}
	if v.ev.Dispatches() {
		task := v.ev.Text("prompt") + " " + v.ev.Text("description")
		c.Sends = &loop.Task{Issues: guard.Mentions(task), Replayed: v.past != nil}
	}
	return c
}

// fetchCall looks up what a Step needs to judge a call.
func (v *visit) fetchCall(t *thread, k *loop.Known, need loop.Need) (err error) {
	if need&loop.NeedRunning != 0 {
		k.Running, k.Read, err = v.runningCount(t)
		k.Overrun = v.config().Overrun
		v.slip(err)
	}
	if need&loop.NeedReading != 0 {
		k.Reading, k.Beside = v.reading(t), v.openInOther(t)
	}
	if need&loop.NeedLooks != 0 {
		k.Looks = guard.ReadOnly(v.call())
	}
	if need&loop.NeedCommits != 0 {
		k.Commits = guard.Finishing(v.call(), v.repo, v.below(v.project))
	}
	if need&loop.NeedMerging != 0 {
		k.Merging = v.askMerging(t, k.Reading.Acts)
	}
	if need&loop.NeedWords != 0 {
		k.Words = v.config().Redact(loop.Secrets(v.whatCall()))
	}
	if need&loop.NeedPrevious != 0 {
		k.Previous, err = v.previous(t.skill, t.Budget)
		return err
	}
	return nil
}

// runningCount counts what the iteration has spent until now, and how much of that was read in this
// call.
func (v *visit) runningCount(t *thread) (r loop.Running, read int64, err error) {
	r, cursors := t.Tick.Spending(t.Budget)
	rates := func() usage.Table { return usage.NewTable(v.config().Rates) }
	look, err := usage.Running(v.transcript(t, loop.Call{}), cursors, rates)
	r.Dollars = r.Dollars.Plus(look.Dollars)
	r.Cursors = loop.Overlay(r.Cursors, look.Cursors)
	return r, look.Read, err
}

// keepAtResult is how many bytes of transcript the next look may read again before a tool's result
// saves the running count.
const keepAtResult = 256 << 10

// keepRunning saves the running counts of the open iterations, once much of the transcripts is new.
func (v *visit) keepRunning(list []*thread) {
	for _, t := range list {
		if !v.open(t) || t.Budget.Ceilings.Dollars == 0 {
			continue
		}
		_, cursors := t.Tick.Spending(t.Budget)
		if usage.Grown(v.transcript(t, loop.Call{}), cursors) < keepAtResult {
			continue
		}
		running, _, err := v.runningCount(t)
		v.slip(err)
		_, err = v.stepOne(t, loop.Grown{Turn: v.turn(), Running: running})
		v.slip(err)
	}
}

// openInOther reports whether the session's other loop has an iteration open.
func (v *visit) openInOther(t *thread) bool {
	return slices.ContainsFunc(v.runs, func(o *thread) bool { return o.skill != t.skill && v.open(o) })
}

// denial puts a refusal into words: what was refused, the questions that wait, and what to do.
func (v *visit) denial(d *loop.Deny) event.Reply {
	text := []string{d.Text}
	if d.Ask != nil {
		text = append(text, report.Ask(d.Ask))
	}
	switch {
	case d.Plainly:
		text = append(text, "hint: "+fmt.Sprintf(d.Hint, v.mergePlainly(d.Act, d.SHA)))
	case d.Hint != "":
		text = append(text, "hint: "+d.Hint)
	}
	return event.Deny(strings.Join(text, "\n")).By(d.Rule).Say(d.Say)
}

// askGates fills the dialog with the questions of a loop.
func (v *visit) askGates(t *thread, gates []loop.Gate) event.Reply {
	var list []event.Question
	for _, g := range gates {
		q := event.Question{Question: g.Question, Header: g.Header}
		if v.besides(t) { // the words of both loops may be the same
			q.Header = string(t.skill) + " loop"
		}
		for _, o := range g.Options {
			q.Options = append(q.Options, event.Option{Label: o.Label, Description: o.Description})
		}
		list = append(list, q)
	}
	return event.Ask(list...)
}

// besides reports whether the session has another loop that has not ended.
func (v *visit) besides(t *thread) bool {
	return slices.ContainsFunc(v.runs, func(o *thread) bool {
		active := o.Budget != nil && o.Budget.Status == loop.Active
		return o.skill != t.skill && (active || o.forcing())
	})
}

// mergePlainly is the forge's own command for what a call tried to merge, bound to a commit where
// one is given and the client can be bound. N stands for a PR that the call does not name.
func (v *visit) mergePlainly(a loop.Act, sha string) string {
	kind, pr := v.forge(), "N"
	if kind == "" {
		program, _, _ := strings.Cut(a.Command, " ")
		kind = tracker.ForgeOfClient(program)
	}
	if a.PR > 0 {
		pr = strconv.Itoa(a.PR)
	}
	if sha == "" {
		return tracker.MergeCommand(kind, pr)
	}
	return strings.TrimSpace(tracker.MergeCommand(kind, pr) + " " + tracker.HeadFlag(kind, sha))
}

// forge is the kind of the project's forge, "" where it is not known or asked by a command.
func (v *visit) forge() string {
	place, _ := forge.Choose(v.Env, v.config().Tracker, tracker.Repo(v.Env, v.project))
	if place.Kind == forge.Command {
		return tracker.ForgeOf(place.Host)
	}
	return place.Kind
}
