package forge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/tracker/backlog"
)

// gitea asks Gitea or Forgejo through `tea api`, with tea's login for the host. The dependencies
// that the forge records cost one call per issue, so gitea requests them for at most giteaEach
// issues.
type gitea struct {
	reader
	login string // tea's name for the login; if empty, tea chooses one
}

const (
	giteaPage   = 50 // rows requested per page; a server's default maximum
	giteaPages  = 100
	giteaAtOnce = 4  // concurrent calls
	giteaEach   = 40 // maximum number of issues, or of reviews, to request one by one
)

func newGitea(r reader) *gitea {
	r.names = names{
		number: "number", body: "body", label: "name", milestone: "milestone.title",
		login: "login", draft: "draft", branch: "head.ref", base: "base.ref", head: "head.sha",
		repo: "repository.full_name",
	}
	login, _ := teaLogin(r.Env, r.Host)
	return &gitea{r, login}
}

// call requests a path below the repository.
func (g *gitea) call(ctx context.Context, format string, args ...any) (gjson.Result, *Failure) {
	path := "repos/" + g.Repo + "/" + fmt.Sprintf(format, args...)
	return g.api(ctx, strings.TrimSuffix(path, "/"))
}

func (g *gitea) api(ctx context.Context, path string) (gjson.Result, *Failure) {
	args := []string{Program(g.Tracker), "api", "-i"} // -i prints status and headers on stderr
	if g.login != "" {
		args = append(args, "--login", g.login)
	}
	r, fail := g.run(ctx, child.Command{Args: append(args, path)})
	docs, torn := documents(r.Out)
	if refusal := refused(r.Says, docs); refusal != nil {
		return gjson.Result{}, refusal
	}
	if fail != nil || torn || len(docs) != 1 {
		return gjson.Result{}, orFailure(fail, gjson.Result{})
	}
	return docs[0], nil
}

