package forge

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"
)

// githubFields lists issue fields that older enterprise servers lack.
var githubFields = []field{
	{"blockedBy", `(first:50){totalCount nodes{number state repository{nameWithOwner}}}`},
	{"subIssues", `(first:50){totalCount nodes{number state repository{nameWithOwner}}}`},
}

// newGitHub returns a source for GitHub. gh does not accept a port in the host.
func newGitHub(r reader) *graphql {
	r.names = names{
		number: "number", body: "body", label: "name", milestone: "milestone.title",
		login: "login", draft: "isDraft", branch: "headRefName", base: "baseRefName",
		head: "headRefOid", repo: "repository.nameWithOwner",
	}
	owner, name, _ := strings.Cut(r.Repo, "/")
	where := []string{
		"--hostname", withoutPort(r.Host), "-f", "owner=" + owner, "-f", "name=" + name,
	}
	return &graphql{
		reader: r, where: where, one: [2]string{"-F", "number"}, repository: "data.repository",
		list: "pullRequests", request: "pullRequest", has: "hasIssuesEnabled",
		issueFields: githubFields, readPR: readGitHubPR,
		light: "number closingIssuesReferences(first:20){nodes{number repository{nameWithOwner}}}",
	}
}

func readGitHubPR(r *reader, p *PR, n gjson.Result) {
	r.fork(p, n.Get("isCrossRepository").Bool(), n.Get("headRepository.nameWithOwner"))
	if rollup := n.Get("commits.nodes.0.commit.statusCheckRollup"); rollup.Exists() {
		p.CI = ci(cmp.Or(rollup.Get("state").Str, "none"))
	}
	closes, _ := r.refs(n.Get("closingIssuesReferences"))
	for _, c := range closes {
		if c.Repo == "" {
			p.Closes = append(p.Closes, c.Number)
		}
	}
	githubFeedback(r, p, n.Get("comments"), "createdAt")
	githubFeedback(r, p, n.Get("reviews"), "submittedAt")
}

// githubFeedback adds comments or reviews to p. The query requests only the newest of them.
func githubFeedback(r *reader, p *PR, connection gjson.Result, field string) {
	nodes := elements(connection, "")
	for _, n := range nodes {
		remark := Remark{At: moment(n.Get(field)), Kind: "comment"}
		if field == "submittedAt" {
			if remark.At.IsZero() { // a pending review
				continue
			}
			remark.Kind = review(n.Get("state").Str == "APPROVED", n, "comments.totalCount")
		}
		if n.Get("viewerDidAuthor").Type == gjson.False {
			remark.Commit = text(n.Get("commit.oid"))
		}
		author := n.Get("author")
		r.remark(p, text(author.Get("login")), author.Get("__typename").Str == "Bot", remark)
	}
	p.Cut = p.Cut || connection.Get("totalCount").Int() > int64(len(nodes))
}

// review returns the kind of a review: "approval" for an approval without text or line comments,
// else "review". comments is the path to the number of line comments.
func review(approved bool, n gjson.Result, comments string) string {
	if approved && strings.TrimSpace(n.Get("body").Str) == "" && n.Get(comments).Int() == 0 {
		return "approval"
	}
	return "review"
}
