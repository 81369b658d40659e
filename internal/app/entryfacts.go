package app

import (
	"fmt"
	"slices"
	"sync"

	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// lookUp asks, outside the state's guard, what the iteration begins with.
func (e *entry) lookUp() {
	skill, old := e.req.Command.Skill, e.state.Budget
	var previous *loop.Iteration
	if e.seen.mode != loop.FreshRun && old != nil {
		previous, _ = e.previous(skill, old) // what is wrong with the history is told by the entry itself
	}
	e.seen.facts = e.entryFacts(e.seen.mode, previous)
}

// entryFacts looks up what an iteration begins with: on a resume, once, whether the recorded PRs and worktrees are
// still where they were (R135–R144); before a review, the heads that tell whether anything has landed (R82).
func (e *entry) entryFacts(mode loop.Mode, previous *loop.Iteration) loop.EntryFacts {
	var f loop.EntryFacts
	var tracks sync.WaitGroup
	var notes []string
	e.config() // read before it is shared
	tracks.Go(func() { f.Asked, f.Edges, notes = e.ask(previous) })
	f.Worktrees = e.worktrees()
	if previous != nil && mode != loop.FreshRun {
		e.compare(mode, previous, &f)
	}
	tracks.Wait()
	f.Notes = append(f.Notes, notes...)
	return f
}

// compare holds what the previous iteration recorded against the remote and the disk.
func (e *entry) compare(mode loop.Mode, previous *loop.Iteration, f *loop.EntryFacts) {
	open := slices.DeleteFunc(slices.Clone(previous.TrackedPRs), func(p loop.TrackedPR) bool { return p.StateAtEnd != "open" })
	if mode == loop.ResumeRun || e.req.Command.Skill == loop.Review {
		f.Heads = e.heads(open, nil)
	}
	if mode == loop.ResumeRun {
		f.Notes = append(f.Notes, terminalNotes(previous)...)
		f.Gates = diverged(open, f)
		f.Notes = append(f.Notes, tracker.CheckWorktrees(e.project, previous.Worktrees, f.Worktrees)...)
	}
}

// terminalNotes: a PR that had ended is neither asked about nor looked up (R142).
func terminalNotes(previous *loop.Iteration) []string {
	var notes []string
	for _, p := range previous.TrackedPRs {
		if p.StateAtEnd == "merged" || p.StateAtEnd == "closed" {
			notes = append(notes, fmt.Sprintf("PR #%d was already %s at prior iteration end — not re-attaching", p.Number, p.StateAtEnd))
		}
	}
	return notes
}

// diverged asks about every open PR whose remote head is not the recorded one (R139–R141). One whose head nobody can
// tell is re-attached as recorded, and that is said.
func diverged(open []loop.TrackedPR, f *loop.EntryFacts) []loop.Gate {
	var gates []loop.Gate
	for _, p := range open {
		head, known := f.Heads[p.Branch]
		switch {
		case f.Heads == nil || p.Branch == "" || p.EndSHA == "":
			f.Notes = append(f.Notes, fmt.Sprintf("PR #%d: its remote head could not be looked up — re-attached as recorded", p.Number))
		case !known || !loop.SameSHA(head, p.EndSHA):
			gates = append(gates, loop.AskDivergence(p.Number))
		}
	}
	return gates
}
