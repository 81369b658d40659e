package loop

import (
	"fmt"
	"slices"
)

// PostedReview is a review of a PR that the iteration let through.
type PostedReview struct {
	Target   string `json:"target"` // as in "PR #142", or what else names the PR
	Call     string `json:"call"`   // the tool call, by its id and input
	Approval bool   `json:"approval,omitempty"`
}

// refuseReviews is why a call may not post its reviews, "" where it may. One round is one review,
// the replies to it, and an approval that closes it (R149).
func (t *Tick) refuseReviews(list []PostedReview, id, input string) string {
	key := callKey(id, input)
	for i, r := range list {
		again := func(o PostedReview) bool {
			return o.Target == r.Target && o.Call != key && (o.Approval || !r.Approval)
		}
		switch {
		case slices.ContainsFunc(t.Reviews, again):
			return r.Target + " was reviewed already"
		case slices.Contains(list[:i], r):
			return r.Target + " would be reviewed twice"
		}
	}
	return ""
}

// noteReviews records the reviews of a call that is let through. A duplicate of the call changes
// nothing.
func (t *Tick) noteReviews(list []PostedReview, id, input string) {
	for _, r := range list {
		r.Call = callKey(id, input)
		t.Reviews = AppendNew(slices.Clone(t.Reviews), r)
	}
}

// unreview removes the reviews of a call that failed, and reports whether there were any.
func (t *Tick) unreview(id, input string) bool {
	before := len(t.Reviews)
	key := callKey(id, input)
	t.Reviews = slices.DeleteFunc(slices.Clone(t.Reviews), func(r PostedReview) bool {
		return id != "" && r.Call == key
	})
	return len(t.Reviews) < before
}

func (t *Tick) deferReview(pr, iteration int) {
	t.Deferred = AppendNew(t.Deferred, prTarget(pr))
	t.Notes = AppendNew(t.Notes, fmt.Sprintf("PR #%d: no new commits since iteration %d "+
		"(head_sha_at_iteration_end matches remote HEAD)", pr, iteration))
}
