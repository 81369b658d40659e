package loop

import (
	"slices"
	"strconv"
	"strings"
)

// merged notes that a PR is merged, as the answer of a call or the tracker said.
func (t *Tick) merged(pr int) {
	t.Observed.Merged = AppendNew(t.Observed.Merged, pr)
	t.track(PR{Number: pr, State: "merged"})
}

// Unsettled are the PRs of the iteration whose branch is not known, or whose merge was let
// through and is not known to have landed. A watched PR is always one of them, because its review
// may leave nothing behind that an event reports.
func (t *Tick) Unsettled(run *Budget) (list []int) {
	if !t.Started {
		return nil
	}
	list = AppendNew(AppendNew(list, run.SinglePR), t.MergesOf...)
	for _, name := range t.PRs {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
			list = AppendNew(list, n)
		}
	}
	return slices.DeleteFunc(list, func(n int) bool {
		i := slices.IndexFunc(t.Tracked, func(p TrackedPR) bool { return p.Number == n })
		landed := !slices.Contains(t.MergesOf, n) || slices.Contains(t.Observed.Merged, n)
		return i >= 0 && t.Tracked[i].Branch != "" && landed
	})
}

// settle records a PR as the tracker has it as the iteration ends. elsewhere says that its branch
// is in a fork. Its head at the start is the tracker's answer at the start, if it was asked.
func (t *Tick) settle(pr PR, elsewhere bool) {
	if before := t.AskedPR(pr.Number); before != nil {
		t.track(PR{Number: pr.Number, HeadSHA: before.HeadSHA})
	}
	if t.track(pr); pr.State == "merged" && slices.Contains(t.MergesOf, pr.Number) {
		t.merged(pr.Number)
	}
	if t.mergeTrackerPR(pr, ""); elsewhere {
		t.Asked.InForks = AppendNew(slices.Clone(t.Asked.InForks), pr.Number)
	}
}
