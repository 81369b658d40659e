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
	return slices.DeleteFunc(slices.Clone(l.TrackedPRs), func(p TrackedPR) bool {
		return p.StateAtEnd != "open"
	})
}

// Reattach compares the PRs that the previous iteration recorded with the heads on the remote. A
// PR that had ended is neither asked about nor looked up (R142). Every open one whose head is not
// the recorded one is asked about (R139–R141). A PR whose head is unknown is re-attached as
// recorded, with a note.
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
			e.Notes = append(e.Notes, fmt.Sprintf("PR #%d: its remote head could not be looked "+
				"up — re-attached as recorded", p.Number))
		case !known || !SameSHA(head, p.EndSHA):
			e.Gates = append(e.Gates, askDivergence(p.Number))
		}
	}
}
