package loop

import "slices"

// Snapshot is the backlog that an earlier iteration of the run recorded, with what the run planned,
// or took with a PR, from that iteration on.
type Snapshot struct {
	Iteration   int
	Unblocked   []int
	Taken       []int
	FromTracker bool
}

// Add takes in an iteration's line; lines come from the newest to the oldest. It reports whether
// the line has a snapshot of that view of the backlog, so that no older one is needed.
func (s *Snapshot) Add(l *Iteration, fromTracker bool) (found bool) {
	s.Taken = slices.Concat(s.Taken, l.Plan, l.Taken)
	if l.Backlog == nil || l.FromTracker != fromTracker {
		return false
	}
	s.Iteration, s.Unblocked, s.FromTracker = l.Iteration, l.Backlog.Unblocked, fromTracker
	return true
}

// snapshot is the one to compare the backlog with, nil when none was recorded.
func (f *Facts) snapshot() *Snapshot {
	if f.Snapshot != nil || f.Previous == nil || f.Previous.Backlog == nil {
		return f.Snapshot
	}
	s := &Snapshot{}
	s.Add(f.Previous, f.Previous.FromTracker)
	return s
}
