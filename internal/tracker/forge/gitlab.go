package forge

import (
	"cmp"

	"github.com/tidwall/gjson"
)

// pageInfo must come before any number, because glab does not find it after one.
const gitlabIssues = `query($path:ID!,$endCursor:String){project(fullPath:$path){issuesEnabled ` +
	`issues(state:opened,sort:CREATED_ASC,first:100,after:$endCursor)` +
	`{pageInfo{hasNextPage endCursor}nodes{iid title labels{nodes{title}}` +
	`milestone{title}assignees{nodes{username}}%s description}}}}`

const gitlabMR = `iid title description state draft labels{nodes{title}}` +
	`sourceBranch targetBranch sourceProjectId targetProjectId sourceProject{fullPath}` +
	`diffHeadSha headPipeline{status}notes(last:100){nodes{system createdAt author{username bot}}}`

const gitlabMRs = `query($path:ID!,$endCursor:String){project(fullPath:$path){` +
	`mergeRequests(state:opened,sort:CREATED_ASC,first:50,after:$endCursor)` +
	`{pageInfo{hasNextPage endCursor}nodes{%s}}}}`

const gitlabOne = `query($path:ID!,$iid:String!){project(fullPath:$path){` +
	`mergeRequest(iid:$iid){%s}}}`

// newGitLab returns a source for GitLab, where issues and merge requests have separate numbers.
func newGitLab(r reader) *graphql {
	r.names = names{
		number: "iid", body: "description", label: "title", milestone: "milestone.title",
		login: "username", draft: "draft", branch: "sourceBranch", base: "targetBranch",
		head: "diffHeadSha", repo: "webUrl",
	}
	return &graphql{
		reader: r, where: []string{"--hostname", r.Host, "-f", "path=" + r.Owner + "/" + r.Repo},
		one: [2]string{"-f", "iid"}, repository: "data.project",
		list: "mergeRequests", request: "mergeRequest", has: "issuesEnabled",
		issueQuery: gitlabIssues, pullsQuery: gitlabMRs, pullQuery: gitlabOne,
		// The community edition lacks this field.
		issueFields: []field{{"blockedByIssues", `{nodes{iid state webUrl}}`}},
		prFields:    gitlabMR, onePR: gitlabMR, lightFields: "iid title description",
		readPR: readGitLabPR,
	}
}

func readGitLabPR(r *reader, p *PR, n gjson.Result) {
	fork := n.Get("sourceProjectId").Raw != n.Get("targetProjectId").Raw
	r.fork(p, fork, n.Get("sourceProject.fullPath"))
	if pipeline := n.Get("headPipeline"); pipeline.Exists() {
		p.CI = ci(cmp.Or(pipeline.Get("status").Str, "none"))
	}
	notes := elements(n.Get("notes"), "")
	for _, note := range notes {
		if !note.Get("system").Bool() { // system notes record events
			login, bot := text(note.Get("author.username")), note.Get("author.bot").Bool()
			r.remark(p, login, bot, Remark{At: moment(note.Get("createdAt")), Kind: "comment"})
		}
	}
	p.Cut = len(notes) >= 100
}
