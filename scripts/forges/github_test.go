//go:build forges

package forges

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
	"hooks/internal/tracker/backlog"
	"hooks/internal/tracker/forge"
)

func small() *repository {
	five, closed := issue(5, nil), issue(4, object{"state": "CLOSED"})
	lint, ann := object{"__typename": "Bot", "login": "lint"}, object{"__typename": "User",
		"login": "ann"}
	return &repository{
		issues: []object{
			issue(1, object{"assignees": connection([]object{{"login": "mara"}})}),
			issue(2, object{"blockedBy": connection([]object{issue(1, nil)})}),
			issue(3, object{"subIssues": connection([]object{five})}),
			closed,
			five,
			issue(6, object{
				"body":   "Depends on #2",
				"labels": connection([]object{label("size/S")}), "milestone": label("v1"),
			}),
			issue(7, object{"blockedBy": connection([]object{closed})}),
			issue(8, object{"blockedBy": connection([]object{
				issue(9, object{"repository": object{"nameWithOwner": "acme/lib"}}),
			})}),
		},
		pulls: []object{
			pull(141, object{"state": "MERGED"}),
			pull(142, object{
				"labels":                  connection([]object{label("do-not-merge")}),
				"closingIssuesReferences": connection([]object{issue(1, nil)}),
				"comments": connection([]object{
					{"createdAt": "2026-11-20T10:00:00Z", "author": lint},
					{"createdAt": "2026-11-20T11:00:00Z", "author": nil},
				}),
				"reviews": connection([]object{{
					"submittedAt": "2026-11-20T12:00:00Z", "state": "APPROVED", "body": "",
					"viewerDidAuthor": false,
					"commit":          object{"oid": strings.Repeat("a", 40)},
					"comments":        connection(nil),
					"author":          ann,
				}}),
			}),
			pull(143, object{
				"isCrossRepository": true, "isDraft": true,
				"headRepository": object{"nameWithOwner": "mara/app"},
			}),
		},
	}
}

func github(t *testing.T, schema string, r *repository) *forgeServer {
	t.Helper()
	root := r.root()
	root["viewer"] = object{"login": "mara"}
	e, err := newEngine(schema, root)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, e)
}

// Every question to GitHub, through gh: GitHub's schema knows each query, and the answer is what
// the server has.
func TestGitHub(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema+dependencies, small())
		q := question(t, forge.GitHub, "github.com")
		q.Backlog, q.PRs, q.PR = true, true, 142
		a := forge.Ask(context.Background(), q)
		if a.Err != nil || len(a.Notes) != 0 || s.refused != 0 {
			t.Fatalf("%v %q, %d refused", a.Err, a.Notes, s.refused)
		}
		want := &loop.Backlog{
			Unblocked: []int{5, 7}, Blocked: []int{2, 3, 6, 8}, InProgress: []int{1},
		}
		if d := cmp.Diff(want, a.Backlog); d != "" {
			t.Error(d)
		}
		if got := fmt.Sprint(a.Edges); got != "[[1 2] [5 3] [2 6]]" {
			t.Error(got)
		}
		if len(a.PRs) != 2 || a.PRs[0].State != "do-not-merge" || !a.PRs[1].Elsewhere ||
			!a.PRs[1].Draft {
			t.Fatalf("%+v", a.PRs)
		}
		p := a.PRs[0]
		if p.Branch != "feature/142" || p.CI != "passing" || !cmp.Equal(p.Closes, []int{1}) ||
			len(p.Feedback) != 3 || p.Feedback[0].Human || p.Feedback[1].Author != "ghost" ||
			p.Feedback[2].Kind != "approval" {
			t.Errorf("%+v", p)
		}
		if len(s.queries) != 3 || s.asked[0] != "POST api.github.com/graphql" {
			t.Errorf("%q", s.asked)
		}
	})
}

// The light list of PRs, which the backlog needs alone, is a query of its own.
func TestGitHubBacklogAlone(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema+dependencies, small())
		q := question(t, forge.GitHub, "github.corp.example")
		q.Backlog, q.Scope = true, backlog.Scope{Issues: []int{1, 2, 5}}
		a := forge.Ask(context.Background(), q)
		if a.Err != nil || a.Backlog == nil || len(a.Issues) != 3 || s.refused != 0 {
			t.Errorf("%v %q %+v", a.Err, a.Notes, a.Issues)
		}
		if len(s.queries) != 2 || s.asked[0] != "POST github.corp.example/api/graphql" {
			t.Errorf("%q", s.asked)
		}
	})
}

// The schema as it is published has no blockedBy: the server refuses it, and is asked for the rest.
func TestGitHubWithoutDependencies(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	if strings.Contains(schema, "blockedBy(") {
		t.Fatal("the published schema has blockedBy by now: take it out of the extension")
	}
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema, small())
		q := question(t, forge.GitHub, "github.com")
		q.Backlog = true
		a := forge.Ask(context.Background(), q)
		if a.Err != nil || a.Backlog == nil || s.refused != 1 {
			t.Fatalf("%v %q, %d refused", a.Err, a.Notes, s.refused)
		}
		if got := fmt.Sprint(a.Edges); got != "[[5 3] [2 6]]" {
			t.Error("sub-issues and bodies count:", got)
		}
		if !strings.Contains(s.queries[len(s.queries)-1]+s.queries[len(s.queries)-2], "subIssues") {
			t.Error("sub-issues are still asked for")
		}
	})
}

func TestGitHubIssuesTurnedOff(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		github(t, schema+dependencies, &repository{disabled: true})
		q := question(t, forge.GitHub, "github.com")
		q.Backlog = true
		a := forge.Ask(context.Background(), q)
		if why(a.Err) != forge.NoIssues || a.Backlog != nil {
			t.Errorf("%v", a.Err)
		}
	})
}

func many(n int) *repository {
	r := &repository{}
	for i := range n {
		more := object{"body": strings.Repeat("Some words about it. ", 100)}
		if i%10 == 9 {
			more["blockedBy"] = connection([]object{issue(i, nil)})
		}
		r.issues = append(r.issues, issue(i+1, more))
	}
	return r
}

// 1,500 issues are 15 pages of one call, within the time of a hook.
func TestGitHubManyIssues(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema+dependencies, many(1500))
		q := question(t, forge.GitHub, "github.com")
		q.Backlog = true
		a := forge.Ask(context.Background(), q)
		if a.Err != nil || a.Backlog == nil || len(a.Backlog.Unblocked) != 1350 ||
			len(a.Backlog.Blocked) != 150 || len(a.Edges) != 150 {
			t.Fatalf("%v %q: %d issues", a.Err, a.Notes, len(a.Issues))
		}
		if len(s.queries) != 16 {
			t.Errorf("%d queries, want 15 pages of issues and one of PRs", len(s.queries))
		}
	})
}
