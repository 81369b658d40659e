package loop

import (
	"cmp"
	"slices"
	"strings"
)

// Changed describes the effects of a report.
type Changed struct {
	Due      []Gate   // questions that are now pending
	Fired    []Fired  // conditions that hold
	Deferred []string // targets that this report deferred
	PRs      []PR     // PRs in the report
}

// Take merges a skill's report into the open tick and returns its effects. Lists merge by number;
// later scalars replace earlier ones. A report never reverts an observation.
func Take(f *Facts, r Report) Changed {
	t, deferred := f.Tick, len(f.Tick.Deferred)
	c := Changed{PRs: r.PRs}
	t.Reported = true
	if t.FromTracker() {
		r.Backlog, r.Edges = nil, nil
	}
	t.Report.merge(r)
	t.observe(r.PRs, f)
	if r.Comments != nil {
		t.Comments = max(t.Observed.Comments, *r.Comments)
	}
	f.PRs = f.Run.Touched(t)
	if !t.Halting() {
		t.Fired = evaluate(f, Reported)
	}
	if !t.Halting() {
		t.Pending = append(t.Pending, Due(f, Reported)...)
		t.applyOfflineAnswers(f.Run, f.Now)
		t.applyPolicy(f.Run, f.Now)
		c.Due = slices.Clone(t.Pending)
	}
	c.Fired = t.Fired
	c.Deferred = t.Deferred[deferred:]
	return c
}

// DoNotMerge sets the terminal state do-not-merge on open PRs that carry the project's label for
// it, ignoring case (R21).
func (r *Report) DoNotMerge(label string) {
	for i := range r.PRs {
		pr := &r.PRs[i]
		carries := slices.ContainsFunc(pr.Labels, func(l string) bool {
			return strings.EqualFold(l, label)
		})
		if carries && (pr.State == "" || pr.State == "open") {
			pr.State = "do-not-merge"
		}
	}
}

func (r *Report) merge(o Report) {
	override(&r.Skill, o.Skill)
	if o.Backlog != nil {
		r.Backlog = r.Backlog.merge(*o.Backlog)
	}
	r.Edges = AppendNew(r.Edges, o.Edges...)
	r.Issues = mergeBy(r.Issues, o.Issues, func(i Issue) int { return i.Number }, (*Issue).update)
	r.Plan = AppendNew(r.Plan, o.Plan...)
	r.Failures = mergeBy(r.Failures, o.Failures, Failure.target, nil)
	r.PRs = mergeBy(r.PRs, o.PRs, func(p PR) int { return p.Number }, (*PR).update)
	r.Worktrees = mergeBy(r.Worktrees, o.Worktrees, func(w Worktree) string { return w.Path }, nil)
	override(&r.Comments, o.Comments)
	override(&r.Qmd, o.Qmd)
	override(&r.Outcome, o.Outcome)
	override(&r.Note, o.Note)
}

// mergeBy merges later into list. An item whose key is already in list updates the existing item,
// or replaces it if update is nil.
func mergeBy[T any, K comparable](
	list, later []T, key func(T) K, update func(old *T, later T),
) []T {
	for _, v := range later {
		switch old := first(list, func(o T) bool { return key(o) == key(v) }); {
		case old == nil:
			list = append(list, v)
		case update == nil:
			*old = v
		default:
			update(old, v)
		}
	}
	return list
}

func (i *Issue) update(later Issue) {
	override(&i.Title, later.Title)
	override(&i.Criteria, later.Criteria)
}

func (p *PR) update(later PR) {
	override(&p.State, later.State)
	override(&p.Branch, later.Branch)
	override(&p.HeadSHA, later.HeadSHA)
	if later.Labels != nil {
		p.Labels = later.Labels
	}
	override(&p.HumanFeedback, later.HumanFeedback)
	p.New = p.New || later.New
}

// override sets *to to later if later is not the zero value.
func override[T comparable](to *T, later T) { *to = cmp.Or(later, *to) }

// observe tracks reported PRs and counts them as touched. If a PR's head has not moved since the
// previous iteration, a review loop defers the PR and does not count it (R81–R84).
func (t *Tick) observe(prs []PR, f *Facts) {
	for _, pr := range prs {
		if before := f.Previous.PR(pr.Number); f.Run.Kind().Reviews && before != nil &&
			!slices.Contains(t.PRs, prName(pr.Number)) &&
			pr.HeadSHA != "" && SameSHA(pr.HeadSHA, before.EndSHA) {
			t.deferReview(pr.Number, f.Previous.Iteration)
		}
		t.track(pr)
		if !slices.Contains(t.Deferred, prTarget(pr.Number)) {
			t.PRs = AppendNew(t.PRs, prName(pr.Number))
		}
	}
}

// follow continues to track the previous iteration's open PRs. It defers reviewing a PR whose head
// has not moved since. Only the SHAs are compared (R81–R84).
func (t *Tick) follow(run *Budget, previous *Iteration, e EntryFacts) {
	if previous == nil {
		return
	}
	for _, p := range previous.TrackedPRs {
		if p.StateAtEnd != "open" || slices.Contains(run.DeferredTargets, prTarget(p.Number)) {
			continue
		}
		head, known := e.Asked.head(p, e.Heads)
		if pr := e.Asked.pr(p.Number); pr != nil {
			override(&p.Title, pr.Title)
		}
		if known && run.Kind().Reviews && SameSHA(head, p.EndSHA) {
			t.deferReview(p.Number, previous.Iteration)
		}
		if !known {
			head = p.EndSHA
		}
		t.Tracked = append(t.Tracked,
			TrackedPR{Number: p.Number, Branch: p.Branch, StartSHA: head, EndSHA: head,
				StateAtEnd: "open", Title: p.Title})
	}
}

// HeadAtEnd returns the PR's head when the iteration ended, or "" if it is not known.
func (l *Iteration) HeadAtEnd(number int) string {
	return cmp.Or(l.PR(number), &TrackedPR{}).EndSHA
}

// PR returns a PR as it was when the iteration ended. It returns nil if l is nil or the iteration
// did not interact with the PR.
func (l *Iteration) PR(number int) *TrackedPR {
	if l == nil {
		return nil
	}
	return first(l.TrackedPRs, func(p TrackedPR) bool { return p.Number == number })
}

// PR returns a PR that the open iteration tracks, or nil.
func (t *Tick) PR(number int) *TrackedPR {
	return first(t.Tracked, func(p TrackedPR) bool { return p.Number == number })
}

// track records a PR. Its first known head becomes StartSHA, and its last known head EndSHA.
func (t *Tick) track(pr PR) {
	p := t.PR(pr.Number)
	if p == nil {
		t.Tracked = append(t.Tracked,
			TrackedPR{Number: pr.Number, StartSHA: pr.HeadSHA, StateAtEnd: "open"})
		p = &t.Tracked[len(t.Tracked)-1]
	}
	override(&p.Branch, pr.Branch)
	override(&p.Title, pr.Title)
	override(&p.EndSHA, pr.HeadSHA)
	p.StartSHA = cmp.Or(p.StartSHA, pr.HeadSHA)
	switch pr.State {
	case "open", "merged", "closed":
		p.StateAtEnd = pr.State
	case "do-not-merge":
		p.StateAtEnd = "open"
	}
}

// qmdError returns the error from the qmd outage, or "" if there was none.
func (t *Tick) qmdError() string {
	switch q := t.Report.Qmd; {
	case q != nil && q.Unreachable && q.Error != "":
		return q.Error
	case t.qmdDown():
		return cmp.Or(t.QmdError, "qmd unreachable")
	}
	return t.QmdError
}
