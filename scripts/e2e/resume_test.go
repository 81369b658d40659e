//go:build e2e && linux

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const commitAndPush = "git -c user.name=w -c user.email=w@example.com commit --quiet " +
	"--allow-empty -m '%s' && git push --quiet origin HEAD:feature/a"

// After a client died somebody pushes to a PR that it had pushed. --resume asks about that PR in
// the exact words and continues with the answer. Answers of earlier ticks are asked for again (G;
// R107, R130–R141).
func TestResumeAsksAboutAPRThatMoved(t *testing.T) {
	const facts = "hooks report <<JSON\n" +
		`{"skill":"work","prs":[{"number":201,"state":"open","branch":"feature/a",` +
		`"head_sha":"$(git rev-parse HEAD)"}]}` + "\nJSON"
	w := newWorld(t, Worker{
		Report: func(int) string { return `{"skill":"work","outcome":"ok"}` },
		Work: func(n int) []Call {
			calls := []Call{bash(fmt.Sprintf(commitAndPush, fmt.Sprint("tick ", n)))}
			switch n {
			case 1:
				return append(calls, bash("gh pr create --title one --body two"), bash(facts))
			case 2:
				return append(calls, bash(facts), busy(time.Minute))
			}
			return calls
		},
	}.Say)
	w.track(map[int]string{143: "make it nice"})
	const criteria = "Issue #143 has ambiguous criteria. Skip, escalate, or proceed with my best " +
		"interpretation?"
	first := w.Interactive()
	for n := 1; n <= 2; n++ {
		first.Enter("/sdd:work --loop")
		first.WaitScreen(criteria, 60*time.Second)
		first.Choose(3)
		if n == 1 {
			w.WaitHistory("work", 1, 60*time.Second)
		}
	}
	first.WaitScreen("python3 -c", 60*time.Second)
	first.Kill()
	w.pushElsewhere("feature/a")

	second := w.Interactive()
	second.Enter("/sdd:work --loop --resume")
	const moved = "PR #201 has diverged since the prior iteration crashed — re-attach, skip, or " +
		"stop the loop?"
	second.WaitScreen(moved, 60*time.Second)
	second.ChooseEach([]string{moved, criteria}, 1, 3)
	lines := w.WaitHistory("work", 3, 60*time.Second)
	if diff := cmp.Diff([]string{"ok", "errored", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var gates []string
	for _, g := range lines[2].Gates {
		gates = append(gates, g.Name+" "+g.Answer+" "+g.Question)
	}
	want := []string{"resume-divergence re-attach " + moved, "ambiguous-criteria proceed " +
		criteria}
	if diff := cmp.Diff(want, gates); diff != "" {
		t.Errorf("gates of the resumed iteration (-want +got):\n%s", diff)
	}
	if b := w.Budget("work"); b.Status != "active" || b.IterationsUsed != 3 ||
		strings.Join(b.PRsTouched, " ") != "#201" {
		t.Errorf("the run continued as %+v", b)
	}
}

// pushElsewhere is somebody else who adds a commit to a branch.
func (w *World) pushElsewhere(branch string) {
	w.t.Helper()
	clone := filepath.Join(filepath.Dir(w.Project), "elsewhere")
	w.git(".", "clone", "--quiet", "--branch", branch, filepath.Join(filepath.Dir(w.Project),
		"origin.git"), clone)
	w.git(clone, "commit", "--quiet", "--allow-empty", "-m", "somebody else's")
	w.git(clone, "push", "--quiet", "origin", branch)
}
