package forge

import (
	"cmp"

	"github.com/tidwall/gjson"
)

// newGitLab returns a source for GitLab, where issues and merge requests have separate numbers.
func newGitLab(r reader) *graphql {
	r.names = names{
		number: "iid", body: "description", label: "title", milestone: "milestone.title",
		login: "username", draft: "draft", branch: "sourceBranch", base: "targetBranch",
		head: "diffHeadSha", repo: "webUrl",
	}
	return &graphql{
		reader: r, where: []string{"--hostname", r.Host, "-f", "path=" + r.Repo},
		one: [2]string{"-f", "iid"}, repository: "data.project",
		list: "mergeRequests", request: "mergeRequest", has: "issuesEnabled",
		// The community edition lacks this field.
		issueFields: []field{{"blockedByIssues", `{nodes{iid state webUrl}}`}},
		light:       "iid title description",
		readPR:      readGitLabPR,
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
