package forge

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/tracker/backlog"
)

// gitea asks Gitea or Forgejo through `tea api`, with the login that tea has for the host. Its own
// dependencies cost one call an issue: they are asked for where there are few enough issues.
type gitea struct {
	caller
	identities
	login string // tea's name of the login, "" to leave the choice to tea
	scope backlog.Scope
}

const (
	giteaPage   = 50 // the most that a server gives unless configured otherwise
	giteaPages  = 100
	giteaAtOnce = 4  // calls side by side
	giteaEach   = 40 // issues whose dependencies, or reviews whose threads, are asked for: one call each
)

// call asks for one path below the repository.
func (g *gitea) call(ctx context.Context, path string) (gjson.Result, *Failure) {
	return g.api(ctx, strings.TrimSuffix("repos/"+g.Owner+"/"+g.Repo+"/"+path, "/"))
}

func (g *gitea) api(ctx context.Context, path string) (gjson.Result, *Failure) {
	args := []string{g.Program(), "api", "-i"} // -i: the status and the headers, on stderr
	if g.login != "" {
		args = append(args, "--login", g.login)
	}
	r, fail := g.start(ctx, child.Command{Args: append(args, path), Wait: g.wait})
	docs, torn := documents(r.Out)
	status, ok := httpStatus(r.Says)
	switch {
	case ok && status/100 != 2:
		return gjson.Result{}, refused(g.Program(), status, r.Out)
	case !ok && len(docs) == 1 && docs[0].Get("message").Exists() &&
		(fail == nil || fail.Why == Failed):
		return gjson.Result{}, orFailure(nil, g.Program(), docs[0])
	case fail != nil || torn || len(docs) != 1:
		return gjson.Result{}, orFailure(fail, g.Program(), gjson.Result{})
	}
	return docs[0], nil
}

// pages asks for the first page, then for several at once, until one is not full. A server may give fewer on a page than
// it is asked for, so only an empty page, or one shorter than the first, ends a list.
func (g *gitea) pages(ctx context.Context, path string) (rows []gjson.Result, whole bool, fail *Failure) {
	ctx, cancel := context.WithTimeout(ctx, g.wait+listMore)
	defer cancel()
	first := 0
	for page := 1; page <= giteaPages; {
		n := giteaAtOnce
		if page == 1 {
			n = 1
		}
		for _, got := range g.wave(ctx, path, page, n) {
			if !got.rows.IsArray() {
				return rows, false, orFailure(got.fail, g.Program(), got.rows)
			}
			list := got.rows.Array()
			if rows = append(rows, list...); first == 0 {
				first = len(list)
			}
			if len(list) == 0 || len(list) < first || page == 1 && first < 10 {
				return rows, true, nil
			}
		}
		page += n
	}
	return rows, false, nil
}

// answered is one page, or why there is none.
type answered struct {
	rows gjson.Result
	fail *Failure
}

func (g *gitea) wave(ctx context.Context, path string, from, n int) []answered {
	pages := make([]answered, n)
	var asking sync.WaitGroup
	for i := range pages {
		asking.Go(func() {
			pages[i].rows, pages[i].fail = g.call(ctx, fmt.Sprintf("%slimit=%d&page=%d", path, giteaPage, from+i))
		})
	}
	asking.Wait()
	return pages
}

func (g *gitea) issues(ctx context.Context) issueList {
	rows, whole, fail := g.pages(ctx, "issues?state=open&type=issues&")
	l := issueList{whole: whole, fail: fail}
	for _, n := range rows {
		i := backlog.Issue{
			Number: number(n.Get("number")), Title: text(n.Get("title"), mostTitle), Body: text(n.Get("body"), mostBody),
			Labels: texts(n.Get("labels"), "name"), Milestone: text(n.Get("milestone.title"), mostTitle), Assignees: texts(n.Get("assignees"), "login"),
		}
		switch {
		case n.Get("pull_request").IsObject():
		case i.Number == 0:
			l.whole = false
		default:
			l.issues = append(l.issues, i)
		}
	}
	l.issues = once(l.issues)
	if len(l.issues) == 0 && (whole || fail != nil && fail.Why == NotFound) {
		g.turnedOff(ctx, &l)
	}
	g.depend(ctx, &l)
	return l
}

// turnedOff asks whether a list is empty or not found because the repository keeps no issues: they
// are turned off, or kept by another tracker.
func (g *gitea) turnedOff(ctx context.Context, l *issueList) {
	repo, fail := g.call(ctx, "")
	has := repo.Get("has_issues")
	if fail == nil && (has.Type == gjson.False || repo.Get("external_tracker").IsObject()) {
		l.whole, l.fail = false, &Failure{Why: NoIssues, Program: g.Program()}
	}
}

// each runs a call for each of n things, a few at a time, in the time of one list.
func (g *gitea) each(ctx context.Context, n int, call func(ctx context.Context, i int)) {
	ctx, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	free := make(chan struct{}, giteaAtOnce)
	var asking sync.WaitGroup
	for i := range n {
		asking.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			call(ctx, i)
		})
	}
	asking.Wait()
}

// depend asks for the tracker's own dependencies, of the issues in scope alone where there are too many. Where the
// repository has them turned off there are none; where one answer is missing, it is not known what the issue waits for.
func (g *gitea) depend(ctx context.Context, l *issueList) {
	var asked []*backlog.Issue
	for i := range l.issues {
		if len(l.issues) <= giteaEach || g.scope.Holds(&l.issues[i]) {
			asked = append(asked, &l.issues[i])
		}
	}
	if len(asked) > giteaEach {
		l.note = fmt.Sprintf("tracker: the forge's own dependencies of %d issues are too many to ask for, what bodies say counts", len(asked))
		return
	}
	g.each(ctx, len(asked), func(ctx context.Context, i int) { g.dependOne(ctx, asked[i]) })
}

func (g *gitea) dependOne(ctx context.Context, i *backlog.Issue) {
	list, fail := g.call(ctx, fmt.Sprintf("issues/%d/dependencies?limit=%d", i.Number, giteaPage))
	if fail != nil && fail.Why == NotFound {
		return
	}
	rows := list.Array()
	i.Cut = fail != nil || !list.IsArray() || len(rows) >= giteaPage
	for _, n := range rows {
		r := backlog.Ref{Number: number(n.Get("number")), State: state(n.Get("state").Str), Repo: strings.ToLower(text(n.Get("repository.full_name"), mostTitle))}
		if strings.EqualFold(r.Repo, g.Owner+"/"+g.Repo) {
			r.Repo = ""
		}
		if i.Cut = i.Cut || r.Number == 0; r.Number > 0 {
			i.BlockedBy = append(i.BlockedBy, r)
		}
	}
}
