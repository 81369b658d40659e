package app

import (
	"sync"

	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// fetchEntry looks up the facts that a Step needs to let an iteration begin.
func (h *handler) fetchEntry(
	t *loopState, e loop.Event, k *loop.Known, need loop.Need,
) (err error) {
	asks, _ := e.(loop.Invocation)
	if need&loop.NeedStanding != 0 {
		k.Standing = h.standing(t, asks)
	}
	if need&loop.NeedBaseline != 0 {
		k.Baseline = baseline(asks)
	}
	if need&loop.NeedOther != 0 {
		// an unreadable other run does not stop this entry
		if s, err := h.files.LoadSealed(asks.SessionID, t.Skill); err == nil {
			k.Other = loop.RunFile{Run: s.Budget, Path: s.BudgetPath}
		}
	}
	if need&loop.NeedLast != 0 && t.Budget != nil {
		k.Last, err = h.files.Last(t.Skill, func(l *loop.Iteration) bool {
			return l.Ran() && l.Of(t.Budget.RunID)
		})
	}
	if need&loop.NeedSnapshot != 0 {
		k.Snapshot, err = h.files.Snapshot(t.Budget, k.Previous, true)
	}
	return err
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
func (e *entry) lookUp(need loop.Need) {
	e.known.Has = need & loop.NeedAnyEntry
	var previous *loop.Iteration
	if need&loop.NeedFresh == 0 && e.Budget != nil {
		// the entry reads the history again and returns the error
		previous, _ = e.previous(e.Skill, e.Budget)
	}
	var f loop.EntryFacts
	var tracks sync.WaitGroup
	var notes []string
	at := e.loopState
	if need&loop.NeedFresh != 0 {
		at = nil // a fresh run has the configuration as it is now
	}
	e.config(at) // read before it is shared
	tracks.Go(func() { f.Asked, f.Edges, notes = e.ask(at, previous) })
	f.Worktrees = e.worktrees()
	resumed := previous != nil && need&loop.NeedResumed != 0
	if resumed || previous != nil && loop.KindOf(e.Skill).Reviews {
		f.Heads = e.heads(e.loopState, previous.Open())
	}
	if e.asks.Flags.Idle > 0 || e.Budget != nil && e.Budget.MaxIdle > 0 {
		f.Trail = e.trail(f.Worktrees)
	}
	if root := e.attemptRoot(); root != "" {
		e.attemptFacts(at, &f, root, &e.asks.Request)
		if need&loop.NeedFresh == 0 && e.Budget != nil {
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
	e.known.Entry = f
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
