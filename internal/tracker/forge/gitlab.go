package forge

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

// gitlab asks through glab. Issues and merge requests are numbered apart.
type gitlab struct {
	caller
	identities
}

// pageInfo stands before anything that holds a number: glab looks for it in the text and loses its
// place at a number.
const gitlabIssues = `query($path:ID!,$endCursor:String){project(fullPath:$path){issuesEnabled issues(state:opened,sort:CREATED_ASC,first:100,after:$endCursor)` +
	`{pageInfo{hasNextPage endCursor}count nodes{iid title description labels{nodes{title}}` +
	`milestone{title}assignees{nodes{username}}%s}}}}`

// gitlabDepends is a field that the community edition does not have.
var gitlabDepends = []field{{"blockedByIssues", `{nodes{iid state webUrl}}`}}

const gitlabMR = `iid title description state draft labels{nodes{title}}sourceBranch targetBranch sourceProjectId targetProjectId sourceProject{fullPath}diffHeadSha ` +
	`headPipeline{status}notes(last:100){nodes{system createdAt author{username bot}}}`

const gitlabMRs = `query($path:ID!,$endCursor:String){project(fullPath:$path){mergeRequests(state:opened,sort:CREATED_ASC,first:50,after:$endCursor)` +
	`{pageInfo{hasNextPage endCursor}nodes{%s}}}}`

const gitlabOne = `query($path:ID!,$iid:String!){project(fullPath:$path){mergeRequest(iid:$iid){%s}}}`

func (g *gitlab) query(query string, more ...string) []string {
	args := append([]string{"glab", "api", "graphql", "--hostname", g.Host}, more...)
	return append(args, "-f", "path="+g.Owner+"/"+g.Repo, "-f", "query="+query)
}

func (g *gitlab) issues(ctx context.Context) issueList {
	pages := func(query string) connection { return g.pages(ctx, "issues", query) }
	c := pagesOf(pages, gitlabIssues, gitlabDepends)
	if enabled := c.root.Get("issuesEnabled"); enabled.Type == gjson.False {
		c.whole, c.fail = false, &Failure{Why: NoIssues, Program: g.Program()}
	}
	return c.issues("count", g.issue)
}

func (g *gitlab) pages(ctx context.Context, name, query string) connection {
	out, fail := g.list(ctx, g.query(query, "--paginate")...)
	return connected(g.Program(), out, fail, "data.project", name)
}

func (g *gitlab) issue(n gjson.Result) backlog.Issue {
	i := backlog.Issue{
		Number: number(n.Get("iid")), Title: text(n.Get("title"), mostTitle), Body: text(n.Get("description"), mostBody),
		Labels: texts(n.Get("labels"), "title"), Milestone: text(n.Get("milestone.title"), mostTitle), Assignees: texts(n.Get("assignees"), "username"),
	}
	for _, b := range list(n.Get("blockedByIssues")) {
		r := backlog.Ref{Number: number(b.Get("iid")), State: state(b.Get("state").Str), Repo: g.repoOf(b.Get("webUrl").Str)}
		if i.Cut = i.Cut || r.Number == 0; r.Number > 0 {
			i.BlockedBy = append(i.BlockedBy, r)
		}
	}
	return i
}

// repoOf is the project of an issue's address, "" for this one.
func (g *gitlab) repoOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	path, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/-/")
	if strings.EqualFold(path, g.Owner+"/"+g.Repo) {
		return ""
	}
	return strings.ToLower(path)
}

func (g *gitlab) pulls(ctx context.Context, light bool) ([]PR, bool, *Failure) {
	fields := gitlabMR
	if light {
		fields = "iid title description"
	}
	c := g.pages(ctx, "mergeRequests", fmt.Sprintf(gitlabMRs, fields))
	return c.pulls(g.pr)
}

func (g *gitlab) pull(ctx context.Context, n int) (PR, *Failure) {
	out, fail := g.run(ctx, g.query(fmt.Sprintf(gitlabOne, gitlabMR), "-f", fmt.Sprintf("iid=%d", n))...)
	return one(g.Program(), out, fail, "data.project.mergeRequest", g.pr)
}

func (g *gitlab) pr(n gjson.Result) PR {
	p := PR{
		Number: number(n.Get("iid")), Title: text(n.Get("title"), mostTitle), Draft: n.Get("draft").Bool(), Labels: texts(n.Get("labels"), "title"),
		Branch: text(n.Get("sourceBranch"), mostTitle), Base: text(n.Get("targetBranch"), mostTitle), HeadSHA: text(n.Get("diffHeadSha"), mostTitle),
		State: gitlabState(n.Get("state").Str), Fork: n.Get("sourceProjectId").Raw != n.Get("targetProjectId").Raw,
		Closes: backlog.Closes(text(n.Get("description"), mostBody), g.Home),
	}
	p.Elsewhere = g.elsewhere(p.Fork, n.Get("sourceProject.fullPath").Str)
	if pipeline := n.Get("headPipeline"); pipeline.Exists() {
		p.CI = ci(cmp.Or(pipeline.Get("status").Str, "none"))
	}
	notes := list(n.Get("notes"))
	for _, note := range notes {
		if !note.Get("system").Bool() { // system notes tell what somebody did
			p.Feedback = append(p.Feedback, g.remark(text(note.Get("author.username"), mostTitle), note.Get("author.bot").Bool(), moment(note.Get("createdAt")), "comment"))
		}
	}
	if len(notes) >= 100 {
		p.cutAt(moment(notes[0].Get("createdAt")))
	}
	p.order()
	g.terminal(&p)
	return p
}

func gitlabState(word string) string {
	switch word {
	case "opened":
		return "open"
	case "locked": // while it is being merged
		return "open"
	}
	return word
}
