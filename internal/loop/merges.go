package loop

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// prTarget formats a PR number for gates and deferrals, for example "PR #142".
func prTarget(pr int) string { return fmt.Sprintf("PR #%d", pr) }

func (t *Tick) mergeGates() []Gate {
	return slices.DeleteFunc(slices.Clone(t.Pending), func(g Gate) bool {
		return g.Name != PostFeedbackMerge
	})
}

// AsksMerge reports whether a question about merging the PR is pending. Then only its answer
// decides.
func (t *Tick) AsksMerge(pr int) bool { return t.waits(PostFeedbackMerge, prTarget(pr)) }

// waits reports whether the gate's question about target is pending.
func (t *Tick) waits(name, target string) bool {
	return slices.ContainsFunc(t.Pending, func(g Gate) bool {
		return g.Name == name && g.Target == target
	})
}

// answeredMerge returns a person's last answer in this tick about merging the PR, or nil. If it is
// "merge" but approval returns nil, a merge has used the approval.
func (t *Tick) answeredMerge(pr int) (last *GateAnswer) {
	for i, g := range t.Answered {
		if g.Name == PostFeedbackMerge && g.Target == prTarget(pr) {
			last = &t.Answered[i]
		}
	}
	return last
}

// mergeShut reports whether a merge question is pending, or a person answered one in this tick with
// anything but "merge".
func (t *Tick) mergeShut() bool {
	return len(t.mergeGates()) > 0 ||
		slices.ContainsFunc(t.Answered, func(g GateAnswer) bool {
			return g.Name == PostFeedbackMerge && g.Answer != "merge"
		})
}

// approval returns a person's unused approval to merge the PR (R101), or nil.
func (t *Tick) approval(pr int) *Approval {
	return first(t.Approvals, func(a Approval) bool { return a.PR == pr && !a.Used })
}

// noFeedback reports whether the tracker itself says that no person commented on a PR (R99). A
// skill is believed if it reports feedback, but not if it reports none.
func (t *Tick) noFeedback(pr int) bool {
	asked := t.Asked.pr(pr)
	return asked != nil && asked.HumanFeedback != nil && !*asked.HumanFeedback && !t.addressed(pr)
}

// addressed reports whether the tracker or the skill says that a person commented on a PR.
func (t *Tick) addressed(pr int) bool {
	return slices.ContainsFunc(t.KnownPRs(), func(p PR) bool {
		return p.Number == pr && p.HumanFeedback != nil && *p.HumanFeedback
	})
}

// head returns the PR's head commit according to the tracker, or "" if it is not known.
func (t *Tick) head(pr int) string {
	return cmp.Or(t.Asked.pr(pr), &PR{}).HeadSHA
}

// merge counts an allowed merge and marks the person's approval as used.
func (t *Tick) merge(pr int) {
	for i := range t.Approvals {
		if t.Approvals[i].PR == pr {
			t.Approvals[i].Used = true
		}
	}
	t.MergesOf = append(t.MergesOf, pr)
	t.Merges++
}

// merged records that a PR is merged, according to a call's output or the tracker.
func (t *Tick) merged(pr int) {
	t.Observed.Merged = AppendNew(t.Observed.Merged, pr)
	t.track(PR{Number: pr, State: "merged"})
}

// Unsettled returns the iteration's PRs whose branch is unknown, or whose merge was allowed but may
// not have landed. It includes the run's single PR until that PR's branch is known, because reviews
// of it may not be reported by any event.
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
		p := t.PR(n)
		landed := !slices.Contains(t.MergesOf, n) || slices.Contains(t.Observed.Merged, n)
		return p != nil && p.Branch != "" && landed
	})
}

// settle records the tracker's answer about a PR at the end of the iteration. elsewhere means that
// the branch is in a fork. The PR's head at the start comes from the tracker's earlier answer, if
// any.
func (t *Tick) settle(pr PR, elsewhere bool) {
	if before := t.Asked.pr(pr.Number); before != nil {
		t.track(PR{Number: pr.Number, HeadSHA: before.HeadSHA})
	}
	if t.track(pr); pr.State == "merged" && slices.Contains(t.MergesOf, pr.Number) {
		t.merged(pr.Number)
	}
	if t.mergeTrackerPR(pr, ""); elsewhere {
		t.Asked.InForks = AppendNew(t.Asked.InForks, pr.Number)
	}
}

// refuseReviews explains why a call may not post its reviews, or returns "" if it may.
// One round consists of one review, the replies to it, and an approval that closes it (R149).
func (t *Tick) refuseReviews(list []PostedReview) string {
	for i, r := range list {
		again := func(o PostedReview) bool {
			return o.Target == r.Target && o.Call != r.Call && (o.Approval || !r.Approval)
		}
		switch {
		case slices.ContainsFunc(t.Reviews, again):
			return r.Target + " has already been reviewed"
		case slices.Contains(list[:i], r):
			return r.Target + " would be reviewed twice"
		}
	}
	return ""
}

// unreview removes a failed call's reviews and reports whether there were any.
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

// KnownPRs returns the PRs that the skill reported, followed by the tracker's.
func (t *Tick) KnownPRs() []PR {
	if t.Asked == nil {
		return t.Report.PRs
	}
	return slices.Concat(t.Report.PRs, t.Asked.PRs)
}

