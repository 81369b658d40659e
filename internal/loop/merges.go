package loop

import (
	"fmt"
	"slices"
)

// prTarget is a PR as gates and deferrals name it: "PR #142".
func prTarget(pr int) string { return fmt.Sprintf("PR #%d", pr) }

// mergeGates are the questions about merges that wait.
func (t *Tick) mergeGates() []Gate {
	return slices.DeleteFunc(slices.Clone(t.Pending), func(g Gate) bool {
		return g.Name != PostFeedbackMerge
	})
}

// AsksMerge reports whether the question about a PR waits, so that only its answer decides.
func (t *Tick) AsksMerge(pr int) bool { return t.waits(PostFeedbackMerge, prTarget(pr)) }

// answeredMerge reports whether a person has answered the question about a PR in this tick, one
// way or the other.
func (t *Tick) answeredMerge(pr int) bool {
	return slices.ContainsFunc(t.Answered, func(g GateAnswer) bool {
		return g.Name == PostFeedbackMerge && g.Target == prTarget(pr)
	})
}

// mergeShut reports whether a merge of some PR was attempted in this tick and no person allowed
// it.
func (t *Tick) mergeShut() bool {
	return len(t.mergeGates()) > 0 ||
		slices.ContainsFunc(t.Answered, func(g GateAnswer) bool {
			return g.Name == PostFeedbackMerge && g.Answer != "merge"
		})
}

// approval is a person's unused yes to the merge of a PR (R101), nil when there is none.
func (t *Tick) approval(pr int) *Approval {
	i := slices.IndexFunc(t.Approvals, func(a Approval) bool { return a.PR == pr && !a.Used })
	if i < 0 {
		return nil
	}
	return &t.Approvals[i]
}

// usedApproval reports whether the person's last answer about a PR was a yes, which a merge has
// used.
func (t *Tick) usedApproval(pr int) bool {
	for _, g := range slices.Backward(t.Answered) {
		if g.Name == PostFeedbackMerge && g.Target == prTarget(pr) {
			return g.Answer == "merge"
		}
	}
	return false
}

// noFeedback reports whether the tracker itself says that nobody commented on a PR (R99). A skill's
// report of feedback is believed all the same; its report of none is not.
func (t *Tick) noFeedback(pr int) bool {
	asked := t.AskedPR(pr)
	return asked != nil && asked.HumanFeedback != nil && !*asked.HumanFeedback && !t.addressed(pr)
}

// addressed reports whether the tracker or the skill says that a person commented on a PR.
func (t *Tick) addressed(pr int) bool {
	return slices.ContainsFunc(t.knownPRs(), func(p PR) bool {
		return p.Number == pr && p.HumanFeedback != nil && *p.HumanFeedback
	})
}

// head is the commit that a PR is at, as it was looked up; "" if no one could tell.
func (t *Tick) head(pr int) string {
	if asked := t.AskedPR(pr); asked != nil {
		return asked.HeadSHA
	}
	return ""
}

// merge counts a merge that is let through. It uses up the person's approval.
func (t *Tick) merge(pr int) {
	for i := range t.Approvals {
		if t.Approvals[i].PR == pr {
			t.Approvals[i].Used = true
		}
	}
	t.MergesOf = append(t.MergesOf, pr)
	t.Merges++
}
