package forge

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

// github asks through gh, whose logins and hosts are used as they are. A list is one call: gh itself follows the
// pages, until the call's time or output is used up. Nothing is kept between iterations: an issue's own date of change
// does not move with its dependencies and PRs.
type github struct {
	caller
	identities
}

const githubIssues = `query($owner:String!,$name:String!,$endCursor:String){repository(owner:$owner,name:$name){nameWithOwner hasIssuesEnabled ` +
	`issues(first:100,after:$endCursor,states:OPEN,orderBy:{field:CREATED_AT,direction:ASC})` +
	`{pageInfo{hasNextPage endCursor}totalCount nodes{number title body labels(first:50){nodes{name}}milestone{title}assignees(first:10){nodes{login}}%s}}}}`

// githubDepends are fields that older enterprise servers do not have. includeClosedPrs leaves out
// those that were closed without a merge only.
var githubDepends = []field{
	{"closedByPullRequestsReferences",
		`(first:10,includeClosedPrs:false){nodes{number state repository{nameWithOwner}}}`},
	{"blockedBy", `(first:50){totalCount nodes{number state repository{nameWithOwner}}}`},
	{"subIssues", `(first:50){totalCount nodes{number state repository{nameWithOwner}}}`},
}

const githubPR = `number title state isDraft isCrossRepository headRepository{nameWithOwner}headRefName headRefOid baseRefName labels(first:50){nodes{name}}` +
	`closingIssuesReferences(first:20){nodes{number repository{nameWithOwner}}}commits(last:1){nodes{commit{statusCheckRollup{state}}}}` +
	`comments(last:%[1]d){totalCount nodes{createdAt author{__typename login}}}` +
	`reviews(last:%[1]d){totalCount nodes{submittedAt state body viewerDidAuthor commit{oid}author{__typename login}comments{totalCount}}}`

const githubPRs = `query($owner:String!,$name:String!,$endCursor:String){repository(owner:$owner,name:$name){nameWithOwner ` +
	`pullRequests(first:50,after:$endCursor,states:OPEN,orderBy:{field:CREATED_AT,direction:ASC}){pageInfo{hasNextPage endCursor}nodes{%s}}}}`

// githubPulls is all that the backlog needs of PRs.
const githubPulls = `number closingIssuesReferences(first:20){nodes{number repository{nameWithOwner}}}`

const githubOne = `query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name){nameWithOwner pullRequest(number:$number){%s}}}`

func (g *github) issues(ctx context.Context) issueList {
	pages := func(query string) connection { return g.pages(ctx, "issues", query) }
	c := pagesOf(pages, githubIssues, githubDepends)
	if enabled := c.root.Get("hasIssuesEnabled"); enabled.Type == gjson.False && c.fail == nil {
		c.whole, c.fail = false, &Failure{Why: NoIssues, Program: g.Program()}
	}
	return c.issues("totalCount", g.at(c.root).issue)
}

// at is the same source under the name that the repository has now: an old one still leads to it.
func (g *github) at(root gjson.Result) *github {
	owner, name, ok := strings.Cut(text(root.Get("nameWithOwner"), mostTitle), "/")
	if !ok {
		return g
	}
	now := *g
	now.Owner, now.Repo = owner, name
	return &now
}

// issue reads a node in one pass: bodies are long.
func (g *github) issue(n gjson.Result) backlog.Issue {
	var i backlog.Issue
	n.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "number":
			i.Number = number(v)
		case "title":
			i.Title = text(v, mostTitle)
		case "body":
			i.Body = text(v, mostBody)
		case "labels":
			i.Labels = texts(v, "name")
		case "milestone":
			i.Milestone = text(v.Get("title"), mostTitle)
		case "assignees":
			i.Assignees = texts(v, "login")
		case "closedByPullRequestsReferences":
			for _, r := range g.refs(v, &i) {
				if r.Repo == "" && r.State == backlog.Open {
					i.PRs = append(i.PRs, r.Number)
				}
			}
		case "blockedBy", "subIssues":
			i.BlockedBy = append(i.BlockedBy, g.refs(v, &i)...)
		}
		return true
	})
	return i
}

