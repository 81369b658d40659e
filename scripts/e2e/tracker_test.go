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

// trackerScript replaces gh with a tracker behind it: lists come from files, a PR that is opened
// gets the next number, and nothing can be merged yet.
const trackerScript = `#!/bin/sh
cd '%s'
case "$*" in
"api graphql"*"issues("*) cat issues.json ;;
"api graphql"*"pullRequests("*) cat prs.json ;;
"api graphql"*"pullRequest("*) cat pr.json ;;
"pr merge"*)
    echo "$*" >>'%s'
    echo "not mergeable: the checks are pending" >&2
    exit 1 ;;
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

func (w *World) trackerDir() string { return filepath.Join(filepath.Dir(w.Bin), "tracker") }

// trackPR gives the tracker a PR 142 in this state, with these comments, each an author's kind
// (User, Bot) and login.
func (w *World) trackPR(state string, comments ...[2]string) {
	w.t.Helper()
	var nodes []string
	for _, c := range comments {
		nodes = append(nodes, fmt.Sprintf(`{"createdAt":%q,"author":{"__typename":%q,"login":%q}}`,
			time.Now().UTC().Format(time.RFC3339), c[0], c[1]))
	}
	pr := fmt.Sprintf(`{"number":142,"title":"sort","state":%q,"headRefName":"feature/sort",`+
		`"headRefOid":"def5678","baseRefName":"main",`+
		`"labels":{"nodes":[]},"comments":{"totalCount":%d,"nodes":[%s]},`+
		`"reviews":{"totalCount":0,"nodes":[]}}`, state, len(nodes), strings.Join(nodes, ","))
	w.write(filepath.Join(w.trackerDir(), "pr.json"),
		`{"data":{"repository":{"pullRequest":`+pr+`}}}`, 0o644)
}

// track gives the world a tracker with these open issues, a number and a body each.
func (w *World) track(issues map[int]string) {
	w.t.Helper()
	dir := w.trackerDir()
	var nodes []string
	for n, body := range issues {
		nodes = append(nodes, fmt.Sprintf(
			`{"number":%d,"title":"issue %d","body":%q,"labels":{"nodes":[]}}`, n, n, body))
	}
	list := func(name, nodes string) string {
		return fmt.Sprintf(`{"data":{"repository":{%q:{"pageInfo":{"hasNextPage":false,`+
			`"endCursor":null},"nodes":[%s]}}}}`, name, nodes)
	}
	w.write(filepath.Join(dir, "issues.json"), list("issues", strings.Join(nodes, ",")), 0o644)
	w.write(filepath.Join(dir, "prs.json"), list("pullRequests", ""), 0o644)
	w.write(filepath.Join(w.Bin, "gh"), fmt.Sprintf(trackerScript, dir, w.ghLog()), 0o755)
	w.write(filepath.Join(w.Project, "CLAUDE.md"), trackedProject, 0o644)
}

// A work loop follows the tracker at the start of each iteration: a changed backlog and unclear
// criteria are put to the person, the PRs it opens are counted, and a cycle that appears ends it
// before anything is picked (v; R39–R42, R86–R91, R112).
func TestTrackerLeadsTheLoop(t *testing.T) {
	const done = "### Acceptance Criteria\n- [ ] it works"
	plan := `{"skill":"work","plan":[146]}`
	w := newWorld(t, Worker{
		Report: func(int) string { return `{"skill":"work","outcome":"ok"}` },
		Work: func(n int) []Call {
			calls := []Call{bash("gh pr create --title one --body two")}
			if n == 2 {
				calls = append([]Call{bash("hooks report <<'JSON'\n" + plan + "\nJSON")},
					append(askInOwnWords(), calls...)...)
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
	if !w.Model.Told("Backlog according to the tracker: 2 unblocked, 0 blocked, 0 in-progress. " +
		"Workable: #143, #145") {
		t.Error("the model was not told the tracker's backlog")
	}

	w.track(map[int]string{143: done, 145: done, 146: "make it nice"})
	term.Enter("/sdd:work --loop")
	term.WaitScreen("Backlog changed since last iteration. Re-propose the next batch?",
		60*time.Second)
	term.Choose(1)
	term.WaitScreen("Issue #146 has ambiguous criteria. Skip, escalate, or proceed with my best "+
		"interpretation?", 60*time.Second)
	term.Choose(3)
	second := w.WaitHistory("work", 2, 60*time.Second)[1]
	var gates []string
	for _, g := range second.Gates {
		gates = append(gates, g.Name+" "+g.Answer)
	}
	if diff := cmp.Diff([]string{"backlog-drift re-propose", "ambiguous-criteria proceed"},
		gates); diff != "" {
		t.Errorf("gates of the second iteration (-want +got):\n%s", diff)
	}

	w.track(map[int]string{143: "Blocked by #145", 145: "Blocked by #143", 146: done})
	term.Enter("/sdd:work --loop")
	lines := w.WaitHistory("work", 3, 60*time.Second)
	term.WaitShowed("Dependency cycle detected: #143 ↔ #145 — please resolve manually",
		10*time.Second)
	if diff := cmp.Diff([]string{"dependency_cycle"}, lines[2].Fired); diff != "" {
		t.Errorf("conditions of the last iteration (-want +got):\n%s", diff)
	}
	b := w.Budget("work")
	if b.Status != "halted" || b.IterationsUsed != 2 ||
		strings.Join(b.PRsTouched, " ") != "#201 #202" {
		t.Errorf("the run ended as %+v", b)
	}
	if n := w.iterationsBegun(); n != 2 {
		t.Errorf("%d iterations reached the model, want 2", n)
	}
	if _, err := os.Stat(w.state("work.lock")); err == nil {
		t.Error("a lock was left")
	}
}

// A loop that watches one PR follows its tracker: a person's comment is asked about before the
// merge, a bot's is not, and once the PR is merged the next tick ends the loop before the model
// works (A; R21, R22, R99–R102, R107).
func TestTrackerLeadsTheReviewOfOnePR(t *testing.T) {
	w := newWorld(t, Worker{Work: func(n int) []Call {
		calls := []Call{bash("gh pr merge 142 --squash")}
		if n == 1 {
			calls = append(calls, askInOwnWords()...)
		}
		return calls
	}}.Say)
	const loop, question = "/sdd:review --loop --pr 142",
		"Responder addressed human feedback on PR #142. Merge now or hold for human re-review?"
	w.track(nil)
	w.trackPR("OPEN", [2]string{"User", "ann"})
	term := w.Interactive()
	term.Enter(loop)
	term.WaitScreen(question, 60*time.Second)
	term.Choose(2)
	first := w.WaitHistory("review", 1, 60*time.Second)[0]
	if len(first.Gates) != 1 || first.Gates[0].Question != question ||
		first.Gates[0].Answer != "hold" || len(w.Merges()) != 0 {
		t.Errorf("gates of the first iteration %+v, merges %v", first.Gates, w.Merges())
	}

	w.trackPR("OPEN", [2]string{"Bot", "lint"})
	term.Enter(loop)
	second := w.WaitHistory("review", 2, 60*time.Second)[1]
	if len(second.Gates) != 0 || len(w.Merges()) != 1 || second.Outcome != "ok" {
		t.Errorf("with a bot's comment alone the iteration is %s, the gates %+v, merges %v",
			second.Outcome, second.Gates, w.Merges())
	}

	w.trackPR("MERGED")
	term.Enter(loop)
	lines := w.WaitHistory("review", 3, 60*time.Second)
	term.WaitShowed("PR #142 reached terminal state: merged", 10*time.Second)
	if diff := cmp.Diff([]string{"pr_terminal"}, lines[2].Fired); diff != "" {
		t.Errorf("conditions of the last line (-want +got):\n%s", diff)
	}
	if n := w.iterationsBegun(); n != 2 || w.Budget("review").Status != "halted" {
		t.Errorf("%d iterations reached the model, want 2; the run is %+v", n, w.Budget("review"))
	}
}
