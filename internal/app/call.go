package app

import (
	"os"
	"slices"

	"hooks/internal/brake"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/toolcall"
	"hooks/internal/usage"
)

// fetchCall fetches the facts that Step needs to judge a call.
func (h *handler) fetchCall(t *store.State, l *lookup, k *loop.Known) {
	fill(l, &k.Running, func() loop.RunningNow {
		r, err := h.runningCount(t)
		// Near a ceiling, wait for the answer that makes this call, so that it counts at once.
		most, spent := t.Budget.Ceilings.Dollars, t.Budget.DollarsEstimate.Plus(r.Dollars)
		if h.ev.Name == event.PreToolUse && most > 0 && spent >= most/2 {
			usage.AwaitCall(h.transcript(t, loop.Call{}), h.ev.AgentID, h.ev.ToolUseID)
			r, err = h.runningCount(t)
		}
		h.sideError(err)
		k.Model = loop.Fetched(h.model(t, r.Cursors))
		return r
	})
	fill(l, &k.Overrun, func() int { return h.config(t).Overrun })
	fill(l, &k.Reading, func() loop.Reading { return h.reading(t) })
	fill(l, &k.Looks, func() (is loop.Looks) {
		is.Only = h.call().ReadOnly() || h.runsOneTest(t)
		is.Check = h.runsCheck(t)
		if audit.Of(t.Budget) != nil {
			_, is.Reports = guard.Reported(h.call().Guard())
			is.Files = h.printedBy(t)
		}
		return is
	})
	fill(l, &k.Commits, func() bool { return h.call().Commits() })
	fill(l, &k.Merging, func() []loop.Looked { return h.askMerging(t, k.Reading.Is.Acts) })
	fill(l, &k.Words, func() string { return h.config(t).Redact(loop.Secrets(h.call().Words())) })
}

// runningCount returns the iteration's spending so far, and how many bytes this call read to count
// it.
func (h *handler) runningCount(t *store.State) (r loop.RunningNow, err error) {
	r.Running, _ = t.Tick.Spending(t.Budget)
	path, cursors, fresh := h.growing(t)
	look, err := usage.Running(path, cursors, fresh, usage.NewTable(h.config(t).Rates))
	r.Dollars = r.Dollars.Plus(look.Dollars)
	r.Cursors, r.Read = loop.Overlay(r.Cursors, look.Cursors), look.Read
	return r, err
}

// growing returns the iteration's transcript, the cursors from which to count, and the worker
// transcripts without a cursor. A worker that ended in an earlier iteration and was resumed has its
// cursor in the history. The history is not searched for a worker that began in this iteration,
// because that would read all of it.
func (h *handler) growing(t *store.State) (path string, cursors []loop.Cursor, fresh []string) {
	path = h.transcript(t, loop.Call{})
	_, cursors = t.Tick.Spending(t.Budget)
	fresh = usage.Fresh(path, cursors, t.Tick.Workers, h.ev.AgentID)
	old := slices.DeleteFunc(slices.Clone(fresh), func(name string) bool {
		return usage.Began(path, name).After(t.Tick.StartedAt)
	})
	ended, err := h.files.Ended(t.Budget, path, old)
	h.sideError(err)
	return path, append(slices.Clip(cursors), ended...), fresh
}

// fetchEntry fetches the facts that Step needs to begin an iteration.
func (h *handler) fetchEntry(
	t *store.State, asks loop.Invocation, l *lookup, k *loop.Known,
) {
	fill(l, &k.Standing, func() loop.Standing { return h.standing(t, asks) })
	fill(l, &k.Baseline, func() []loop.Cursor {
		// Earlier spending is not charged to the loop. If the transcript lacks the prompt that
		// invokes it, all of it is earlier.
		from := int64(-1)
		if start, found := usage.PromptStart(asks.Transcript, asks.PromptID); found {
			from = start.Offset
		}
		return usage.Baseline(asks.Transcript, from)
	})
	fill(l, &k.Other, func() (other loop.RunFile) {
		// an unreadable other run does not stop this entry
		if s, err := h.files.LoadSealed(asks.SessionID, t.Skill); err == nil {
			other = loop.RunFile{Run: s.Budget, Path: s.BudgetPath}
		}
		return other
	})
}

// standing checks whether the processes named in the state are alive, and loads runs that it names
// with other budget files.
func (h *handler) standing(t *store.State, asks loop.Invocation) (s loop.Standing) {
	elsewhere := func(run string) *loop.Budget {
		if t.Budget != nil && t.Budget.RunID == run {
			return nil
		}
		other, err := h.tx.Find(t.Skill, run)
		if err != nil {
			return nil
		}
		return other.Budget
	}
	if s.Lock = t.Lock; s.Lock != nil {
		s.LockIs, s.Holder = proc.Of(s.Lock.Process), elsewhere(s.Lock.RunID)
	}
	if t.Budget != nil {
		s.OwnerIs = proc.Of(t.Budget.Owner)
	}
	if t.Tick != nil {
		if s.TickRun = elsewhere(t.Tick.RunID); s.TickRun != nil {
			s.TickOwnerIs = proc.Of(s.TickRun.Owner)
		}
	}
	if asks.Model || asks.Scheduled {
		if r, err := h.files.LoadRun(t.Skill); err == nil {
			s.Recorded = loop.RunFile{Run: r.Budget, Path: r.BudgetPath}
		}
	}
	if asks.NeedsTyping() && (t.Budget == nil || !t.Budget.OwnedBy(asks.Request)) {
		s.Typed = usage.Typed(asks.Transcript, func(prompt string) bool {
			return loop.Typed(prompt, asks.Command, asks.Flags)
		})
	}
	return s
}

// firstRules returns the rules of the session's first run, which decide whether a call concerns
// the project.
func (h *handler) firstRules() toolcall.Run {
	if len(h.runs.list) == 0 {
		return h.rules(nil)
	}
	return h.rules(h.runs.list[0])
}

// reading returns the effects of the call in the form that loops expect.
func (h *handler) reading(t *store.State) loop.Reading {
	reading := h.call().Reading(h.rules(t))
	for _, o := range h.runs.list {
		if o.Skill == t.Skill {
			continue
		}
		reading.Beside = reading.Beside || h.open(o)
		if o.Budget != nil && o.Budget.Status == loop.Active {
			reading.Merges = loop.StricterMerges(reading.Merges, o.Budget.Merges)
		}
	}
	if reading.Opaque != "" && h.call().Read().Unparsable == "" {
		reading.Braked = h.meetsBrake(t) // this also repairs missing links
	}
	if audit.Of(t.Budget) != nil && t.Tick != nil && !t.Tick.Braked {
		reading.Shown = guard.Shown(h.call().Guard())
	}
	return reading
}

// meetsBrake reports whether every forge client that a shell command starts by name goes through a
// link of the brake. It first restores links that were removed since the iteration began.
func (h *handler) meetsBrake(t *store.State) bool {
	command, shell := h.ev.ShellCommand()
	if !shell || h.ev.Tool != "Bash" || t.Tick == nil || !t.Tick.Braked ||
		guard.LeavesLinks(command) {
		return false
	}
	return h.dress()
}

// dress creates or repairs the session's brake links to a stored copy of this program, and reports
// whether they are in place.
func (h *handler) dress() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	if kept, err := brake.Keep(h.seal.Path(), exe); err == nil {
		exe = kept
	}
	return brake.Dress(h.seal.Path(), h.ev.SessionID, exe) == nil
}
