//go:build forges

package forges

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hooks/internal/config"
	"hooks/internal/tracker/forge"
)

// clients are the programs of one name that the tests run: HOOKS_GH and HOOKS_GLAB hold them, as
// PATH holds folders.
func clients(t *testing.T, variable string) []string {
	t.Helper()
	list := filepath.SplitList(os.Getenv(variable))
	if len(list) == 0 {
		t.Skipf("skipped: no client is named in %s", variable)
	}
	return list
}

// each runs a test with every client of a name, as the first one on PATH.
func each(t *testing.T, variable, name string, test func(t *testing.T)) {
	for _, client := range clients(t, variable) {
		out, err := exec.Command(client, "--version").CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v", client, err)
		}
		if variable == "HOOKS_TEA" { // it prints its version in bold
			out = []byte(name)
		}
		version := strings.Fields(strings.TrimPrefix(string(out), "Current glab version:"))
		if version[0] == "gh" {
			version = version[2:]
		}
		t.Run(version[0], func(t *testing.T) {
			bin := t.TempDir()
			if err := os.Symlink(client, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":/usr/bin:/bin")
			test(t)
		})
	}
}

func fixture(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("skipped: no schema is named in %s", variable)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// dependencies are the fields of issues that GitHub has and its published schema does not tell yet.
const dependencies = `
extend type Issue {
  blockedBy(first: Int, after: String): IssueConnection!
  blocking(first: Int, after: String): IssueConnection!
}`

// connection is a list in pages, filtered by the states that are asked for.
func connection(nodes []object) resolver {
	return func(args map[string]any) any {
		list := nodes
		if states := fmt.Sprint(args["states"], args["state"]); states != "<nil> <nil>" {
			list = nil
			for _, n := range nodes {
				if strings.Contains(states, n["state"].(string)) {
					list = append(list, n)
				}
			}
		}
		total, from, to := len(list), 0, len(list)
		if after, _ := args["after"].(string); after != "" {
			_, _ = fmt.Sscanf(after, "cursor:%d", &from)
		}
		if first, ok := number(args["first"]); ok {
			to = min(to, from+first)
		}
		if last, ok := number(args["last"]); ok {
			from = max(from, to-last)
		}
		page := list[from:to]
		end := any(nil)
		if len(page) > 0 {
			end = fmt.Sprintf("cursor:%d", to)
		}
		return object{
			"totalCount": total, "count": total, "nodes": page,
			"pageInfo": object{"hasNextPage": to < total, "endCursor": end},
		}
	}
}

func number(v any) (int, bool) {
	n, err := fmt.Sscan(fmt.Sprint(v), new(int))
	var i int
	_, _ = fmt.Sscan(fmt.Sprint(v), &i)
	return i, n == 1 && err == nil
}

// repository is acme/app on GitHub.
type repository struct {
	issues, pulls []object
	disabled      bool
}

func (r *repository) root() object {
	return object{"repository": resolver(func(args map[string]any) any {
		if args["owner"] != "acme" || args["name"] != "app" {
			return nil
		}
		return r.object()
	})}
}

func (r *repository) object() object {
	return object{
		"nameWithOwner": "acme/app", "hasIssuesEnabled": !r.disabled,
		"issues": connection(r.issues), "pullRequests": connection(r.pulls),
		"pullRequest": resolver(func(args map[string]any) any {
			n, _ := number(args["number"])
			for _, p := range r.pulls {
				if p["number"] == n {
					return p
				}
			}
			return nil
		}),
	}
}

// issue is an open one of acme/app.
func issue(n int, more object) object {
	o := object{
		"number": n, "title": fmt.Sprintf("Issue %d", n),
		"body": "### Acceptance Criteria\n- [ ] done\n", "state": "OPEN", "milestone": nil,
		"repository": object{"nameWithOwner": "acme/app"},
		"labels":     connection(nil), "assignees": connection(nil), "blockedBy": connection(nil),
		"subIssues": connection(nil),
	}
	for k, v := range more {
		o[k] = v
	}
	return o
}

// pull is an open PR of acme/app.
func pull(n int, more object) object {
	checked := object{"statusCheckRollup": object{"state": "SUCCESS"}}
	o := object{
		"number": n, "title": fmt.Sprintf("PR %d", n), "state": "OPEN", "isDraft": false,
		"isCrossRepository": false, "headRepository": object{"nameWithOwner": "acme/app"},
		"repository":  object{"nameWithOwner": "acme/app"},
		"headRefName": fmt.Sprintf("feature/%d", n), "headRefOid": strings.Repeat("a", 40),
		"baseRefName": "main", "labels": connection(nil),
		"closingIssuesReferences": connection(nil),
		"commits":                 connection([]object{{"commit": checked}}),
		"comments":                connection(nil), "reviews": connection(nil),
	}
	for k, v := range more {
		o[k] = v
	}
	return o
}

func label(name string) object { return object{"name": name, "title": name} }

// place is a project whose tracker is named, at a host.
func question(t *testing.T, kind, host string) forge.Question {
	t.Helper()
	q := forge.Question{Project: t.TempDir(), Env: os.Getenv, Wait: 20 * time.Second}
	q.Config.Tracker = config.Tracker{Type: kind, Host: host, Owner: "acme", Repo: "app"}
	q.Config.DoNotMerge = "do-not-merge"
	return q
}
