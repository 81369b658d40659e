package app

import (
	"sync"

	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// fetchEntry looks up the facts that a Step needs to let an iteration begin.
func (h *handler) fetchEntry(t *loopState, e loop.Event, l *lookup, k *loop.Known) {
	asks, _ := e.(loop.Invocation)
	fill(l, &k.Standing, func() loop.Standing { return h.standing(t, asks) })
	fill(l, &k.Baseline, func() []loop.Cursor { return baseline(asks) })
	fill(l, &k.Other, func() (other loop.RunFile) {
		// an unreadable other run does not stop this entry
		if s, err := h.files.LoadSealed(asks.SessionID, t.Skill); err == nil {
			other = loop.RunFile{Run: s.Budget, Path: s.BudgetPath}
		}
		return other
	})
}

// baseline starts the count at the prompt that invoked the loop, so that earlier spending is not
// charged to it. If the prompt is not in the transcript yet, everything that is there is older.
func baseline(asks loop.Invocation) []loop.Cursor {
	from := int64(-1)
	if start, found := usage.PromptStart(asks.Transcript, asks.PromptID); found {
		from = start.Offset
	}
	return usage.Baseline(asks.Transcript, from)
}

// lookUp fetches, without the state's lock, the facts that an iteration begins with: on a resume,
// whether the recorded PRs and worktrees are still where they were (R135–R144); before a review,
// the heads that show whether anything has landed (R82).
func (e *entry) lookUp() {
	mode := e.known.Mode
	fresh := mode == loop.FreshRun
	var previous *loop.Iteration
	if !fresh && e.Budget != nil {
		// the entry reads the history again and returns the error
		previous, _ = e.previous(e.Skill, e.Budget)
	}
	f := loop.EntryFacts{Mode: mode}
	var tracks sync.WaitGroup
	var notes []string
	at := e.loopState
	if fresh {
		at = nil // a fresh run has the configuration as it is now
	}
	e.config(at) // read before it is shared
	tracks.Go(func() { f.Asked, f.Edges, notes = e.ask(at, previous) })
	f.Worktrees = e.worktrees()
	resumed := previous != nil && mode == loop.ResumeRun
	if resumed || previous != nil && loop.KindOf(e.Skill).Reviews {
		f.Heads = e.heads(e.loopState, previous.Open())
	}
	if e.asks.Flags.Idle > 0 || e.Budget != nil && e.Budget.MaxIdle > 0 {
		f.Trail = e.trail(f.Worktrees)
	}
	if root := e.attemptRoot(); root != "" {
		e.attemptFacts(at, &f, root, &e.asks.Request)
		if !fresh && e.Budget != nil {
			f.Dropped = dropped(root, loop.State{Run: e.Budget}.Tip())
		}
	}
	tracks.Wait()
	if resumed {
		f.Reattach(previous, e.endedPRs())
		f.Notes = append(f.Notes,
			tracker.CheckWorktrees(e.project, previous.Worktrees, f.Worktrees)...)
	}
	f.Notes = append(f.Notes, notes...)
	e.known.Entry = loop.Fetched(f)
}

// endedPRs are the PRs of the run on disk that are not re-attached. The entry itself reports what
// cannot be read.
func (e *entry) endedPRs() []loop.TrackedPR {
	var ended loop.EndedPRs
	_, _ = e.files.Last(e.Skill, func(l *loop.Iteration) bool {
		return e.Budget.Worked(l) && ended.Add(l)
	})
	return ended.List
}

// attemptRoot is where the attempts of the run work, "" for a kind that has none.
func (e *entry) attemptRoot() string {
	if _, ok := attemptsOf(e.Skill); !ok {
		return ""
	}
	if e.asks.Audit != nil {
		return e.asks.Audit.Worktree
	}
	return e.root(e.loopState)
}
