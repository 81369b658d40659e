package forge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

func (g *gitea) pulls(ctx context.Context, _ bool) (prs []PR, whole bool, fail *Failure) {
	rows, whole, fail := g.pages(ctx, "pulls?state=open&")
	for _, n := range rows {
		p := g.pr(n)
		if p.Number == 0 {
			whole = false
			continue
		}
		p.cutAt(time.Time{}) // a list tells no comments
		prs = append(prs, p)
	}
	return prs, whole, fail
}

// pull is four calls at once: the PR, its comments, its reviews and who asks; then the threads.
func (g *gitea) pull(ctx context.Context, n int) (PR, *Failure) {
	var answer, comments, me gjson.Result
	var reviews []gjson.Result
	var whole bool
	var fail *Failure
	var asking sync.WaitGroup
	asking.Go(func() { answer, fail = g.call(ctx, fmt.Sprintf("pulls/%d", n)) })
	asking.Go(func() { comments, _ = g.call(ctx, fmt.Sprintf("issues/%d/comments", n)) })
	asking.Go(func() { reviews, whole, _ = g.pages(ctx, fmt.Sprintf("pulls/%d/reviews?", n)) })
	asking.Go(func() { me, _ = g.api(ctx, "user") })
	asking.Wait()
	p := g.pr(answer)
	if p.Number == 0 {
		return p, orFailure(fail, g.Program(), answer)
	}
	for _, c := range list(comments) {
		p.Feedback = append(p.Feedback, g.person(c, "created_at", "comment"))
	}
	own := text(me.Get("login"), mostTitle)
	for _, r := range reviews {
		if kind := giteaReview(r); kind != "" {
			said := g.person(r, "submitted_at", kind)
			p.Feedback = append(p.Feedback, said)
			if own != "" && !strings.EqualFold(own, said.Author) { // the login that the loop uses too approves for nobody
				p.approve(said, text(r.Get("commit_id"), mostTitle))
			}
		}
	}
	if !g.threads(ctx, &p, reviews) || !whole || !comments.IsArray() {
		p.cutAt(time.Time{})
	}
	p.order()
	return p, nil
}

// threads adds what was answered on lines of the code: the forge counts an answer to the review that it is about, whoever
// gave that one. It says whether all of them are known.
func (g *gitea) threads(ctx context.Context, p *PR, reviews []gjson.Result) (whole bool) {
	reviews = slices.DeleteFunc(slices.Clone(reviews), func(r gjson.Result) bool {
		return giteaReview(r) == "" || r.Get("comments_count").Int() == 0
	})
	if len(reviews) > giteaEach {
		return false
	}
	said := make([]gjson.Result, len(reviews))
	g.each(ctx, len(reviews), func(ctx context.Context, i int) {
		said[i], _ = g.call(ctx, fmt.Sprintf("pulls/%d/reviews/%d/comments", p.Number, number(reviews[i].Get("id"))))
	})
	whole = true
	for i, r := range reviews {
		whole = whole && said[i].IsArray()
		for _, c := range list(said[i]) {
			if c.Get("user.id").Raw != r.Get("user.id").Raw || moment(c.Get("created_at")).After(moment(r.Get("submitted_at"))) {
				p.Feedback = append(p.Feedback, g.person(c, "created_at", "comment"))
			}
		}
	}
	return whole
}

// person is what somebody said; the forge marks none of its bots.
func (g *gitea) person(said gjson.Result, at, kind string) Remark {
	login := text(said.Get("user.login"), mostTitle)
	return g.remark(login, login == "gitea-actions" || login == "forgejo-actions", moment(said.Get(at)), kind)
}

// giteaReview is what a review is, "" for one that nobody gave yet.
func giteaReview(r gjson.Result) string {
	switch state := r.Get("state").Str; {
	case state == "PENDING" || state == "REQUEST_REVIEW":
		return ""
	case state == "APPROVED" && !r.Get("dismissed").Bool() && strings.TrimSpace(r.Get("body").Str) == "" && r.Get("comments_count").Int() == 0:
		return "approval"
	}
	return "review"
}

func (g *gitea) pr(n gjson.Result) PR {
	p := PR{
		Number: number(n.Get("number")), Title: text(n.Get("title"), mostTitle), Draft: n.Get("draft").Bool(), Labels: texts(n.Get("labels"), "name"),
		State: n.Get("state").Str, Branch: text(n.Get("head.ref"), mostTitle), HeadSHA: text(n.Get("head.sha"), mostTitle),
		Base: text(n.Get("base.ref"), mostTitle), Fork: n.Get("head.repo.full_name").Str != n.Get("base.repo.full_name").Str,
		Closes: backlog.Closes(text(n.Get("body"), mostBody), g.Home),
	}
	p.Elsewhere = g.elsewhere(p.Fork, n.Get("head.repo.full_name").Str)
	if n.Get("merged").Bool() {
		p.State = "merged"
	}
	g.terminal(&p)
	return p
}
