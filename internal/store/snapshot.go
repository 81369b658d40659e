package store

import "hooks/internal/loop"

// Snapshot returns the last backlog that the run recorded, by the tracker or by a report. It
// returns nil if the previous iteration already has it, or if the run recorded no backlog.
func (s *Store) Snapshot(
	run *loop.Budget, previous *loop.Iteration, byTracker bool,
) (*loop.Snapshot, error) {
	switch {
	case !run.Kind().Backlog, previous == nil:
		return nil, nil
	case previous.Backlog != nil && previous.FromTracker == byTracker:
		return nil, nil
	}
	snapshot := &loop.Snapshot{}
	found, err := s.Last(run.Skill, func(l *loop.Iteration) bool {
		return run.Worked(l) && snapshot.Add(l, byTracker)
	})
	if err != nil || found == nil {
		return nil, err
	}
	return snapshot, nil
}
