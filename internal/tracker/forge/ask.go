// Package forge asks a project's tracker about its issues and PRs: GitHub through gh, GitLab
// through glab, Gitea and Forgejo through tea, and any other through a configured command. It
// relies on the logins and hosts of these programs and contains no network code.
//
// A call is bounded in time and output and never prompts. Every error is a *Failure. An incomplete
// list is marked as such, because an issue or PR that it lacks may still exist.
package forge

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/tracker/backlog"
)

// Question is a question to a project's tracker.
type Question struct {
	Project string // the directory where the programs run
	Env     func(string) string
	Config  config.Config
	Run     *loop.Tracker // the run's tracker; nil for the project's current one
	Backlog bool          // request the open issues in Scope
	Scope   backlog.Scope
	PRs     bool          // request all open PRs
	PR      int           // request this PR in any state; 0 for none
	Wait    time.Duration // bounds one call, and the time between pages; 0 means 5 s
}

// Answer holds a tracker's answer. The zero value of a field means unknown, not empty.
type Answer struct {
	Now   loop.Tracker // the project's current tracker, as a run records it
	Place loop.Tracker // the tracker that was asked
	// Issues holds the known open issues in scope.
	Issues []backlog.Fact
	// Backlog is nil if it is incomplete, because an issue missing from an incomplete backlog may
	// still be open (R18, R86).
	Backlog *loop.Backlog
	Edges   [][2]int // blocker, blocked
	PRs     []PR
	Notes   []string // what is missing and why, one line each
	Err     error    // the first *Failure, or nil
}

// source is one kind of tracker.
type source interface {
	issues(ctx context.Context) list[backlog.Issue]
	// pulls returns the open PRs. If light, they have only the fields that the backlog needs.
	pulls(ctx context.Context, light bool) list[PR]
	pull(ctx context.Context, number int) (PR, *Failure)
}

// list holds open issues or PRs.
type list[T any] struct {
	rows  []T
	whole bool   // nothing is missing
	note  string // a message for the user that is not a failure, or ""
	fail  *Failure
}

// printed is a list of JSON values that a program printed.
type printed = list[gjson.Result]

// readList reads the rows of a list. It skips duplicates, because a list may shift between two
// pages. A row without a number makes the list incomplete.
func readList[T any](p printed, key string, read func(gjson.Result) T) list[T] {
	l := list[T]{rows: slices.Grow([]T(nil), len(p.rows)), whole: p.whole, fail: p.fail}
	seen := make(map[int]bool, len(p.rows))
	for _, row := range p.rows {
		n := number(row.Get(key))
		if l.whole = l.whole && n > 0; n > 0 && !seen[n] {
			seen[n] = true
			l.rows = append(l.rows, read(row))
		}
	}
	return l
}

// Ask queries the project's tracker concurrently. It always returns an Answer. Err and Notes report
// failures, for example that the run began with a different tracker. Listing may take 15 s longer
// than Wait while pages keep arriving.
func Ask(ctx context.Context, q Question) Answer {
	now, place, err := q.choose(ctx)
	if q.Run != nil && *q.Run != now {
		if says := moved(*q.Run, now); says != "" {
			place, err = *q.Run, &Failure{Why: Moved, Says: says}
		}
	}
	a := Answer{Now: now, Place: place}
	if err != nil {
		a.Err, a.Notes = err, []string{err.Error()}
		return a
	}
	from := newSource(place, q)
	var issues list[backlog.Issue]
	var pulls list[PR]
	var one PR
	var oneFail *Failure
	var asking sync.WaitGroup
	if q.Backlog {
		asking.Go(func() { issues = from.issues(ctx) })
	}
	if q.Backlog || q.PRs {
		asking.Go(func() { pulls = from.pulls(ctx, !q.PRs) })
	}
	if q.PR > 0 {
		if oneFail = q.apart(place); oneFail == nil {
			asking.Go(func() { one, oneFail = from.pull(ctx, q.PR) })
		}
	}
	asking.Wait()
	a.failed(issues.fail, q.Backlog && !issues.whole)
	if issues.note != "" {
		a.Notes = append(a.Notes, issues.note)
	}
	a.failed(pulls.fail, q.PRs && !pulls.whole)
	a.failed(oneFail, false)
	if q.Backlog && (issues.fail == nil || len(issues.rows) > 0) {
		a.sort(issues, pulls, q.Scope)
	}
	if q.PRs {
		a.PRs = pulls.rows
	}
	if one.Number > 0 { // one replaces the less detailed entry in the list
		known := slices.IndexFunc(a.PRs, func(p PR) bool { return p.Number == one.Number })
		if known < 0 {
			known, a.PRs = len(a.PRs), append(a.PRs, PR{})
		}
		a.PRs[known] = one
	}
	return a
}

func newSource(t loop.Tracker, q Question) source {
	q.Wait = cmp.Or(q.Wait, callWait)
	r := reader{Tracker: t, Question: q}
	switch t.Kind {
	case GitHub:
		return newGitHub(r)
	case GitLab:
		return newGitLab(r)
	case Gitea:
		return newGitea(r)
	}
	return newCommand(r)
}

// failed records a call's failure, or that a list is incomplete for an unknown reason.
func (a *Answer) failed(f *Failure, cut bool) {
	switch {
	case f != nil:
		if f.Program = Program(a.Place); a.Err == nil {
			a.Err = f
		}
		a.Notes = loop.AppendNew(a.Notes, f.Error())
	case cut:
		a.Notes = append(a.Notes,
			"tracker: the list is incomplete, so an issue or PR may be missing from it")
	}
}

// sort classifies the issues in scope, using the open PRs, and adds the result and its notes to a.
func (a *Answer) sort(issues list[backlog.Issue], pulls list[PR], scope backlog.Scope) {
	board := backlog.Board{
		Home: a.Place, Issues: issues.rows, Whole: issues.whole, PullsWhole: pulls.whole,
		Pulls: map[int][]int{}, Shared: a.Place.Kind != GitLab,
	}
	for _, p := range pulls.rows {
		board.Pulls[p.Number] = p.Closes
	}
	r := backlog.Sort(&board, scope)
	a.Issues, a.Edges = r.Facts, r.Edges
	if !r.Partial {
		a.Backlog = &r.Backlog
	}
	a.Notes = append(a.Notes, r.Notes...)
}

// Report converts the answer to a loop.Report. The report contains only known facts: the backlog
// only if it is complete, and human feedback only if it is known. It lists only unblocked issues.
func (a *Answer) Report() loop.Report {
	r := loop.Report{Backlog: a.Backlog, Edges: a.Edges}
	for _, f := range a.Issues {
		if f.State == backlog.Unblocked {
			issue := loop.Issue{Number: f.Number, Title: f.Title, Criteria: f.Criteria}
			r.Issues = append(r.Issues, issue)
		}
	}
	for i := range a.PRs {
		r.PRs = append(r.PRs, a.PRs[i].Loop())
	}
	return r
}
