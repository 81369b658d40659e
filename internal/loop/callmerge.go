package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
)

// maxMerges bounds the merges in one call, because the hook looks up each PR in the tracker within
// its time limit.
const maxMerges = 3

// lands reports whether an act lands code or removes an obstacle to landing code.
func lands(a effect.Act) bool { return a.Kind.Merges() }

// merge applies the merge gate (R99–R102). A merge passes if the tracker itself reports that nobody
// commented, or once after a person approved it in this tick, at the commit named in the question.
func (e Call) merge(s State, k *Known) Outcome {
	r := k.Reading.Value
	acts := effect.Reading{Acts: r.Acts}.Merges()
	switch {
	case !e.open(s) && r.Beside: // the session's other loop judges it
		return Outcome{}
	case !e.open(s):
		return RefuseCall(MergeGate,
			"a person can merge in a terminal, or end the loop with `hooks loop stop`",
			"Not merged: %s. No iteration is open, so no person can be asked",
			acts[0].Command)
	case len(acts) > maxMerges:
		return RefuseCall(MergeGate, "merge one PR at a time",
			"Not merged: the call has %d merges, and at most %d are allowed", len(acts), maxMerges)
	}
	for _, pr := range required(k, &k.Merging) {
		s.Tick.mergeTrackerPR(pr.PR, pr.Unknown)
	}
	run := *s.Run // a copy, because only the tick is saved
	run.Merges = StricterMerges(run.Merges, r.Merges)
	s.Run = &run
	return e.judgeMerges(s, acts, e.posts(r.Acts))
}

// judgeMerges decides whether a call in an open iteration may merge.
func (e Call) judgeMerges(s State, acts []effect.Act, posts []PostedReview) Outcome {
	tick := s.Tick
	if tick.Halting() {
		return RefuseCall(MergeGate, "end the turn; a person may merge",
			"Not merged: the loop ends with this iteration (%s)", tick.HaltedBy())
	}
	for _, a := range acts {
		if d := s.Landable(a); d != nil {
			return refuseCall(d)
		}
	}
	if d := e.secondRound(s, posts); d != nil {
		return refuseCall(d)
	}
	switch known, same := tick.merging(e.ID, e.Input); {
	case same: // another registration of the hooks already let it through
		return Outcome{}
	case known:
		return RefuseCall(MergeGate, "make the call again",
			"Not merged: %s. An earlier call with the id %s was allowed", acts[0].Command, e.ID)
	}
	for _, a := range acts {
		if a.Kind != effect.MergePR {
			continue
		}
		if d := e.mergeOne(s, a); d != nil {
			return Outcome{Save: Save{Tick: tick}, Reply: Reply{Deny: d}}
		}
	}
	e.pass(tick, acts)
	tick.Reviews = AppendNew(tick.Reviews, posts...)
	return Outcome{Save: Save{Tick: tick}}
}

// StricterMerges returns the stricter of two values of --merges.
func StricterMerges(a, b string) string {
	order := []string{"", MergesFeedback, MergesAsk, MergesNever}
	return order[max(slices.Index(order, a), slices.Index(order, b), 0)]
}

// pass records the PRs that the call may merge or approve, each with the commit that a person
// approved, if any. The brake lets each PR pass once.
func (e Call) pass(tick *Tick, acts []effect.Act) {
	for i, a := range acts {
		same := func(b effect.Act) bool { return b.PR == a.PR && b.Kind == a.Kind }
		if slices.ContainsFunc(acts[:i], same) {
			continue // one permission, even if the call names the PR more than once
		}
		p := Passed{ID: e.ID, Input: e.Input, PRs: []int{a.PR}}
		if p.Approves = a.Kind == effect.ApprovePR; !p.Approves {
			if yes := tick.approval(a.PR); yes != nil {
				p.HeadSHA = yes.HeadSHA
			}
			tick.merge(a.PR)
		}
		tick.pass(p)
	}
}

// mergeOne decides about one PR. It refuses if the run has --merges=never. Otherwise a person's
// unused approval decides, then an earlier answer in this tick, then the tracker's facts. If none
// of these decides, mergeOne asks the person.
func (e Call) mergeOne(s State, a effect.Act) *Deny {
	tick := s.Tick
	if s.Run.Merges == MergesNever {
		return e.neverMerges(s, a)
	}
	if yes := tick.approval(a.PR); yes != nil {
		return e.approved(s, a, yes)
	}
	if !tick.AsksMerge(a.PR) {
		switch said := tick.answeredMerge(a.PR); {
		case said != nil: // later facts do not change a person's answer
			why := "does not allow it"
			if said.Answer == "merge" {
				why = "was for one merge and has been used"
			}
			return deny(MergeGate, "leave the PR open and end the turn",
				"Not merged: %s. The person's answer for PR #%d %s", a.Command, a.PR, why)
		case tick.noFeedback(a.PR) && s.Run.Merges != MergesAsk:
			return nil
		case tick.head(a.PR) == "":
			return tick.noHead(a)
		}
		tick.Pending = append(tick.Pending, Due(e.facts(s, a.PR), Merging)...)
		tick.applyOfflineAnswers(s.Run, e.Now)
		if yes := tick.approval(a.PR); yes != nil { // given earlier in a terminal
			return e.approved(s, a, yes)
		}
	}
	d := deny(MergeGate, "", "Not merged yet: %s needs a person's approval (post-feedback-merge).",
		a.Command)
	d.Ask = tick.mergeGates()
	return d
}

