package loop

import (
	"slices"
	"strconv"
	"strings"
)

// Merged notes that a PR is merged, as the answer of a call or the tracker said.
func (t *Tick) Merged(pr int) {
	t.Observed.Merged = AppendNew(t.Observed.Merged, pr)
	t.Track(PR{Number: pr, State: "merged"})
}

// Unsettled are the PRs of the iteration whose branch is not known, or whose merge was let
// through and is not known to have landed. A watched PR is always one of them, because its review
// may leave nothing behind that an event reports.
func (t *Tick) Unsettled(run *Budget) (list []int) {
	if !t.Started {
		return nil
	}
	if run.SinglePR > 0 {
		list = append(list, run.SinglePR)
	}
	list = AppendNew(list, t.MergesOf...)
	for _, name := range t.PRs {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
			list = AppendNew(list, n)
		}
	}
	return slices.DeleteFunc(list, func(n int) bool {
		i := slices.IndexFunc(t.Tracked, func(p TrackedPR) bool { return p.Number == n })
		landed := !slices.Contains(t.MergesOf, n) || slices.Contains(t.Observed.Merged, n)
		return n == 0 || i >= 0 && t.Tracked[i].Branch != "" && landed
	})
}

// Settle records a PR as the tracker has it as the iteration ends. elsewhere says that its branch
// is in a fork. Its head at the start is the tracker's answer at the start, if it was asked.
func (t *Tick) Settle(pr PR, elsewhere bool) {
	if before := t.AskedPR(pr.Number); before != nil {
		t.Track(PR{Number: pr.Number, HeadSHA: before.HeadSHA})
	}
	if t.Track(pr); pr.State == "merged" && slices.Contains(t.MergesOf, pr.Number) {
		t.Merged(pr.Number)
	}
	if t.MergeTrackerPR(pr); elsewhere {
		t.Asked.InForks = AppendNew(slices.Clone(t.Asked.InForks), pr.Number)
	}
}
