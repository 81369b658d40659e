package forge

import (
	"testing"

	"hooks/internal/loop"
)

func TestPages(t *testing.T) {
	for _, c := range []struct{ kind, host, repo, pr, issue, commit string }{
		{GitHub, "github.com", "acme/app", "https://github.com/acme/app/pull/",
			"https://github.com/acme/app/issues/",
			"https://github.com/acme/app/commit/"},
		{GitLab, "gitlab.com", "group/sub/app",
			"https://gitlab.com/group/sub/app/-/merge_requests/",
			"https://gitlab.com/group/sub/app/-/issues/",
			"https://gitlab.com/group/sub/app/-/commit/"},
		{Gitea, "tea.example.com", "acme/app", "https://tea.example.com/acme/app/pulls/",
			"https://tea.example.com/acme/app/issues/",
			"https://tea.example.com/acme/app/commit/"},
		{Command, "github.com", "acme/app", "", "", ""},
		{"", "example.com", "acme/app", "", "", ""},
		{Gitea, "10.10.10.5:3000", "acme/app", "", "", ""},
		{GitHub, `github.com"><b`, "acme/app", "", "", ""},
		{GitHub, "github.com", `a" onclick="x/app`, "", "", ""},
		{GitHub, "github.com", "", "", "", ""},
	} {
		p := loop.Tracker{Kind: c.kind, Host: c.host, Repo: c.repo}
		if got := Pages(&p); got != (Links{c.pr, c.issue, c.commit}) {
			t.Errorf("%+v: %+v", p, got)
		}
	}
}
