//go:build e2e && linux

package e2e

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The client's request when it runs out of context, and the conversation after it.
const (
	summaryAsked = "Your task is to create a detailed summary"
	summary      = "COMPACTED: an iteration is under way"
)

// In the middle of an iteration the client runs out of context and continues with a summary. It is
// the same iteration: its spend and its PRs count, and a merge needs a person's answer as before.
// The cost of the summary is in no transcript until the session ends (E; R27–R33, R63, R99).
func TestCompactionInATickKeepsTheIteration(t *testing.T) {
	const refused = "Not merged yet: gh pr merge 201 --squash needs a person's approval"
	full, summed := Usage{Input: 190_000, Output: 4000}, Usage{Input: 100, Output: 300}
	before := []Call{bash("gh pr create --title 201 --body x"), bash("echo more")}
	w := newWorld(t, func(r Request) Turn {
		prompt, done := r.Prompt(), len(r.Calls())
		switch {
		case strings.Contains(prompt, summaryAsked):
			return Turn{Text: "<summary>" + summary + "</summary>", Usage: summed}
		case strings.Contains(r.All(), refused):
			return Turn{Text: "iteration 1 is over"}
		case strings.Contains(r.All(), "recorded for iteration 1"):
			return Turn{Calls: []Call{bash("gh pr merge 201 --squash")}}
		case strings.Contains(r.All(), summary):
			return Turn{Calls: []Call{bash("hooks report <<'JSON'\n" + quiet + "\nJSON")}}
		case done < len(before):
			return Turn{Calls: before[done : done+1], Usage: full}
		}
		return Turn{Text: "no summary was asked for"}
	})
	w.write(w.Bin+"/gh", strings.Replace(prScript, "%s", w.ghLog(), 1), 0o755)
	w.Env = []string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}
	r := w.Headless("/sdd:work --loop")
	if r.Result != "iteration 1 is over" || len(w.Merges()) != 0 || !w.Model.Told(refused) {
		t.Errorf("the turn ended with %q, merges %v", r.Result, w.Merges())
	}
	b, lines := w.Budget("work"), w.History("work")
	if b.IterationsUsed != 1 || strings.Join(b.PRsTouched, " ") != "#201" || len(lines) != 1 ||
		strings.Join(lines[0].PRs, " ") != "#201" {
		t.Errorf("the run is %+v, history %+v", b, lines)
	}
	unseen := float64(summed.Input)*4e-6 + float64(summed.Output)*20e-6
	if got := r.TotalUSD - b.Dollars; math.Abs(got-unseen) > 1e-9 {
		t.Errorf("the program counts $%v less than the client's $%v, want $%v: the summary's", got,
			r.TotalUSD, unseen)
	}
}

// The program is replaced while an iteration is open, as an update does. The new one continues
// where the old one was.
func TestUpdateInATickGoesOn(t *testing.T) {
	release := make(chan struct{})
	w := newWorld(t, Worker{Hold: func(n int) <-chan struct{} {
		if n == 2 {
			return release
		}
		return nil
	}}.Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop --max-iterations 2")
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter("/sdd:work --loop --max-iterations 2")
	w.WaitLocked("work", 60*time.Second)
	w.update()
	close(release)
	lines := w.WaitHistory("work", 2, 60*time.Second)
	if diff := cmp.Diff([]string{"ok", "halted"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// update replaces the program as a plugin's update does, by another file.
func (w *World) update() {
	w.t.Helper()
	program := filepath.Join(w.Plugins[0], "bin", "hooks")
	data, err := os.ReadFile(program)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(program+".new", string(data)+"another", 0o755)
	if err := os.Rename(program+".new", program); err != nil {
		w.t.Fatal(err)
	}
}

// A shell that runs in the background is held to the same: a merge waits for the same word and is
// one merge, and no PR is opened there, whose number no result would tell (R27, R30, R99–R102,
// R107).
func TestBackgroundShellIsHeldToo(t *testing.T) {
	var w *World
	w = newWorld(t, Worker{Work: func(int) []Call {
		create, merge := inBackground("gh pr create --fill"), inBackground(w.merge(142))
		// the end of the turn would void an answer whose merge has not started yet
		merged := bash("for i in $(seq 300); do grep -q merge " + w.ghLog() +
			" && break; sleep 0.1; done")
		return append(append([]Call{create, merge}, askInOwnWords()...), merge, merged, merge)
	}}.Say)
	term := w.Interactive()
	term.Enter("/sdd:review --loop --pr 142")
	term.WaitScreen("Merge now, or hold for review?", 60*time.Second)
	if n := w.Merges(); len(n) != 0 {
		t.Errorf("merged before anyone was asked: %v", n)
	}
	term.Choose(1)
	line := w.WaitHistory("review", 1, 60*time.Second)[0]
	if diff := cmp.Diff([]string{w.merged(142)}, w.Merges()); diff != "" ||
		line.Merges != 1 {
		t.Errorf("%d merges counted; those that reached the forge (-want +got):\n%s", line.Merges,
			diff)
	}
	if !w.Model.Told("Not opened: the loop cannot learn the number") {
		t.Error("a PR was opened in the background")
	}
}

func inBackground(command string) Call {
	call := bash(command)
	call.Input.(map[string]any)["run_in_background"] = true
	return call
}

// In every permission mode of the client a merge waits for a person's answer (R99).
func TestNoPermissionModeMerges(t *testing.T) {
	for mode, args := range map[string][]string{
		"bypassPermissions": {"--permission-mode", "bypassPermissions",
			"--allow-dangerously-skip-permissions"}, "plan": {"--permission-mode", "plan"},
	} {
		t.Run(mode, func(t *testing.T) {
			merge := bash("gh pr merge 142 --squash")
			w := newWorld(t, Worker{Work: func(int) []Call {
				return append(append([]Call{merge}, askInOwnWords()...), merge)
			}}.Say)
			w.Env = []string{"IS_SANDBOX=1"}
			w.Headless("/sdd:review --loop --pr 142", args...)
			if b := w.Budget("review"); b.Status != "paused" || b.StopCause != "gate_waiting" ||
				len(w.Merges()) != 0 {
				t.Errorf("the run is %+v, merges %v, want it paused at the question", b, w.Merges())
			}
		})
	}
}

// A client is killed while a tool runs, and resumed under the same session (claude --resume).
// Nothing of the dead turn continues by itself, and --resume continues the count (R68, R70, R75,
// R130–R134).
func TestKilledSessionIsTakenUpAgain(t *testing.T) {
	w, first := inSecondTick(t)
	session := w.Model.Requests()[0].Session
	first.Kill()

	second := w.Interactive("--resume", session)
	second.Enter("where were we?")
	// The screen proves nothing: after a crash the client may draw over its old text.
	w.WaitHistory("work", 2, 60*time.Second)
	if !patiently(60*time.Second, func() bool { return w.Model.Told("where were we?") }) {
		t.Error("the person's words did not reach the model")
	}
	if n := len(w.History("work")); n != 2 {
		t.Errorf("after a person's words there are %d history lines, want the dead turn's", n)
	}
	second.Enter("/sdd:work --loop --resume")
	lines := w.WaitHistory("work", 3, 60*time.Second)
	if diff := cmp.Diff([]string{"ok", "errored", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if b := w.Budget("work"); b.Status != "active" || b.IterationsUsed != 3 {
		t.Errorf("the run is %+v", b)
	}
}
