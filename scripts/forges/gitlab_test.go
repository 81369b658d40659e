//go:build forges

package forges

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
	"hooks/internal/tracker/forge"
)

// gitlab serves acme/app. A premium edition has blocked issues.
func gitlab(t *testing.T, premium bool, issues, requests []object) *forgeServer {
	t.Helper()
	schema, err := os.ReadFile("testdata/gitlab.graphql")
	if err != nil {
		t.Fatal(err)
	}
	text := string(schema)
	if premium {
		text = strings.ReplaceAll(text, "#edition#", "")
	}
	e, err := newEngine(text, object{"project": resolver(func(args map[string]any) any {
		if args["fullPath"] != "acme/app" {
			return nil
		}
		return object{
			"fullPath": "acme/app", "issuesEnabled": true,
			"issues": connection(issues), "mergeRequests": connection(requests),
			"mergeRequest": resolver(func(args map[string]any) any {
				for _, r := range requests {
					if r["iid"] == args["iid"] {
						return r
					}
				}
				return nil
			}),
		}
	})})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, e)
}

func glIssue(n int, more object) object {
	o := object{
		"iid": fmt.Sprint(n), "title": fmt.Sprintf("Issue %d", n), "state": "opened",
		"description": "### Acceptance Criteria\n- [ ] done\n",
		"labels":      connection(nil), "milestone": nil,
		"webUrl":    fmt.Sprintf("https://gitlab.com/acme/app/-/issues/%d", n),
		"assignees": connection(nil), "blockedByIssues": connection(nil),
	}
	for k, v := range more {
		o[k] = v
	}
	return o
}

func glRequest(n int, more object) object {
	o := object{
		"iid": fmt.Sprint(n), "title": fmt.Sprintf("MR %d", n), "description": "Closes #1",
		"state": "opened", "draft": false, "labels": connection(nil),
		"sourceBranch": fmt.Sprintf("feature/%d", n),
		"targetBranch": "main", "sourceProjectId": 7, "targetProjectId": 7,
		"sourceProject": object{"fullPath": "acme/app"}, "diffHeadSha": strings.Repeat("a", 40),
		"headPipeline": object{"status": "SUCCESS"},
		"notes": connection([]object{{
			"system": false, "createdAt": "2026-11-20T10:00:00Z",
			"author": object{"username": "ann", "bot": false},
		}}),
	}
	for k, v := range more {
		o[k] = v
	}
	return o
}

// Everything that is asked of GitLab, through glab, in both editions.
func TestGitLab(t *testing.T) {
	each(t, "HOOKS_GLAB", "glab", func(t *testing.T) {
		for _, premium := range []bool{true, false} {
			blocker := glIssue(1, nil)
			s := gitlab(t, premium, []object{
				blocker, glIssue(2, object{"blockedByIssues": connection([]object{blocker})}),
				glIssue(3, object{"description": "Depends on #2"}),
				glIssue(4, object{"state": "closed"}),
			}, []object{glRequest(9, nil), glRequest(8, object{"state": "merged"})})
			q := question(t, forge.GitLab, "gitlab.com")
			q.Backlog, q.PRs, q.PR = true, true, 8
			a := forge.Ask(context.Background(), q)
			want := &loop.Backlog{Unblocked: []int{1}, Blocked: []int{2, 3}, InProgress: []int{}}
			if !premium {
				want = &loop.Backlog{Unblocked: []int{1, 2}, Blocked: []int{3}, InProgress: []int{}}
			}
			if a.Err != nil || !cmp.Equal(want, a.Backlog) || len(a.Notes) != 0 || len(a.PRs) != 2 {
				t.Fatalf("premium %v: %v %q %+v", premium, a.Err, a.Notes, a.Backlog)
			}
			p := a.PRs[0]
			if p.Number != 9 || p.Branch != "feature/9" || p.CI != "passing" ||
				len(p.Feedback) != 1 || a.PRs[1].State != "merged" {
				t.Errorf("%+v", a.PRs)
			}
			to := strings.TrimSuffix(s.asked[0], "/")
			if to != "POST gitlab.com/api/graphql" || premium != (s.refused == 0) {
				t.Errorf("%q, %d refused", s.asked, s.refused)
			}
		}
	})
}