// refs reads issues of any repository. One that the login may not see is null: something is there, nobody knows what.
func (g *github) refs(connection gjson.Result, i *backlog.Issue) []backlog.Ref {
	var refs []backlog.Ref
	nodes := list(connection)
	if connection.Get("totalCount").Int() > int64(len(nodes)) {
		i.Cut = true
	}
	for _, n := range nodes {
		num := number(n.Get("number"))
		if num == 0 {
			i.Cut = true
			continue
		}
		repo := n.Get("repository.nameWithOwner").Str
		if strings.EqualFold(repo, g.Owner+"/"+g.Repo) {
			repo = ""
		}
		refs = append(refs, backlog.Ref{Repo: strings.ToLower(repo), Number: num, State: state(n.Get("state").Str)})
	}
	return refs
}

// pages asks without a port, which gh refuses.
func (g *github) pages(ctx context.Context, name, query string) connection {
	out, fail := g.list(ctx, "gh", "api", "graphql", "--hostname", withoutPort(g.Host), "--paginate",
		"-f", "owner="+g.Owner, "-f", "name="+g.Repo, "-f", "query="+query)
	return connected(g.Program(), out, fail, "data.repository", name)
}

func (g *github) pulls(ctx context.Context, light bool) ([]PR, bool, *Failure) {
	fields := fmt.Sprintf(githubPR, 30)
	if light {
		fields = githubPulls
	}
	c := g.pages(ctx, "pullRequests", fmt.Sprintf(githubPRs, fields))
	return c.pulls(g.at(c.root).pr)
}

func (g *github) pull(ctx context.Context, n int) (PR, *Failure) {
	out, fail := g.run(ctx, "gh", "api", "graphql", "--hostname", withoutPort(g.Host), "-f", "owner="+g.Owner, "-f", "name="+g.Repo,
		"-F", fmt.Sprintf("number=%d", n), "-f", "query="+fmt.Sprintf(githubOne, fmt.Sprintf(githubPR, 100)))
	return one(g.Program(), out, fail, "data.repository", func(root gjson.Result) PR {
		return g.at(root).pr(root.Get("pullRequest"))
	})
}

func (g *github) pr(n gjson.Result) PR {
	p := PR{
		Number: number(n.Get("number")), Title: text(n.Get("title"), mostTitle), Draft: n.Get("isDraft").Bool(),
		State: strings.ToLower(n.Get("state").Str), Labels: texts(n.Get("labels"), "name"), Fork: n.Get("isCrossRepository").Bool(),
		Branch: text(n.Get("headRefName"), mostTitle), Base: text(n.Get("baseRefName"), mostTitle), HeadSHA: text(n.Get("headRefOid"), mostTitle),
	}
	p.Elsewhere = g.elsewhere(p.Fork, n.Get("headRepository.nameWithOwner").Str)
	if rollup := n.Get("commits.nodes.0.commit.statusCheckRollup"); rollup.Exists() {
		p.CI = ci(cmp.Or(rollup.Get("state").Str, "none"))
	}
	var none backlog.Issue
	for _, r := range g.refs(n.Get("closingIssuesReferences"), &none) {
		if r.Repo == "" {
			p.Closes = append(p.Closes, r.Number)
		}
	}
	g.feedback(&p, n.Get("comments"), "createdAt")
	g.feedback(&p, n.Get("reviews"), "submittedAt")
	p.order()
	g.terminal(&p)
	return p
}

// feedback reads comments or reviews, the newest of which the tracker tells.
func (g *github) feedback(p *PR, connection gjson.Result, field string) {
	nodes := list(connection)
	var oldest time.Time
	for i, n := range nodes {
		at := moment(n.Get(field))
		if i == 0 {
			oldest = at
		}
		if field == "submittedAt" && at.IsZero() { // a review that is not sent yet
			continue
		}
		author := n.Get("author")
		r := g.remark(text(author.Get("login"), mostTitle), author.Get("__typename").Str == "Bot", at, remarkKind(n, field))
		p.Feedback = append(p.Feedback, r)
		if own := n.Get("viewerDidAuthor"); own.Type == gjson.False { // the login that the loop uses too approves for nobody
			p.approve(r, text(n.Get("commit.oid"), mostTitle))
		}
	}
	if connection.Get("totalCount").Int() > int64(len(nodes)) {
		p.cutAt(oldest)
	}
}

func remarkKind(n gjson.Result, field string) string {
	switch {
	case field != "submittedAt":
		return "comment"
	case n.Get("state").Str == "APPROVED" && strings.TrimSpace(n.Get("body").Str) == "" && n.Get("comments.totalCount").Int() == 0:
		return "approval"
	}
	return "review"
}
