package forge

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

// command asks a program of the project. It is called with one more word, `issues`, `prs`, or `pr` and a number, and
// prints one JSON object: {"issues": […]}, {"prs": […]} or {"pr": {…}}, with "partial": true where that is not all.
// docs/configuration.md names the fields.
type command struct {
	caller
	identities
}

// rows calls the program and gives one list of its answer.
func (c *command) rows(ctx context.Context, word string) (rows []gjson.Result, whole bool, fail *Failure) {
	out, fail := c.run(ctx, c.own(word)...)
	docs, torn := documents(out)
	if fail != nil || torn || len(docs) != 1 || !docs[0].Get(word).IsArray() {
		if fail == nil {
			fail = unreadable(c.Program(), "no JSON object with a list %q", word)
		}
		return nil, false, fail
	}
	return docs[0].Get(word).Array(), !docs[0].Get("partial").Bool(), nil
}

func (c *command) issues(ctx context.Context) issueList {
	rows, whole, fail := c.rows(ctx, "issues")
	l := issueList{whole: whole, fail: fail}
	for _, n := range rows {
		i := backlog.Issue{
			Number: number(n.Get("number")), Title: text(n.Get("title"), mostTitle), Body: text(n.Get("body"), mostBody),
			Labels: texts(n.Get("labels"), "name"), Milestone: text(n.Get("milestone"), mostTitle), Assignees: texts(n.Get("assignees"), "login"),
			BlockedBy: c.refs(n.Get("blocked_by")), Blocking: c.refs(n.Get("blocking")), PRs: numbers(n.Get("prs"), "number"),
		}
		switch {
		case n.Get("state").Exists() && state(n.Get("state").Str) == backlog.Closed:
		case i.Number == 0:
			l.whole = false
		default:
			l.issues = append(l.issues, i)
		}
	}
	l.issues = once(l.issues)
	return l
}

// refs reads dependencies: 5, "#5", "owner/repo#5", or {"ref": "owner/repo#5", "state": "open"}.
func (c *command) refs(r gjson.Result) []backlog.Ref {
	var refs []backlog.Ref
	for _, e := range list(r) {
		name, st := e, backlog.Unknown
		if e.IsObject() {
			name, st = e.Get("ref"), state(e.Get("state").Str)
		}
		repo, digits, ok := strings.Cut(name.String(), "#")
		if !ok {
			repo, digits = "", name.String()
		}
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			if strings.EqualFold(repo, c.Owner+"/"+c.Repo) {
				repo = ""
			}
			refs = append(refs, backlog.Ref{Repo: strings.ToLower(repo), Number: n, State: st})
		}
	}
	return refs
}

func (c *command) pulls(ctx context.Context, _ bool) (prs []PR, whole bool, fail *Failure) {
	rows, whole, fail := c.rows(ctx, "prs")
	for _, n := range rows {
		if p := c.pr(n); p.Number > 0 {
			prs = append(prs, p)
		} else {
			whole = false
		}
	}
	return prs, whole, fail
}

func (c *command) pull(ctx context.Context, n int) (PR, *Failure) {
	out, fail := c.run(ctx, c.own("pr", fmt.Sprint(n))...)
	return one(c.Program(), out, fail, "pr", c.pr)
}

func (c *command) pr(n gjson.Result) PR {
	p := PR{
		Number: number(n.Get("number")), Title: text(n.Get("title"), mostTitle), Draft: n.Get("draft").Bool(), Labels: texts(n.Get("labels"), "name"),
		State: strings.ToLower(cmp.Or(n.Get("state").Str, "open")), Branch: text(n.Get("branch"), mostTitle), Base: text(n.Get("base"), mostTitle),
		HeadSHA: text(n.Get("head_sha"), mostTitle), Fork: n.Get("fork").Bool(), CI: ci(n.Get("ci").Str), Closes: numbers(n.Get("closes"), "number"),
	}
	p.Elsewhere = p.Fork
	if !n.Get("feedback").IsArray() {
		p.cutAt(time.Time{})
	}
	for _, f := range list(n.Get("feedback")) {
		kind := f.Get("kind").Str
		if kind != "review" && kind != "approval" {
			kind = "comment"
		}
		r := c.remark(text(f.Get("author"), mostTitle), f.Get("bot").Bool(), moment(f.Get("at")), kind)
		p.Feedback = append(p.Feedback, r)
		p.approve(r, text(f.Get("commit"), mostTitle))
	}
	p.order()
	c.terminal(&p)
	return p
}
