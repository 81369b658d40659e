package forge

import (
	"context"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

// gitea asks Gitea or Forgejo through `tea api`, which picks its login by the repository's remotes. Its dependencies
// cost a call for every issue and are not asked for; those in bodies count.
type gitea struct {
	caller
	identities
}

const (
	giteaPage  = 50 // the most that a server gives unless configured otherwise
	giteaPages = 20
)

// pages asks page after page until one is not full. A server may give fewer on a page than it is asked for, so only
// an empty page, or one shorter than the first, ends a list.
func (g *gitea) pages(ctx context.Context, path string) (rows []gjson.Result, whole bool, fail *Failure) {
	ctx, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	first := 0
	for page := 1; page <= giteaPages; page++ {
		out, fail := g.run(ctx, "tea", "api", fmt.Sprintf("repos/%s/%s/%slimit=%d&page=%d", g.Owner, g.Repo, path, giteaPage, page))
		docs, torn := documents(out)
		if fail != nil || torn || len(docs) != 1 || !docs[0].IsArray() {
			var doc gjson.Result
			if len(docs) > 0 {
				doc = docs[0]
			}
			return rows, false, orFailure(fail, g.program(), doc)
		}
		got := docs[0].Array()
		rows = append(rows, got...)
		if page == 1 {
			first = len(got)
		}
		if len(got) == 0 || len(got) < min(first, giteaPage) || page == 1 && first < 10 {
			return rows, true, nil
		}
	}
	return rows, false, nil
}

func (g *gitea) issues(ctx context.Context) (issues []backlog.Issue, whole bool, fail *Failure) {
	rows, whole, fail := g.pages(ctx, "issues?state=open&type=issues&")
	for _, n := range rows {
		i := backlog.Issue{
			Number: number(n.Get("number")), Title: text(n.Get("title"), mostTitle), Body: text(n.Get("body"), mostBody),
			Labels: texts(n.Get("labels"), "name"), Milestone: text(n.Get("milestone.title"), mostTitle), Assignees: texts(n.Get("assignees"), "login"),
		}
		switch {
		case n.Get("pull_request").IsObject():
		case i.Number == 0:
			whole = false
		default:
			issues = append(issues, i)
		}
	}
	return once(issues), whole, fail
}

func (g *gitea) pulls(ctx context.Context, _ bool) (prs []PR, whole bool, fail *Failure) {
	rows, whole, fail := g.pages(ctx, "pulls?state=open&")
	for _, n := range rows {
		p := g.pr(n)
		if p.Number == 0 {
			whole = false
			continue
		}
		p.cutAt(later(time.Time{})) // a list tells no comments
		prs = append(prs, p)
	}
	return prs, whole, fail
}

// pull is two calls at once: the PR, and what happened on it from a moment on.
func (g *gitea) pull(ctx context.Context, n int, since time.Time) (PR, *Failure) {
	path := fmt.Sprintf("issues/%d/timeline?", n)
	if !since.IsZero() {
		path += "since=" + since.UTC().Format(time.RFC3339) + "&"
	}
	var events []gjson.Result
	var whole bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		events, whole, _ = g.pages(ctx, path)
	}()
	out, fail := g.run(ctx, "tea", "api", fmt.Sprintf("repos/%s/%s/pulls/%d", g.Owner, g.Repo, n))
	<-done
	p, fail := one(g.program(), out, fail, "@this", g.pr)
	for _, e := range events {
		if kind := e.Get("type").Str; kind == "comment" || kind == "review" || kind == "code" {
			p.Feedback = append(p.Feedback, g.remark(text(e.Get("user.login"), mostTitle), false, moment(e.Get("created_at")), map[string]string{"comment": "comment"}[kind]))
			if last := &p.Feedback[len(p.Feedback)-1]; last.Kind == "" {
				last.Kind = "review"
			}
		}
	}
	p.Since = since
	if !whole {
		p.cutAt(later(time.Time{}))
	}
	p.order()
	return p, fail
}

func (g *gitea) pr(n gjson.Result) PR {
	p := PR{
		Number: number(n.Get("number")), Title: text(n.Get("title"), mostTitle), Draft: n.Get("draft").Bool(), Labels: texts(n.Get("labels"), "name"),
		State: n.Get("state").Str, Branch: text(n.Get("head.ref"), mostTitle), HeadSHA: text(n.Get("head.sha"), mostTitle),
		Base: text(n.Get("base.ref"), mostTitle), Fork: n.Get("head.repo.full_name").Str != n.Get("base.repo.full_name").Str,
		Closes: closing(text(n.Get("body"), mostBody)),
	}
	if n.Get("merged").Bool() {
		p.State = "merged"
	}
	g.terminal(&p)
	return p
}
