package loop

import "slices"

// LeaveOut takes the lists out of a snapshot that the specification does not have and that are as
// in an older one. One that is empty since then stays, as an empty list.
func (b *Budget) LeaveOut(old *Budget) {
	dropSame(&b.DeferredTargets, old.DeferredTargets, equal)
	dropSame(&b.FailedIssues, old.FailedIssues, equal)
	dropSame(&b.OtherFlags, old.OtherFlags, equal)
	dropSame(&b.Jobs, old.Jobs, equal)
	dropSame(&b.Receipts, old.Receipts, func(r, o Receipt) bool {
		return r.SessionID == o.SessionID && r.Program == o.Program && r.Since.Equal(o.Since) &&
			slices.Equal(r.Events, o.Events) // not Last, which every event moves
	})
}

func equal[T comparable](a, b T) bool { return a == b }

func dropSame[T any](list *[]T, old []T, same func(a, b T) bool) {
	switch {
	case slices.EqualFunc(*list, old, same):
		*list = nil
	case len(*list) == 0:
		*list = []T{}
	}
}

// FillIn takes the lists that a snapshot leaves out from an older one.
func (b *Budget) FillIn(old *Budget) {
	fillIn(&b.DeferredTargets, old.DeferredTargets)
	fillIn(&b.FailedIssues, old.FailedIssues)
	fillIn(&b.OtherFlags, old.OtherFlags)
	fillIn(&b.Jobs, old.Jobs)
	fillIn(&b.Receipts, old.Receipts)
}

func fillIn[T any](list *[]T, old []T) {
	if *list == nil {
		*list = old
	}
}