// glab stops paging if a number comes before pageInfo. More than 100 issues come all the same.
func TestGitLabManyIssues(t *testing.T) {
	each(t, "HOOKS_GLAB", "glab", func(t *testing.T) {
		var issues, requests []object
		for n := range 1500 {
			issues = append(issues, glIssue(n+1, nil))
		}
		for n := range 120 {
			requests = append(requests, glRequest(n+1, nil))
		}
		s := gitlab(t, true, issues, requests)
		q := question(t, forge.GitLab, "gitlab.com")
		q.Backlog, q.PRs = true, true
		a := forge.Ask(context.Background(), q)
		whole := a.Backlog != nil && len(a.Notes) == 0 && len(a.Issues) == 1500 && len(a.PRs) == 120
		if a.Err != nil || !whole || len(s.queries) != 15+3 {
			t.Errorf("%v %q: %d issues, %d PRs, %d queries",
				a.Err, a.Notes, len(a.Issues), len(a.PRs), len(s.queries))
		}
	})
}

// oauth refuses a request in the words of GitLab's tokens.
func oauth(status int, kind, words string) handler {
	return reply(status, fmt.Sprintf(`{"error":%q,"error_description":%q}`, kind, words))
}

const (
	expired = "Token is expired. You can either do re-authorization or token refresh."
	higher  = "The request requires higher privileges than provided by the access token."
)

var gitlabErrors = []struct {
	name   string
	before handler
	why    forge.Why
}{
	{"401", says(401, "401 Unauthorized"), forge.LoggedOut},
	{"an expired token", oauth(401, "invalid_token", expired), forge.LoggedOut},
	{"403", says(403, "403 Forbidden"), forge.Failed},
	{"scopes", oauth(403, "insufficient_scope", higher), forge.Failed},
	{"SSO", says(403, "Your SAML session has expired. Sign in to your group."), forge.Failed},
	{"no project", reply(200, `{"data":{"project":null}}`), forge.NotFound},
	{"404", reply(404, `{"error":"404 Not Found"}`), forge.NotFound},
	{"429", reply(429, "Retry later", "Content-Type", "text/plain"), forge.Failed},
	{"500", says(500, "500 Internal Server Error"), forge.Failed},
	{"502", html(502, "<html><h1>502 Bad Gateway</h1></html>"), forge.Failed},
	{"503", html(503, "<html>"), forge.Failed},
	{"cut before the answer", cut(""), forge.Failed},
	{"cut in the answer", cut(`{"data":{"project":{"issues":{`), forge.Failed},
	{"half an answer", reply(200, `{"data":{"project":`), forge.Failed},
	{"no JSON", html(200, "<html>Sign in</html>"), forge.Unreadable},
	{"nothing", reply(200, ""), forge.Failed},
}

// Failures between glab and GitLab are distinguished, and no failure is taken for an empty list.
func TestGitLabErrors(t *testing.T) {
	each(t, "HOOKS_GLAB", "glab", func(t *testing.T) {
		s := gitlab(t, true, nil, nil)
		for _, c := range gitlabErrors {
			s.before = c.before
			fails(t, c.name, question(t, forge.GitLab, "gitlab.com"), c.why)
		}
	})
}

// A list whose later page fails is a part.
func TestGitLabLaterPageFails(t *testing.T) {
	each(t, "HOOKS_GLAB", "glab", func(t *testing.T) {
		var issues []object
		for n := range 500 {
			issues = append(issues, glIssue(n+1, nil))
		}
		s := gitlab(t, true, issues, nil)
		s.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
			return n > 3 && html(502, "<html>")(n, w, r)
		}
		q := question(t, forge.GitLab, "gitlab.com")
		q.Backlog = true
		a := forge.Ask(context.Background(), q)
		some := len(a.Issues) > 0 && len(a.Issues) < 500
		if why(a.Err) != forge.Failed || a.Backlog != nil || !some {
			t.Errorf("%v, %d issues, %q", a.Err, len(a.Issues), a.Notes)
		}
	})
}

func TestGitLabHangs(t *testing.T) {
	each(t, "HOOKS_GLAB", "glab", func(t *testing.T) {
		s := gitlab(t, true, nil, nil)
		s.before = hang
		q := question(t, forge.GitLab, "gitlab.com")
		q.Backlog, q.PRs, q.PR, q.Wait = true, true, 9, 2*time.Second
		began := time.Now()
		a := forge.Ask(context.Background(), q)
		took := time.Since(began)
		if why(a.Err) != forge.TooSlow || took > 8*time.Second || a.Backlog != nil {
			t.Errorf("%v after %v", a.Err, took)
		}
	})
}
