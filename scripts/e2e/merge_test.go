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

// mergeForge replaces gh with a forge behind it: it tells of PR 142 until `gh auth logout`, and
// merges a PR only at the commit that the command insists on.
const mergeForge = `#!/bin/sh
cd '%[1]s'
if [ -e logged-out ]; then echo 'run: gh auth login' >&2; exit 4; fi
case "$*" in
"auth logout") touch logged-out ;;
"api graphql"*"pullRequest("*) cat pr.json ;;
"pr merge"*--match-head-commit*)
    at=$(git ls-remote '%[2]s' refs/pull/142/head | cut -f 1)
    case "$*" in *"$at"*) ;; *) echo "head branch was modified" >&2; exit 1 ;; esac
    echo "$*" >>'%[3]s' ;;
"pr merge"*) echo "$*" >>'%[3]s' ;;
*) echo "gh: unexpected: $*" >&2; exit 1 ;;
esac
`

// forge gives the world that forge, with a PR 142 on which these persons commented.
func (w *World) forge(persons ...string) {
	w.t.Helper()
	var comments [][2]string
	for _, p := range persons {
		comments = append(comments, [2]string{"User", p})
	}
	w.trackPR("OPEN", comments...)
	told := filepath.Join(w.trackerDir(), "pr.json")
	pr, err := os.ReadFile(told)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(told, strings.Replace(string(pr), "def5678", w.prAt(142), 1), 0o644)
	script := fmt.Sprintf(mergeForge, w.trackerDir(), w.originDir(), w.ghLog())
	w.write(filepath.Join(w.Bin, "gh"), script, 0o755)
	w.write(filepath.Join(w.Project, "CLAUDE.md"), trackedProject, 0o644)
}

func (w *World) originDir() string { return filepath.Join(filepath.Dir(w.Bin), "origin.git") }

// Only the tracker's own word that nobody commented lets a merge pass unasked: no report of the
// model, no tracker that is logged out, and none that is not the one with which the run began. A
// person is asked then, with the true reason (R99–R102).
func TestOnlyTheTrackersOwnWordMergesUnasked(t *testing.T) {
	const plain = "gh pr merge 142 --squash"
	for name, c := range map[string]struct {
		tracked bool
		calls   []string
		why     string // "" for a merge that passes
	}{
		"the tracker": {true, []string{plain}, ""},
		"a logout in the run": {true, []string{"gh auth logout", plain},
			"gh is not logged in to github.com"},
		"a report alone": {false, []string{`hooks report <<< '{"prs":[{"number":142,` +
			`"state":"open","head_sha":"abc1234","human_feedback":false}]}'`, plain},
			"no tracker is configured"},
		"another remote in the run": {true, []string{
			"git remote set-url origin https://github.com/evil/shop.git",
			plain, plain + " -R acme/shop"},
			"the git remote is github.com/evil/shop, but the run began with @ORIGIN@"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Worker{Work: func(int) (calls []Call) {
				for _, command := range c.calls {
					calls = append(calls, bash(command))
				}
				return calls
			}}.Say)
			if c.tracked {
				w.forge()
			}
			asked := w.mergeAsked(142, strings.ReplaceAll(c.why, "@ORIGIN@", w.originDir()))
			w.Headless("/sdd:review --loop --pr 142")
			if c.why == "" {
				if diff := cmp.Diff([]string{"pr merge 142 --squash"}, w.Merges()); diff != "" {
					t.Errorf("merges (-want +got):\n%s", diff)
				}
				return
			}
			run, _ := os.ReadFile(w.state("review.budget.json"))
			if len(w.Merges()) != 0 || !strings.Contains(string(run), asked) {
				t.Errorf("merges %v; the run does not wait for %q:\n%s", w.Merges(), asked, run)
			}
		})
	}
}

// A person says yes to one commit. A command that pushes and then merges what is there is refused,
// by the gate, and by the brake where no reading sees it; one that names the commit is refused by
// the forge, because the PR has moved (R101).
func TestAPushInTheMergingCommandMergesNothing(t *testing.T) {
	const bare = "gh pr merge 142 --squash"
	const push = "git -c user.name=m -c user.email=m@example.com commit -q --allow-empty " +
		"-m more && git push -q origin HEAD:refs/pull/142/head && "
	const unseen = `python3 -c 'import os; os.system(bytes.fromhex(` +
		`"6768207072206d6572676520313432").decode())'; `
	merge := ""
	w := newWorld(t, Worker{Work: func(int) []Call {
		return append(append([]Call{bash(bare)}, askInOwnWords()...), bash(push+bare),
			bash(push+unseen+merge))
	}}.Say)
	w.forge("ann")
	merge = w.merge(142)
	term := w.Interactive()
	term.Enter("/sdd:review --loop --pr 142")
	term.WaitScreen("Responder addressed human feedback on PR #142.", 60*time.Second)
	term.WaitScreen("Merge this PR once, at "+w.prAt(142)[:7]+".", 5*time.Second)
	term.Choose(1)
	w.WaitHistory("review", 1, 60*time.Second)
	if n := w.Merges(); len(n) != 0 {
		t.Errorf("merges %v", n)
	}
	for _, told := range []string{
		"not whatever is pushed before it runs", "hint: " + merge,
		"not run: gh pr merge 142: the person approved only commit ", "head branch was modified",
	} {
		if !w.Model.Told(told) {
			t.Errorf("the model did not read %q", told)
		}
	}
}
