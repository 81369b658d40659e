package app

import (
	"fmt"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
)

// reviews are the reviews and approvals among acts.
func reviews(acts []guard.Act) (list []loop.PostedReview) {
	for _, a := range acts {
		approval := a.Kind == guard.ApprovePR
		if target := loop.ReviewTarget(a.PR, a.Ref); (approval || a.Review) && target != "" {
			list = append(list, loop.PostedReview{Target: target, Approval: approval})
		}
	}
	return list
}

// passReviews notes the reviews of a call that lands nothing, unless one is a second round (R149).
func (v *visit) passReviews(t *thread, acts []guard.Act) (event.Reply, error) {
	if t.skill != loop.Review || !v.open(t) || len(reviews(acts)) == 0 {
		return event.Nothing(), nil
	}
	return v.anew(t, func(now *thread) (event.Reply, error) {
		reply := v.postReviews(now, reviews(acts))
		v.denied(now.Tick, reply)
		return reply, v.files.SaveTick(now.Tick)
	})
}

// postReviews notes reviews, or refuses a second round.
func (v *visit) postReviews(t *thread, posts []loop.PostedReview) event.Reply {
	reply := v.secondRound(t, posts)
	if reply.Empty() {
		t.Tick.NoteReviews(posts, v.ev.ToolUseID, v.ev.Input.Raw)
	}
	return reply
}

// secondRound refuses a call that reviews a PR again in the iteration.
func (v *visit) secondRound(t *thread, posts []loop.PostedReview) event.Reply {
	why := ""
	if t.skill == loop.Review {
		why = t.Tick.RefuseReviews(posts, v.ev.ToolUseID, v.ev.Input.Raw)
	}
	if why == "" {
		return event.Nothing()
	}
	return event.Denyf("Not posted: %s in this iteration, and a PR gets one round in each\n"+
		"hint: replies and plain comments may go on; the next iteration reviews it again", why).
		By(loop.ReviewRule)
}

// refuseApproval is why a PR is not approved, "" where it may be: a review loop approves the PRs of
// its own project, and an approval answers no gate.
func (v *visit) refuseApproval(t *thread, a guard.Act) string {
	switch other, own := v.elsewhere(a); {
	case t.skill != loop.Review:
		return fmt.Sprintf("Not approved: %s. Only a review loop approves PRs\n"+
			"hint: leave the PR open; /sdd:review --loop reviews it, or a person does", a.Command)
	case a.PR == 0:
		return fmt.Sprintf("Not approved: %s does not say which PR\n"+
			"hint: name it by its number: gh pr review N --approve", a.Command)
	case other != "":
		return fmt.Sprintf("Not approved: %s names %s, and the loop reviews %s only\n"+
			"hint: review PRs of this project's own repository", a.Command, other, own)
	}
	return ""
}
