package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
)

// mostMerges is how many PRs one call may merge: each is looked up at the tracker, within the hook's time.
const mostMerges = 3

// merge is the gate's rule: a merge passes when facts show that no human feedback was addressed since the previous
// iteration, or once on a person's answer in this very tick (R99–R102).
func (v *visit) merge(t *thread, acts []guard.Act) (event.Reply, error) {
	if !v.open(t) {
		if v.inTheOther(t) {
			return event.Nothing(), nil
		}
		return mergeOutside(acts), nil
	}
	if len(acts) > mostMerges {
		return event.Deny(fmt.Sprintf("Not merged: %d merges in one call are more than can be looked up\nhint: merge one PR at a time", len(acts))), nil
	}
	lands := slices.DeleteFunc(slices.Clone(acts), approves)
	known := v.askMerging(t, lands) // before the guard: it asks the tracker
	return v.anew(t, func(now *thread) (event.Reply, error) {
		for _, pr := range known {
			now.Tick.HearPR(pr)
		}
		posts := reviews(v.read().Acts)
		reply, changed := v.judgeMerges(now, acts, posts)
		if changed = v.denied(now.Tick, reply.By(loop.MergeGate)) || changed; !changed {
			return reply, nil
		}
		return reply, v.files.SaveTick(now.Tick)
	})
}

// inTheOther says that the session's other loop has an iteration open, which judges what is merged.
func (v *visit) inTheOther(t *thread) bool {
	list, err := v.mine()
	return err == nil && slices.ContainsFunc(list, func(o *thread) bool { return o.skill != t.skill && v.open(o) })
}

func mergeOutside(acts []guard.Act) event.Reply {
	return event.Deny(fmt.Sprintf("Not merged: %s. No iteration of the loop is open, so nobody can be asked\n"+
		"hint: a person merges in a terminal, or ends the loop with `hooks loop stop`", acts[0].Command))
}

// judgeMerges decides about merges in an open iteration, and says whether that changed the tick.
func (v *visit) judgeMerges(
	t *thread, acts []guard.Act, posts []loop.PostedReview,
) (reply event.Reply, changed bool) {
	tick := t.Tick
	if tick.Halting() {
		return event.Deny("Not merged: the loop ends with this iteration (" + tick.HaltedBy() + ")\nhint: end the turn; a person may merge"), false
	}
	for _, a := range acts {
		if reason := v.refuseMerge(t, a); reason != "" {
			return event.Deny(reason), false
		}
	}
	if again := v.secondRound(t, posts); !again.Empty() {
		return again, false
	}
	if known, same := tick.Merging(v.ev.ToolUseID, v.ev.Input.Raw); same { // told twice: let through, and used up, already
		return event.Nothing(), false
	} else if known {
		return event.Deny(fmt.Sprintf("Not merged: %s. A call of the id %s was let through already\nhint: make the call anew", acts[0].Command, v.ev.ToolUseID)), false
	}
	merges := slices.DeleteFunc(slices.Clone(acts), approves)
	for _, a := range merges {
		if r, refused := v.mergeOne(t, a); refused {
			return r, true
		}
	}
	pass := loop.Passed{ID: v.ev.ToolUseID, Input: v.ev.Input.Raw}
	approval := pass
	approval.Approves = true
	for _, a := range acts {
		if approves(a) {
			approval.PRs = append(approval.PRs, a.PR)
		}
	}
	for _, a := range merges {
		if yes := tick.Approval(a.PR); yes != nil {
			pass.HeadSHA = yes.HeadSHA
		}
		pass.PRs = append(pass.PRs, a.PR)
		tick.Merge(a.PR)
	}
	for _, p := range []loop.Passed{approval, pass} {
		if len(p.PRs) > 0 {
			tick.Pass(p)
		}
	}
	tick.NoteReviews(posts, v.ev.ToolUseID, v.ev.Input.Raw)
	return event.Nothing(), true
}

func approves(a guard.Act) bool { return a.Kind == guard.ApprovePR }