// neverMerges refuses a merge because of --merges=never, and records that answer once per PR.
func (e Call) neverMerges(s State, a effect.Act) *Deny {
	if s.Tick.answeredMerge(a.PR) == nil {
		s.Tick.Answered = append(slices.Clone(s.Tick.Answered), GateAnswer{Name: PostFeedbackMerge,
			Question: fmt.Sprintf("%s: merge now, or hold for review?", prTarget(a.PR)),
			Answer:   "hold", At: e.Now, Target: prTarget(a.PR), Origin: OriginFlag})
	}
	return deny(MergeGate, "leave the PR open; a person can merge it in a terminal, or "+
		"resume the run with --merges ask", "Not merged: %s. Nothing is merged in this "+
		"session (--merges never)", a.Command)
}

// noHead refuses a merge whose commit is unknown, because a question must name the commit.
func (t *Tick) noHead(a effect.Act) *Deny {
	why := cmp.Or(t.unknown(a.PR), "neither the tracker nor the remote names it")
	return deny(MergeGate, fmt.Sprintf("push its branch and try again, or leave the PR open. A "+
		"person can find the cause with `hooks pr %d`, or merge it in a terminal", a.PR),
		"Not merged: %s. The head commit of PR #%d is unknown (%s)", a.Command, a.PR, why)
}

func (e Call) facts(s State, pr int) *Facts {
	f := Look(s.Run, s.Tick, nil, e.Now)
	f.Merging = pr
	return f
}

// approved checks a merge against the person's approval. A push after the answer voids it; approved
// then informs both the person and the model. A command that may push first must name the commit,
// so that the forge itself merges nothing else.
func (e Call) approved(s State, a effect.Act, yes *Approval) *Deny {
	head := s.Tick.head(a.PR)
	alone := strings.HasPrefix(a.Command, e.Tool+"(") // the tool does nothing but this act
	switch {
	case head == "":
		return s.Tick.noHead(a)
	case yes.HeadSHA == "" || !SameSHA(yes.HeadSHA, head):
		yes.Used = true
		again := asGate(PostFeedbackMerge, mergeDue(e.facts(s, a.PR))[0]).describe(s.Run)
		s.Tick.Pending = append(s.Tick.Pending, again)
		text := fmt.Sprintf("PR #%d moved from %s to %s, which voids the person's answer",
			a.PR, cmp.Or(yes.HeadSHA, "an unknown commit"), head)
		d := deny(MergeGate, "", "Not merged: %s. %s", a.Command, text)
		d.Ask, d.Say = s.Tick.mergeGates(), "hooks: "+text+"; you are asked again"
		return d
	case a.SHA == "" && !alone, a.SHA != "" && !SameSHA(yes.HeadSHA, a.SHA):
		d := deny(MergeGate, "%s", "Not merged: %s. The person approved %s, not %s",
			a.Command, yes.HeadSHA, cmp.Or(a.SHA, "whatever is pushed before it runs"))
		d.Plainly, d.Act, d.SHA = true, a, yes.HeadSHA
		return d
	}
	return nil
}

// Landable returns a refusal if a lands code or approves a PR in a way that no answer could allow.
// It returns nil for a plain merge of one named PR in the project's own repository, and for an
// approval that the loop may give.
func (s State) Landable(a effect.Act) *Deny {
	plainly := func(hint, format string, args ...any) *Deny {
		d := deny(MergeGate, hint, format, args...)
		d.Plainly, d.Act = true, a
		return d
	}
	approves := a.Kind == effect.ApprovePR // an approval of a PR, not an answer at a gate
	switch {
	case approves && !s.Run.Kind().Reviews:
		return deny(MergeGate, "leave the PR open for `/sdd:review --loop` or a person to review",
			"Not approved: %s. Only a review loop approves PRs", a.Command)
	case a.Auto || a.Admin:
		return plainly("once its checks pass, merge it with `%s`",
			"Not merged: %s. --auto and --admin bypass the approval", a.Command)
	case !approves && a.Kind != effect.MergePR:
		return plainly("open or update a PR and leave it open, or merge it with `%s`",
			"Not done: %s (%s). In a loop only PRs may be merged, one at a time, through the "+
				"merge gate",
			a.Command, a.Words())
	case approves && a.PR == 0:
		return deny(MergeGate, "give the PR's number, as in `gh pr review N --approve`",
			"Not approved: %s does not name a PR", a.Command)
	case a.PR == 0:
		return plainly("give the PR's number, as in `%s`",
			"Not merged: %s does not name a PR", a.Command)
	case approves && a.Elsewhere != "":
		return deny(MergeGate, "review only PRs of this project's own repository",
			"Not approved: %s names %s, but the loop only reviews %s", a.Command, a.Elsewhere,
			a.Own)
	case a.Elsewhere != "":
		return deny(MergeGate, "merge only PRs of this project's own repository",
			"Not merged: %s names %s, but a person can only be asked about %s", a.Command,
			a.Elsewhere, a.Own)
	}
	return nil
}
