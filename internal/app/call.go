package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// fetchCall looks up what a Step needs to judge a call.
func (h *handler) fetchCall(t *loopState, l *lookup, k *loop.Known) {
	fill(l, &k.Running, func() loop.RunningNow {
		r, err := h.runningCount(t)
		if h.ev.Name == event.PreToolUse && nearCeiling(t, r.Running) {
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
		is.Only = h.call().ReadOnly() || h.runsOneTest(t)
		is.Check = h.runsCheck(t)
		if t.Budget != nil && t.Budget.Audit != nil {
			_, is.Reports = guard.Reported(h.call().Guard())
			is.Files = h.printedBy(t)
		}
		return is
	})
	fill(l, &k.Commits, h.call().Commits)
	fill(l, &k.Merging, func() []loop.Looked { return h.askMerging(t, k.Reading.Is.Acts) })
	fill(l, &k.Words, func() string { return h.config(t).Redact(loop.Secrets(h.call().Words())) })
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

// openInOther reports whether the session's other loop has an iteration open.
func (h *handler) openInOther(t *loopState) bool {
	return slices.ContainsFunc(h.runs, func(o *loopState) bool {
		return o.Skill != t.Skill && h.open(o)
	})
}