// mergeOne decides about one PR: by the person's unused answer, bound to the head they were asked about; else by
// their earlier word; else by the facts; else the person is asked.
func (v *visit) mergeOne(t *thread, a guard.Act) (refusal event.Reply, refused bool) {
	tick := t.Tick
	if yes := tick.Approval(a.PR); yes != nil {
		return v.approved(t, a, yes)
	}
	if !tick.AsksMerge(a.PR) {
		switch {
		case tick.AnsweredMerge(a.PR): // a person's word is not lifted by a fact reported after it
			return event.Deny(fmt.Sprintf("Not merged: %s. The person's answer for PR #%d does not allow it\nhint: leave the PR open and end the turn", a.Command, a.PR)), true
		case tick.NoFeedback(a.PR):
			return event.Nothing(), false
		}
		tick.Pending = append(tick.Pending, loop.Due(v.merging(t, a.PR), loop.Merging)...)
		tick.UseGiven(t.Budget, v.now)
		if yes := tick.Approval(a.PR); yes != nil { // by what the person had answered in a terminal
			return v.approved(t, a, yes)
		}
	}
	return event.Deny(lines("Not merged yet: "+a.Command+" needs a person's word (post-feedback-merge).", report.Ask(tick.MergeGates()))), true
}

// merging are the facts when a PR is about to be merged.
func (v *visit) merging(t *thread, pr int) *loop.Facts {
	f := loop.Look(t.Budget, t.Tick, nil, v.now)
	f.Merging = pr
	return f
}

// approved holds a merge against what the person said yes to. A push after the answer voids it, and both are told.
func (v *visit) approved(t *thread, a guard.Act, yes *loop.Approval) (event.Reply, bool) {
	head := t.Tick.Head(a.PR)
	moved := yes.HeadSHA != "" && head != "" && !loop.SameSHA(yes.HeadSHA, head)
	switch {
	case moved:
		yes.Used = true
		t.Tick.Pending = append(t.Tick.Pending, loop.AskMerge(v.merging(t, a.PR)))
		text := fmt.Sprintf("PR #%d moved from %s to %s after the person's answer, which is void", a.PR, yes.HeadSHA, head)
		return event.Deny(lines("Not merged: "+a.Command+". "+text, report.Ask(t.Tick.MergeGates()))).Say("hooks: " + text + "; you are asked again"), true
	case yes.HeadSHA != "" && a.SHA != "" && !loop.SameSHA(yes.HeadSHA, a.SHA):
		return event.Deny(fmt.Sprintf("Not merged: %s. The person said yes to %s, not to %s\n"+
			"hint: %s", a.Command, yes.HeadSHA, a.SHA, v.mergePlainly(a, yes.HeadSHA))), true
	}
	return event.Nothing(), false
}

// refuseMerge are the ways to land code that no answer opens: they are not the merge of one named PR of this
// repository, now.
func (v *visit) refuseMerge(t *thread, a guard.Act) string {
	if approves(a) {
		return v.refuseApproval(t, a)
	}
	if reason := v.refuseLanding(a); reason != "" {
		return reason
	}
	if other, own := v.elsewhere(a); other != "" {
		return fmt.Sprintf("Not merged: %s names %s, a person is asked about %s only\nhint: merge PRs of this project's own repository", a.Command, other, own)
	}
	return ""
}

// refuseLanding refuses every way to land code but the plain merge of one named PR.
func (v *visit) refuseLanding(a guard.Act) string {
	plainly := func() string { return v.mergePlainly(a, "") }
	switch {
	case a.Auto || a.Admin:
		return fmt.Sprintf("Not merged: %s. --auto and --admin go round what the person is asked\n"+
			"hint: merge it plainly with %s once it is green", a.Command, plainly())
	case a.Kind != guard.MergePR:
		return fmt.Sprintf("Not done: %s (%s). "+
			"In a loop only a PR is merged, one at a time, past its gate\n"+
			"hint: open or update a PR and leave it, or merge it plainly with %s",
			a.Command, describe(a), plainly())
	case a.PR == 0:
		return fmt.Sprintf("Not merged: %s does not say which PR\nhint: name it by its number: %s",
			a.Command, plainly())
	}
	return ""
}

// mergePlainly is the forge's own command for what a call tried to merge, bound to a commit where
// one is given and the client can be bound. N stands for a PR that the call does not name.
func (v *visit) mergePlainly(a guard.Act, sha string) string {
	kind, pr := v.forge(), "N"
	if kind == "" {
		program, _, _ := strings.Cut(a.Command, " ")
		kind = tracker.ForgeOfClient(program)
	}
	if a.PR > 0 {
		pr = strconv.Itoa(a.PR)
	}
	if sha == "" {
		return tracker.MergeCommand(kind, pr)
	}
	return strings.TrimSpace(tracker.MergeCommand(kind, pr) + " " + tracker.HeadFlag(kind, sha))
}

// forge is the kind of the project's forge, "" where it is not known or asked by a command.
func (v *visit) forge() string {
	place, _ := forge.Choose(v.Env, v.config().Tracker, tracker.Repo(v.Env, v.project))
	if place.Kind == forge.Command {
		return tracker.ForgeOf(place.Host)
	}
	return place.Kind
}
