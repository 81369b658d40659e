package loop

import (
	"fmt"
	"slices"
)

// EndedPRs are the PRs that had ended when the run was cut off: those of its last iteration and of
// the ones before it, back to the last that came to its own end. Lines come from the newest.
type EndedPRs struct {
	List []TrackedPR
	seen []int
}

// Add takes in an iteration's line and reports whether no older one is needed.
func (e *EndedPRs) Add(l *Iteration) (enough bool) {
	for _, p := range l.TrackedPRs {
		if slices.Contains(e.seen, p.Number) {
			continue
		}
		e.seen = append(e.seen, p.Number)
		if p.StateAtEnd == "merged" || p.StateAtEnd == "closed" {
			e.List = append(e.List, p)
		}
	}
	cut := l.Outcome == Errored || slices.Contains(l.Fired, "user_interrupt")
	return !cut
}

// Open are the PRs that were open when the iteration ended.
func (l *Iteration) Open() []TrackedPR {
	return slices.DeleteFunc(slices.Clone(l.TrackedPRs), func(p TrackedPR) bool { return p.StateAtEnd != "open" })
}

// Reattach holds what the previous iteration recorded of its PRs against the heads that the remote told. A PR that had
// ended is neither asked about nor looked up (R142); every open one whose head is not the recorded one is asked about
// (R139–R141). One whose head nobody can tell is re-attached as recorded, and that is said.
func (e *EntryFacts) Reattach(previous *Iteration, ended []TrackedPR) {
	for _, p := range ended {
		note := fmt.Sprintf("PR #%d was already %s at prior iteration end — not re-attaching",
			p.Number, p.StateAtEnd)
		e.Notes = append(e.Notes, note)
	}
	for _, p := range previous.Open() {
		head, known := e.Asked.head(p, e.Heads)
		switch {
		case p.EndSHA == "" || !known && (e.Heads == nil || p.Branch == ""):
			e.Notes = append(e.Notes, fmt.Sprintf("PR #%d: its remote head could not be looked up — re-attached as recorded", p.Number))
		case !known || !SameSHA(head, p.EndSHA):
			e.Gates = append(e.Gates, AskDivergence(p.Number))
		}
	}
}