// each makes n calls, at most giteaAtOnce concurrently. All n calls share the time limit of one
// call.
func (g *gitea) each(ctx context.Context, n int, call func(ctx context.Context, i int)) {
	ctx, cancel := context.WithTimeout(ctx, g.Wait)
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

// pages requests a list page by page. The server may allow fewer rows per page than requested, so
// pages stops at a page shorter than the first, or after a first page of under 10 rows.
func (g *gitea) pages(ctx context.Context, path string) (p printed) {
	ctx, cancel := context.WithTimeout(ctx, g.Wait+listMore)
	defer cancel()
	first := 0
	for page := 1; page <= giteaPages && !p.whole; page++ {
		answer, fail := g.call(ctx, "%slimit=%d&page=%d", path, giteaPage, page)
		if !answer.IsArray() {
			p.fail = orFailure(fail, answer)
			return p
		}
		list := answer.Array()
		if p.rows = append(p.rows, list...); page == 1 {
			first = len(list)
		}
		p.whole = len(list) < first || first < 10
	}
	return p
}

func (g *gitea) issues(ctx context.Context) list[backlog.Issue] {
	p := g.pages(ctx, "issues?state=open&type=issues&")
	p.rows = slices.DeleteFunc(p.rows, func(n gjson.Result) bool {
		return n.Get("pull_request").IsObject()
	})
	l := readList(p, g.number, g.issue)
	if len(l.rows) == 0 && (l.whole || l.fail != nil && l.fail.Why == NotFound) {
		// Issues may be disabled, or in an external tracker.
		repo, fail := g.call(ctx, "")
		external := repo.Get("external_tracker").IsObject()
		if fail == nil && (external || repo.Get("has_issues").Type == gjson.False) {
			l.whole, l.fail = false, &Failure{Why: NoIssues}
		}
	}
	g.depend(ctx, &l)
	return l
}

// depend requests the dependencies that the forge records. If there are more than giteaEach issues,
// it requests them only for issues in scope, or not at all if too many issues are in scope.
func (g *gitea) depend(ctx context.Context, l *list[backlog.Issue]) {
	var asked []*backlog.Issue
	for i := range l.rows {
		if len(l.rows) <= giteaEach || g.Scope.Holds(&l.rows[i]) {
			asked = append(asked, &l.rows[i])
		}
	}
	if len(asked) > giteaEach {
		l.note = fmt.Sprintf("tracker: too many issues (%d) to ask the forge for their "+
			"dependencies; only dependencies written in issue texts count", len(asked))
		return
	}
	g.each(ctx, len(asked), func(ctx context.Context, n int) {
		i := asked[n]
		list, fail := g.call(ctx, "issues/%d/dependencies?limit=%d", i.Number, giteaPage)
		if fail != nil && fail.Why == NotFound { // dependencies are disabled
			return
		}
		i.BlockedBy, i.Cut = g.refs(list)
		i.Cut = i.Cut || fail != nil || !list.IsArray() || len(list.Array()) >= giteaPage
	})
}

func (g *gitea) pulls(ctx context.Context, _ bool) list[PR] {
	return readList(g.pages(ctx, "pulls?state=open&"), g.number, func(n gjson.Result) PR {
		p := g.pr(n)
		p.Cut = true // lists omit comments
		return p
	})
}

func (g *gitea) pr(n gjson.Result) PR {
	p := g.reader.pr(n)
	head := n.Get("head.repo.full_name")
	g.fork(&p, head.Str != n.Get("base.repo.full_name").Str, head)
	if n.Get("merged").Bool() {
		p.State = "merged"
	}
	g.finish(&p)
	return p
}

// pull fetches the PR, its comments, its reviews and the current user's login concurrently, and
// then the review threads.
func (g *gitea) pull(ctx context.Context, n int) (PR, *Failure) {
	var answer, comments, me gjson.Result
	var list printed
	var fail *Failure
	var asking sync.WaitGroup
	asking.Go(func() { answer, fail = g.call(ctx, "pulls/%d", n) })
	asking.Go(func() { comments, _ = g.call(ctx, "issues/%d/comments", n) })
	asking.Go(func() { list = g.pages(ctx, fmt.Sprintf("pulls/%d/reviews?", n)) })
	asking.Go(func() { me, _ = g.api(ctx, "user") })
	asking.Wait()
	p := g.pr(answer)
	if p.Number == 0 {
		return p, orFailure(fail, answer)
	}
	for _, c := range elements(comments, "") {
		g.add(&p, c, Remark{At: moment(c.Get("created_at")), Kind: "comment"})
	}
	reviews := slices.DeleteFunc(list.rows, func(r gjson.Result) bool { // unsubmitted reviews
		state := r.Get("state").Str
		return state == "PENDING" || state == "REQUEST_REVIEW"
	})
	own := text(me.Get("login"))
	for _, r := range reviews {
		approved := r.Get("state").Str == "APPROVED" && !r.Get("dismissed").Bool()
		remark := Remark{
			At: moment(r.Get("submitted_at")), Kind: review(approved, r, "comments_count"),
		}
		if own != "" && !strings.EqualFold(own, text(r.Get("user.login"))) {
			remark.Commit = text(r.Get("commit_id"))
		}
		g.add(&p, r, remark)
	}
	p.Cut = !g.threads(ctx, &p, reviews) || !list.whole || !comments.IsArray()
	g.finish(&p)
	return p, nil
}

// threads adds the replies to review comments and reports whether all of them are known. The forge
// lists the replies of all users under the review that they reply to.
func (g *gitea) threads(ctx context.Context, p *PR, reviews []gjson.Result) (whole bool) {
	reviews = slices.DeleteFunc(reviews, func(r gjson.Result) bool {
		return r.Get("comments_count").Int() == 0
	})
	if len(reviews) > giteaEach {
		return false
	}
	said := make([]gjson.Result, len(reviews))
	g.each(ctx, len(reviews), func(ctx context.Context, i int) {
		id := number(reviews[i].Get("id"))
		said[i], _ = g.call(ctx, "pulls/%d/reviews/%d/comments", p.Number, id)
	})
	whole = true
	for i, r := range reviews {
		whole = whole && said[i].IsArray()
		for _, c := range elements(said[i], "") {
			at := moment(c.Get("created_at"))
			later := at.After(moment(r.Get("submitted_at")))
			if later || c.Get("user.id").Raw != r.Get("user.id").Raw {
				g.add(p, c, Remark{At: at, Kind: "comment"})
			}
		}
	}
	return whole
}

// add adds a comment or a review. The forge does not mark bots, so add recognizes its bots by name.
func (g *gitea) add(p *PR, n gjson.Result, r Remark) {
	login := text(n.Get("user.login"))
	g.remark(p, login, login == "gitea-actions" || login == "forgejo-actions", r)
}
