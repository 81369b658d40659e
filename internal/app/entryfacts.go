package app

import (
	"sync"

	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// lookUp fetches, without the state's lock, the facts that an iteration begins with.
func (e *entry) lookUp() {
	skill, old := e.req.Command.Skill, e.state.Budget
	var previous *loop.Iteration
	if e.seen.mode != loop.FreshRun && old != nil {
		// what is wrong with the history is told by the entry itself
		previous, _ = e.previous(skill, old)
	}
	e.seen.facts = e.entryFacts(e.seen.mode, previous)
}

// entryFacts looks up the facts that an iteration begins with: on a resume, whether the recorded
// PRs and worktrees are still where they were (R135–R144); before a review, the heads that show
// whether anything has landed (R82).
func (e *entry) entryFacts(mode loop.Mode, previous *loop.Iteration) loop.EntryFacts {
	var f loop.EntryFacts
	var tracks sync.WaitGroup
	var notes []string
	e.config() // read before it is shared
	tracks.Go(func() { f.Asked, f.Edges, notes = e.ask(previous) })
	f.Worktrees = e.worktrees()
	resumed := previous != nil && mode == loop.ResumeRun
	if resumed || previous != nil && mode != loop.FreshRun &&
		loop.KindOf(e.req.Command.Skill).Reviews {
		f.Heads = e.heads(previous.Open())
	}
	if e.req.Command.Skill == loop.Tasks {
		e.attemptFacts(&f)
	}
	tracks.Wait()
	if resumed {
		f.Reattach(previous, e.endedPRs())
		f.Notes = append(f.Notes,
			tracker.CheckWorktrees(e.project, previous.Worktrees, f.Worktrees)...)
	}
	f.Notes = append(f.Notes, notes...)
	return f
}

// endedPRs are the PRs of the run on disk that are not re-attached. The entry itself reports what
// cannot be read.
func (e *entry) endedPRs() []loop.TrackedPR {
	var ended loop.EndedPRs
	run := e.state.Budget
	_, _ = e.files.Last(run.Skill, func(l *loop.Iteration) bool {
		return run.Worked(l) && ended.Add(l)
	})
	return ended.List
}
