// Package backlog holds the two kinds of loop that work on a project's backlog and PRs: work and
// review.
package backlog

import (
	"fmt"
	"slices"

	"hooks/internal/english"
	"hooks/internal/loop"
)

// Skills of the sdd plugin that loop over the backlog and its PRs (R1).
const (
	Work   loop.Skill = "work"
	Review loop.Skill = "review"
)

const planFields = `"plan":[],"failures":[{"kind":"issue|pr","number":1,"cause":"…"}],` +
	`"prs":[{"number":1,"state":"open","branch":"…","head_sha":"…","new":true}],` +
	`"outcome":"ok|errored","note":"…"}`

// WorkKind is the loop kind that takes issues from the backlog (R1).
var WorkKind = loop.Kind{
	Name: Work, Backlog: true, PRs: true, Adopts: true, Owes: owesFacts, Idles: true,
	Report: `{"skill":"work","backlog":{"unblocked":[],"blocked":[],"in_progress":[]},` +
		`"plan":[],"failures":[],"prs":[],"outcome":"ok"}`,
	Fields: `{"backlog":{"unblocked":[],"blocked":[],"in_progress":[]},` +
		`"edges":[[blocker,blocked]],"issues":[{"number":1,"criteria":"ok|missing|tbd"}],` +
		planFields,
	Tracked: `{` + planFields,
	Conditions: []loop.Condition{
		{Number: 1, Name: "backlog-empty", Cause: "backlog_empty",
			When: loop.Entry | loop.Reported, Holds: backlogEmpty, Tell: tellBacklog,
			Way: "make an issue workable, then start the loop again"},
		{Number: 7, Name: "dependency-cycle", Cause: "dependency_cycle",
			When: loop.Entry | loop.Reported, Holds: dependencyCycle,
			Tell: loop.Says("fires when reported dependencies form a cycle").Tell,
			Way:  "remove one of the dependencies in the tracker, then resume"},
	},
	Applies: func(b *loop.Budget) bool { return b.Skill == Work }, Completes: "backlog_empty",
}

// ReviewKind is the loop kind that answers and approves PRs (R1).
var ReviewKind = loop.Kind{
	Name: Review, Reviews: true, OnePR: true, PRs: true, Adopts: true, Owes: owesFacts,
	Report: `{"skill":"review","prs":[{"number":142,"state":"open","branch":"…",` +
		`"head_sha":"…","human_feedback":false}],"failures":[],"comments_pushed":0,"outcome":"ok"}`,
	Fields: `{"prs":[{"number":1,"state":"open|merged|closed|do-not-merge","branch":"…",` +
		`"head_sha":"…","human_feedback":true}],` +
		`"failures":[{"kind":"pr","number":1,"cause":"…"}],"comments_pushed":0,` +
		`"outcome":"ok|errored","note":"…"}`,
	Conditions: []loop.Condition{
		{Number: 2, Name: "pr-terminal", Cause: "pr_terminal",
			When: loop.Entry | loop.Reported | loop.Exit, Holds: prTerminal, Tell: tellPR,
			Way: "nothing is left to do for this PR"},
	},
	// a review may watch a single PR (R145, R146)
	Applies: func(b *loop.Budget) bool { return b.SinglePR != 0 }, Completes: "pr_terminal",
}

// owesFacts asks for the skill's report, which only the model can give.
func owesFacts(s loop.State) *loop.Continue {
	if s.Tick.Reported {
		return nil
	}
	return &loop.Continue{Name: "facts"}
}

func backlogEmpty(f *loop.Facts) string {
	// The condition does not hold once the tick has worked, because the issues it took up may be
	// missing from the backlog (R18).
	if f.Tick == nil || f.Tick.Worked() || f.Tick.KnownBacklog() == nil {
		return ""
	}
	if len(f.Run.Workable(f.Tick.KnownBacklog())) > 0 {
		return ""
	}
	return fmt.Sprintf("Backlog empty — %d iterations used, %d PRs touched", f.Run.IterationsUsed,
		len(f.PRs))
}

func prTerminal(f *loop.Facts) string {
	if f.Tick == nil {
		return ""
	}
	state := ""
	if p := f.Tick.PR(f.Run.SinglePR); p != nil { // the observed state
		state = p.StateAtEnd
	}
	for _, pr := range f.Tick.KnownPRs() {
		if pr.Number == f.Run.SinglePR && terminal(pr.State) {
			state = pr.State
		}
	}
	if !terminal(state) {
		return ""
	}
	return fmt.Sprintf("PR #%d reached terminal state: %s", f.Run.SinglePR, state)
}

func terminal(state string) bool {
	return state == "merged" || state == "closed" || state == "do-not-merge"
}

func dependencyCycle(f *loop.Facts) string {
	edges := f.Edges
	if f.Tick != nil {
		edges = slices.Concat(edges, f.Tick.Report.Edges)
	}
	if len(edges) == 0 {
		return ""
	}
	cycle := loop.Cycle(edges)
	if len(cycle) == 0 {
		return ""
	}
	path := fmt.Sprint(cycle[0])
	for _, n := range append(cycle[1:], cycle[0]) {
		path += fmt.Sprintf(" → #%d", n)
	}
	if len(cycle) == 2 {
		path = fmt.Sprintf("%d ↔ #%d", cycle[0], cycle[1])
	}
	return "Dependency cycle detected: #" + path + " — please resolve manually"
}

func tellBacklog(f *loop.Facts) string {
	if f.Tick == nil || f.Tick.KnownBacklog() == nil {
		return "the backlog is not known yet; fires when an iteration begins and no issue is " +
			"workable"
	}
	left := f.Run.Workable(f.Tick.KnownBacklog())
	return fmt.Sprintf("%s workable; fires at 0 if the iteration has done no work",
		english.Plural(len(left), "issue"))
}

func tellPR(f *loop.Facts) string {
	return fmt.Sprintf("fires when PR #%d is merged, closed or labelled do-not-merge",
		f.Run.SinglePR)
}