// pr returns the tracker's answer about a PR, or nil if there is none. a may be nil.
func (a *Asked) pr(number int) *PR {
	if a == nil {
		return nil
	}
	return first(a.PRs, func(p PR) bool { return p.Number == number })
}

// head returns the head of a tracked PR. For a PR from a fork it uses the tracker's answer, because
// a remote branch with the same name is a different branch.
func (a *Asked) head(p TrackedPR, remote map[string]string) (sha string, known bool) {
	if a.elsewhere(p.Number) {
		sha = a.pr(p.Number).HeadSHA
		return sha, sha != ""
	}
	sha, known = remote[p.Branch]
	return sha, known
}

func (a *Asked) elsewhere(number int) bool {
	return a.pr(number) != nil && slices.Contains(a.InForks, number)
}

// mergeTrackerPR records the tracker's current answer about a PR. unknown explains why the tracker
// cannot say who commented, or is empty if it can.
func (t *Tick) mergeTrackerPR(pr PR, unknown string) {
	if t.Asked == nil {
		t.Asked = &Asked{}
	}
	t.Asked.PRs = mergeBy(t.Asked.PRs, []PR{pr}, func(p PR) int { return p.Number }, nil)
	other := func(u Unknown) bool { return u.PR == pr.Number }
	t.Asked.Unknown = slices.DeleteFunc(slices.Clone(t.Asked.Unknown), other)
	if unknown != "" {
		t.Asked.Unknown = append(t.Asked.Unknown, Unknown{pr.Number, unknown})
	}
}

// unknown explains why it is not known who commented on a PR, or returns "" if it is known.
func (t *Tick) unknown(pr int) string {
	asked := cmp.Or(t.Asked, &Asked{})
	is := func(u Unknown) bool { return u.PR == pr }
	return cmp.Or(first(asked.Unknown, is), &Unknown{}).Why
}

// oneDialog is the maximum number of questions in one of the client's dialogs.
const oneDialog = 4

// ambiguous returns the upcoming issues whose criteria a person should clarify. With a plan, it
// considers the planned issues. Without one, it considers the issues that the skill reported, and
// the tracker's workable issues if all of them are unclear and one dialog can ask about them all. A
// worker's issues are considered when the worker starts.
func (t *Tick) ambiguous(f *Facts) []int {
	plan := t.Report.Plan
	about := func(n int) bool { return slices.Contains(plan, n) || slices.Contains(f.Sent, n) }
	var list []int
	for _, issue := range t.Report.Issues {
		if issue.unfinished() && (len(plan) == 0 || about(issue.Number)) {
			list = append(list, issue.Number)
		}
	}
	if t.Asked == nil {
		return list
	}
	open := f.Run.Workable(t.Asked.Backlog)
	all := len(plan) == 0 && len(t.Asked.Ambiguous) <= oneDialog &&
		!slices.ContainsFunc(open, t.clear)
	for _, issue := range t.Asked.Ambiguous {
		if all && slices.Contains(open, issue.Number) || about(issue.Number) {
			list = AppendNew(list, issue.Number)
		}
	}
	return list
}

func (i Issue) unfinished() bool { return i.Criteria == "missing" || i.Criteria == "tbd" }

// clear reports whether the tracker considers an issue's criteria complete.
func (t *Tick) clear(number int) bool {
	return !slices.ContainsFunc(t.Asked.Ambiguous, func(i Issue) bool { return i.Number == number })
}

// skip excludes a target for the rest of the run, because a person answered skip. It stores the
// branch of a PR, because later iterations do not track the PR.
func (b *Budget) skip(t *Tick, target string) {
	b.DeferredTargets = AppendNew(b.DeferredTargets, target)
	if branch := t.branchOf(target); branch != "" {
		branches := maps.Clone(b.SkippedBranches)
		if branches == nil {
			branches = Branches{}
		}
		branches[target], b.SkippedBranches = branch, branches
	}
}

// branchOf returns a PR's branch in the project's own repository, or "" if it is not known.
func (t *Tick) branchOf(target string) (branch string) {
	note := func(number int, of string) {
		if prTarget(number) == target && !t.Asked.elsewhere(number) {
			branch = cmp.Or(of, branch)
		}
	}
	for _, p := range t.Tracked {
		note(p.Number, p.Branch)
	}
	for _, p := range t.KnownPRs() {
		note(p.Number, p.Branch)
	}
	return branch
}

// skipped returns the skipped target with one of these names or this branch, or "" if there is
// none. branch may include its owner, for example acme:feature/a.
func (s State) skipped(branch string, names ...string) string {
	branch = branch[strings.LastIndexByte(branch, ':')+1:]
	for _, target := range s.Run.DeferredTargets {
		own := cmp.Or(s.Run.SkippedBranches[target], s.Tick.branchOf(target))
		if slices.Contains(names, target) || branch != "" && branch == own {
			return target
		}
	}
	return ""
}

func saysSkip(target string) string {
	return fmt.Sprintf("a person answered skip for %s, so it is left alone for the rest of the run",
		target)
}
