//go:build e2e && linux

package e2e

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// installPlugin installs the hooks plugin from its own folder as a marketplace, as a person would,
// instead of naming it on the command line.
func (w *World) installPlugin() {
	w.t.Helper()
	own := filepath.Join(".claude-plugin", "marketplace.json")
	w.copy(filepath.Join(repository(), own), filepath.Join(w.Plugins[0], own), 0o644)
	dir := w.Plugins[0]
	w.Plugins = w.Plugins[1:]
	for _, args := range [][]string{{"plugin", "marketplace", "add", dir},
		{"plugin", "install", "hooks@hooks"}} {
		cmd := w.command(context.Background())
		cmd.Args = append(cmd.Args[:1], args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("claude %v: %v\n%s", args, err, out)
		}
	}
}

// Installed as a plugin and in the settings at once, every event comes twice. It still counts once:
// one allowed merge passes once, and the turn is held open no more often. The doctor reports the
// mistake (F; R27–R33, R99–R102, R117).
func TestRegisteredTwiceCountsOnce(t *testing.T) {
	var w *World
	w = newWorld(t, withWorkers(Worker{Deaf: true, Work: func(int) []Call {
		merge := bash(w.merge(142))
		calls := []Call{dispatch("WORKER look", "haiku", false),
			bash("gh pr create --title 142 --body x"), bash("gh pr comment 142 --body y"), merge}
		return append(append(calls, askInOwnWords()...), merge, merge)
	}}, quickly))
	w.write(filepath.Join(w.Bin, "gh"), strings.Replace(prScript, "%s", w.ghLog(), 1), 0o755)
	w.hooks("install", "--scope", "project")
	w.installPlugin()
	term := w.Interactive()
	term.Enter("/loop 1m /sdd:work --loop --max-iterations 1")
	term.WaitScreen("Merge now, or hold for review?", 60*time.Second)
	term.Choose(1)

	line := w.WaitHistory("work", 1, 60*time.Second)[0]
	term.WaitShowed("Cause: iteration_budget", 20*time.Second)
	if diff := cmp.Diff([]string{w.merged(142)}, w.Merges()); diff != "" {
		t.Errorf("merges that reached the forge (-want +got):\n%s", diff)
	}
	if len(line.Gates) != 1 || line.Gates[0].Answer != "merge" || line.Merges != 1 ||
		line.Agents != 1 {
		t.Errorf("the line is %+v, want one gate, one merge, one agent", line)
	}
	b := w.Budget("work")
	if b.Agents != 1 || b.Comments != 1 || b.IterationsUsed != 1 ||
		strings.Join(b.PRsTouched, " ") != "#142" {
		t.Errorf("the run is %+v, want one of each", b)
	}
	term.WaitShowed("done as asked", 30*time.Second) // but its schedule is still there
	term.HangUp()
	term.WaitExit(20 * time.Second)
	if n := len(w.History("work")); n != 1 {
		t.Errorf("%d history lines, want 1", n)
	}
	told := []string{"hooks: loop iteration 1/1 begins, 0 iterations, 20 PRs, 60 minutes, $25.00 " +
		"left", "## Loop Iteration 1/1 — /sdd:work --loop"}
	heard := slices.DeleteFunc(w.toldPerson(), func(text string) bool {
		return strings.Contains(text, "was not found in your settings") // the test's own plugin
	})
	if diff := cmp.Diff(told, heard); diff != "" {
		t.Errorf("what the person was told (-want +got):\n%s", diff)
	}
	blocks := slices.DeleteFunc(w.hookRecords(),
		func(kind string) bool { return kind != "hook_blocking_error" })
	if len(blocks) != 1 {
		t.Errorf("the turn was held open %d times, want once", len(blocks))
	}
	checks := w.doctor()
	if k := checks["registered-once"]; k.Status != "fail" || len(k.Problems) != 1 ||
		!strings.HasPrefix(k.Problems[0].Text, "Stop, PreToolUse, ") ||
		!strings.Contains(k.Problems[0].Text, " registered more than once") {
		t.Errorf("registered-once: %+v", k)
	}
	for _, name := range []string{"settings-files", "hooks-registered", "hook-binary",
		"command-form"} {
		if k := checks[name]; k.Status != "ok" {
			t.Errorf("%s: %+v", name, k)
		}
	}
}
