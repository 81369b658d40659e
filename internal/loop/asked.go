package loop

import "slices"

// knownPRs are the PRs that the tracker or the skill reported, the tracker's word last.
func (t *Tick) knownPRs() []PR {
	if t.Asked == nil {
		return t.Report.PRs
	}
	return slices.Concat(t.Report.PRs, t.Asked.PRs)
}

// AskedPR is a PR as the tracker itself has it; nil when it was not asked or does not know it.
func (t *Tick) AskedPR(number int) *PR { return t.Asked.pr(number) }

func (a *Asked) pr(number int) *PR {
	if a == nil {
		return nil
	}
	for i := range a.PRs {
		if a.PRs[i].Number == number {
			return &a.PRs[i]
		}
	}
	return nil
}

// head is the head of a tracked PR's branch. A fork's branch is not on the remote, though another
// branch of its name may be, so there the tracker's word counts.
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

// mergeTrackerPR records a PR as the tracker has it now. unknown is why the tracker cannot tell who
// commented, "" if it can.
func (t *Tick) mergeTrackerPR(pr PR, unknown string) {
	if t.Asked == nil {
		t.Asked = &Asked{}
	}
	t.Asked.PRs = mergeBy(t.Asked.PRs, []PR{pr}, func(p PR) int { return p.Number })
	other := func(u Unknown) bool { return u.PR == pr.Number }
	t.Asked.Unknown = slices.DeleteFunc(slices.Clone(t.Asked.Unknown), other)
	if unknown != "" {
		t.Asked.Unknown = append(t.Asked.Unknown, Unknown{pr.Number, unknown})
	}
}

// unknown is why no one can tell who commented on a PR, "" if the tracker told.
func (t *Tick) unknown(pr int) string {
	if t.Asked != nil {
		for _, u := range t.Asked.Unknown {
			if u.PR == pr {
				return u.Why
			}
		}
	}
	return ""
}

// oneDialog is how many questions the client shows at once.
const oneDialog = 4

// ambiguous are the issues about to be worked on with criteria that a person should settle, by
// number. The planned ones are about to be worked on; before there is a plan, those that the skill
// named, and those of the tracker when nothing else could be picked. A worker's issue is looked at
// when it is sent.
func (t *Tick) ambiguous(f *Facts) []int {
	plan := t.Report.Plan
	var list []int
	for _, issue := range t.Report.Issues {
		if issue.unfinished() &&
			(len(plan) == 0 || slices.Contains(plan, issue.Number) ||
				slices.Contains(f.Sent, issue.Number)) {
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
		if all && slices.Contains(open, issue.Number) || slices.Contains(plan, issue.Number) ||
			slices.Contains(f.Sent, issue.Number) {
			list = AppendNew(list, issue.Number)
		}
	}
	return list
}

func (i Issue) unfinished() bool { return i.Criteria == "missing" || i.Criteria == "tbd" }

// clear reports whether an issue of the tracker needs no question.
func (t *Tick) clear(number int) bool {
	return !slices.ContainsFunc(t.Asked.Ambiguous, func(i Issue) bool { return i.Number == number })
}

// observed is what the program saw itself, with what the tracker said.
func (t *Tick) observed(e Ending) Observed {
	o := t.Observed
	for _, w := range t.worktreesAtEnd(e) {
		if t.Started && !slices.ContainsFunc(t.Worktrees, func(b Worktree) bool {
			return b.Path == w.Path
		}) {
			o.Worktrees = append(o.Worktrees, w.Path)
		}
	}
	if t.Asked != nil {
		for _, p := range t.Asked.PRs {
			if t.unknown(p.Number) == "" {
				o.Tracker = AppendNew(slices.Clone(o.Tracker), p.Number)
			}
		}
	}
	return o
}
