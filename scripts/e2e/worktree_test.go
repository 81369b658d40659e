//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A session that has moved into a worktree runs the loop of its project: one state, counted on, and
// a merge needs the same word. There the client refuses a here-document of JSON, a here-string goes
// through (H; R3, R99–R102).
func TestSessionInAWorktreeKeepsItsLoop(t *testing.T) {
	document, text := bash("hooks report <<'JSON'\n"+`{"plan":[143]}`+"\nJSON"),
		bash(`hooks report <<< '{"plan":[144]}'`)
	w := newWorld(t, Worker{Report: func(int) string { return "{}" }, Work: func(n int) []Call {
		if n > 1 {
			return append([]Call{bash("gh pr merge 201 --squash")}, askInOwnWords()...)
		}
		return []Call{load("EnterWorktree"), {"EnterWorktree", map[string]any{"name": "side"}},
			document, text}
	}}.Say)
	term := w.Interactive("--allowedTools", tools+",EnterWorktree")
	term.Enter("/sdd:work --loop")
	w.WaitHistory("work", 1, 60*time.Second)
	term.WaitShowed("Iteration plan: #144", 10*time.Second)
	if !w.Model.Told("too complex to verify that it stays inside the worktree") {
		t.Error("the client takes a here-document of JSON now: docs/troubleshooting.md says it " +
			"does not")
	}

	term.Enter("/sdd:work --loop")
	term.WaitScreen("Merge now, or hold for review?", 60*time.Second)
	term.Choose(2)
	lines := w.WaitHistory("work", 2, 60*time.Second)
	if diff := cmp.Diff([]string{"ok", "ok"}, sameRun(t, lines)); diff != "" ||
		lines[1].Iteration != 2 || len(w.Merges()) != 0 {
		t.Errorf("lines %+v, merges %v", lines, w.Merges())
	}
	if _, err := w.stat(".claude/worktrees/side/README.md"); err != nil {
		t.Error(err)
	}
	if _, err := w.stat(".claude/worktrees/side/.sdd"); err == nil {
		t.Error("the worktree has a state of its own")
	}
}

// Workers in worktrees of their own are held to the same rules, and what they open is counted (H;
// R27–R33, R99, R112).
func TestIsolatedWorkersAreHeldToo(t *testing.T) {
	isolated := func(background bool) Call {
		call := dispatch("WORKER apart", "haiku", background)
		call.Input.(map[string]any)["isolation"] = "worktree"
		return call
	}
	main := Worker{AtOnce: true,
		Work: func(int) []Call { return []Call{isolated(true), isolated(false)} }}
	var w *World
	w = newWorld(t, withWorkers(main, func(_ string, begun bool) Turn {
		if begun {
			return Turn{Text: "worked"}
		}
		return Turn{Calls: []Call{
			bash("gh pr merge 201 --admin"), bash("rm -rf " + w.Project + "/.sdd/loop"),
			bash("rm -rf ../../../.sdd"),
			bash("gh pr create --title 201 --body x"),
		}}
	}))
	w.write(w.Bin+"/gh", strings.Replace(prScript, "%s", w.ghLog(), 1), 0o755)
	w.Headless("/sdd:work --loop")
	b := w.Budget("work")
	if b.Status != "active" || b.Agents != 2 || strings.Join(b.PRsTouched, " ") != "#201" ||
		len(w.Merges()) != 0 {
		t.Errorf("the run is %+v, merges %v", b, w.Merges())
	}
	if !w.Model.Told("write-state ../../../.sdd") ||
		!w.Model.Told("would change the loop's own files") {
		t.Error("no worker was told that the state is not its to write")
	}
}
