package forge

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
)

// Question is what is asked of a project's tracker.
type Question struct {
	Project string // the directory to ask in
	Env     func(string) string
	Config  config.Config
	Backlog bool // the open issues in Scope
	Scope   backlog.Scope
	PRs     bool          // every open PR
	PR      int           // this PR, in whatever state; 0 for none
	Wait    time.Duration // the most one call may take, or a list be silent for; 5 s when zero
}

// Answer is what the tracker told. Its zero parts are unknown, never empty.
type Answer struct {
	Place Place
	// Issues are the open issues in scope; Found says that they were asked for and told, whole or not.
	Issues []backlog.Fact
	Found  bool
	// Backlog is nil unless it is whole: from a part of it nobody may conclude that something is gone (R18, R86).
	Backlog *loop.Backlog
	Edges   [][2]int // blocker, blocked
	PRs     []PR
	// PRsWhole says that PRs holds every open one.
	PRsWhole bool
	// Partial says that something asked for is missing. Notes say what, one line each; Err is the first Failure.
	Partial bool
	Notes   []string
	Err     error
}

// source is one kind of tracker. whole is false where something may be missing; fail says why, if anybody knows.
type source interface {
	issues(ctx context.Context) issueList
	pulls(ctx context.Context, light bool) (list []PR, whole bool, fail *Failure)
	pull(ctx context.Context, number int) (PR, *Failure)
}

// Ask asks the project's tracker, its lists side by side. A list may take a while longer than one call where its pages
// keep coming. It returns always an answer: what could not be told is in Err and Notes.
func Ask(ctx context.Context, q Question) Answer {
	if q.Env == nil {
		q.Env = os.Getenv
	}
	var a Answer
	place, err := Choose(q.Env, q.Config.Tracker, tracker.Repo(q.Env, q.Project))
	a.Place = place
	if err != nil {
		a.Partial, a.Err, a.Notes = true, err, []string{err.Error()}
		return a
	}
	from := newSource(place, q)
	var wg sync.WaitGroup
	var board backlog.Board
	var open issueList
	var one PR
	var pullsFail, pullFail *Failure
	var pulls []PR
	if q.Backlog {
		wg.Go(func() { open = from.issues(ctx) })
	}
	if q.Backlog || q.PRs {
		wg.Go(func() { pulls, board.PullsWhole, pullsFail = from.pulls(ctx, !q.PRs) })
	}
	if q.PR > 0 {
		wg.Go(func() { one, pullFail = from.pull(ctx, q.PR) })
	}
	wg.Wait()
	board.Issues, board.Whole = open.issues, open.whole
	a.failed(open.fail, q.Backlog && !open.whole)
	a.counted(&open)
	a.failed(pullsFail, q.PRs && !board.PullsWhole)
	a.failed(pullFail, false)
	if q.Backlog && (open.fail == nil || len(open.issues) > 0) {
		a.sorted(&board, pulls, q.Scope)
	}
	if q.PRs {
		a.PRs, a.PRsWhole = pulls, board.PullsWhole
	}
	if one.Number > 0 {
		a.add(one)
	}
	return a
}

func newSource(p Place, q Question) source {
	c := caller{p, q.Project, q.Wait}
	if c.wait == 0 {
		c.wait = callWait
	}
	id := identities{q.Config.AgentLogins, q.Config.DoNotMerge}
	switch p.Kind {
	case GitHub:
		return &github{c, id}
	case GitLab:
		return &gitlab{c, id}
	case Gitea:
		return &gitea{caller: c, identities: id, login: teaLogin(q.Env, p.Host), scope: q.Scope}
	}
	return &command{c, id}
}

// failed takes a call's failure in; cut says that a list is not whole without anybody saying why.
func (a *Answer) failed(f *Failure, cut bool) {
	switch {
	case f != nil:
		if a.Partial = true; a.Err == nil {
			a.Err = f
		}
		for _, n := range a.Notes {
			if n == f.Error() {
				return
			}
		}
		a.Notes = append(a.Notes, f.Error())
	case cut:
		a.Partial = true
		a.Notes = append(a.Notes, "tracker: the list is not whole, nothing follows from what is not on it")
	}
}

// counted notes how much of a list is known, where the tracker said how much there is, and what was not asked for.
func (a *Answer) counted(l *issueList) {
	if l.note != "" {
		a.Notes = append(a.Notes, l.note)
	}
	if !l.whole && len(l.issues) > 0 && l.total > len(l.issues) {
		a.Notes = append(a.Notes, fmt.Sprintf("tracker: %d of %d open issues are known", len(l.issues), l.total))
	}
}

func (a *Answer) sorted(board *backlog.Board, pulls []PR, scope backlog.Scope) {
	board.Home, board.Shared = a.Place.Home, a.Place.Kind != GitLab
	for _, p := range pulls {
		board.Pulls = append(board.Pulls, backlog.Pull{Number: p.Number, Closes: p.Closes})
	}
	r := backlog.Sort(board, scope)
	a.Issues, a.Found, a.Edges = r.Facts, true, r.Edges
	if !r.Partial {
		a.Backlog = &r.Backlog
	}
	a.Partial = a.Partial || r.Partial
	a.Notes = append(a.Notes, r.Notes...)
}

// add puts the PR that was asked for in place of its entry in the list, which told less.
func (a *Answer) add(p PR) {
	for i := range a.PRs {
		if a.PRs[i].Number == p.Number {
			a.PRs[i] = p
			return
		}
	}
	a.PRs = append(a.PRs, p)
}

// Report is the answer as a loop takes facts. It holds only what is true beyond doubt: no backlog where that is not
// whole, no human feedback where nobody knows. Of the issues those that may be worked on are named.
func (a *Answer) Report() loop.Report {
	r := loop.Report{Backlog: a.Backlog, Edges: a.Edges}
	for _, f := range a.Issues {
		if f.State == backlog.Unblocked {
			r.Issues = append(r.Issues, loop.Issue{Number: f.Number, Title: f.Title, Criteria: f.Criteria})
		}
	}
	for i := range a.PRs {
		r.PRs = append(r.PRs, a.PRs[i].Loop())
	}
	return r
}
