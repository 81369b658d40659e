//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// trackerScript stands in for gh with a tracker behind it: lists come from files, a PR that is opened gets the next
// number.
const trackerScript = `#!/bin/sh
cd '%s'
case "$*" in
"api graphql"*"issues("*) cat issues.json ;;
"api graphql"*"pullRequests("*) cat prs.json ;;
"pr create"*)
    echo open >>opened
    echo "https://github.com/acme/shop/pull/$((200 + $(wc -l <opened)))" ;;
*) echo "gh: unexpected: $*" >&2; exit 1 ;;
esac
`

const trackedProject = `### SDD Configuration

#### Tracker

- **Type**: github
- **Owner**: acme
- **Repo**: shop
`

// track gives the world a tracker with these open issues, a number and a body each.
func (w *World) track(issues map[int]string) {
	w.t.Helper()
	dir := filepath.Join(filepath.Dir(w.Bin), "tracker")
	var nodes []string
	for n, body := range issues {
		nodes = append(nodes, fmt.Sprintf(`{"number":%d,"title":"issue %d","body":%q,"labels":{"nodes":[]}}`, n, n, body))
	}
	list := func(name, nodes string) string {
		return fmt.Sprintf(`{"data":{"repository":{%q:{"pageInfo":{"hasNextPage":false,"endCursor":null},"nodes":[%s]}}}}`, name, nodes)
	}
	w.write(filepath.Join(dir, "issues.json"), list("issues", strings.Join(nodes, ",")), 0o644)
	w.write(filepath.Join(dir, "prs.json"), list("pullRequests", ""), 0o644)
	w.write(filepath.Join(w.Bin, "gh"), fmt.Sprintf(trackerScript, dir), 0o755)
	w.write(filepath.Join(w.Project, "CLAUDE.md"), trackedProject, 0o644)
}

// A work loop is led by what the tracker says when each iteration begins: a changed backlog and unclear criteria are
// put to the person, the PRs it opens are counted, and a cycle that appears ends it before anything is picked
// (v; R39–R42, R86–R91, R112).
func TestTrackerLeadsTheLoop(t *testing.T) {
	const done = "### Acceptance Criteria\n- [ ] it works"
	plan := `{"skill":"work","plan":[146]}`
	w := newWorld(t, Worker{
		Report: func(int) string { return `{"skill":"work","outcome":"ok"}` },
		Work: func(n int) []Call {
			calls := []Call{bash("gh pr create --title one --body two")}
			if n == 2 {
				calls = append([]Call{bash("hooks report <<'JSON'\n" + plan + "\nJSON")}, append(askInOwnWords(), calls...)...)
			}
			return calls
		},
	}.Say)
	w.track(map[int]string{143: done, 145: done})
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	first := w.WaitHistory("work", 1, 60*time.Second)[0]
	if diff := cmp.Diff([]string{"#201"}, first.PRs); diff != "" {
		t.Errorf("PRs of the first iteration (-want +got):\n%s", diff)
	}
	if !w.Model.Told("Backlog, by the tracker: 2 unblocked, 0 blocked, 0 in-progress. Workable: #143, #145") {
		t.Error("the model was not told the tracker's backlog")
	}

	w.track(map[int]string{143: done, 145: done, 146: "make it nice"})
	term.Enter("/sdd:work --loop")
	term.WaitScreen("Backlog changed since last iteration. Re-propose the next batch?", 60*time.Second)
	term.Choose(1)
	term.WaitScreen("Issue #146 has ambiguous criteria. Skip, escalate, or proceed with my best interpretation?", 60*time.Second)
	term.Choose(3)
	second := w.WaitHistory("work", 2, 60*time.Second)[1]
	var gates []string
	for _, g := range second.Gates {
		gates = append(gates, g.Name+" "+g.Answer)
	}
	if diff := cmp.Diff([]string{"backlog-drift re-propose", "ambiguous-criteria proceed"}, gates); diff != "" {
		t.Errorf("gates of the second iteration (-want +got):\n%s", diff)
	}

	w.track(map[int]string{143: "Blocked by #145", 145: "Blocked by #143", 146: done})
	term.Enter("/sdd:work --loop")
	lines := w.WaitHistory("work", 3, 60*time.Second)
	term.WaitShowed("Dependency cycle detected: #143 ↔ #145 — please resolve manually", 10*time.Second)
	if diff := cmp.Diff([]string{"dependency_cycle"}, lines[2].Fired); diff != "" {
		t.Errorf("conditions of the last iteration (-want +got):\n%s", diff)
	}
	b := w.Budget("work")
	if b.Status != "halted" || b.IterationsUsed != 2 || strings.Join(b.PRsTouched, " ") != "#201 #202" {
		t.Errorf("the run ended as %+v", b)
	}
	if n := w.iterationsBegun(); n != 2 {
		t.Errorf("%d iterations reached the model, want 2", n)
	}
	if _, err := os.Stat(w.state("work.lock")); err == nil {
		t.Error("a lock was left")
	}
}
