//go:build e2e && linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Registered in the project's settings instead of as a plugin, the program governs an iteration: it
// pauses at a merge, because no one can approve it. After uninstall the settings are as they were
// and a session shows no trace of the program (interface: hooks install, uninstall).
func TestInstalledInSettings(t *testing.T) {
	w := newWorld(t, Worker{Work: func(int) []Call {
		return []Call{bash("gh pr merge 201 --squash")}
	}}.Say)
	w.Plugins = w.Plugins[1:]
	settings, before := filepath.Join(w.Project, ".claude", "settings.json"),
		"{\n\t\"env\": {\"A\": \"1\"},\n\t\"hooks\": {}\n}"
	w.write(settings, before, 0o644)

	if said := w.hooks("install", "--scope", "project"); !strings.Contains(said,
		"installed in "+settings) {
		t.Errorf("install said:\n%s", said)
	}
	w.Headless("/sdd:work --loop --max-iterations 1")
	lines := w.History("work")
	if diff := cmp.Diff([]string{"paused"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if len(w.Merges()) != 0 || w.refusals() != 1 {
		t.Errorf("%d merges reached the forge, %d calls were refused; want none and one",
			len(w.Merges()), w.refusals())
	}
	if len(w.hookRecords()) == 0 {
		t.Error("the hooks left no record in the transcript: the test that follows would see " +
			"nothing either")
	}

	w.hooks("uninstall", "--scope", "project")
	if text, err := os.ReadFile(settings); err != nil || string(text) != before {
		t.Errorf("the settings are %q, %v", text, err)
	}
	w.forget(t)
	r := w.Headless("/sdd:work --loop")
	if !strings.Contains(r.Result, "is over") || len(w.hookRecords()) != 0 {
		t.Errorf("without the program the skill said %q and hooks recorded %v", r.Result,
			w.hookRecords())
	}
	if _, err := w.stat(".sdd"); err == nil {
		t.Error(".sdd exists again")
	}
}

// forget takes away what the sessions so far left: their transcripts and the loop's state.
func (w *World) forget(t *testing.T) {
	t.Helper()
	for _, dir := range []string{filepath.Join(w.Home, ".claude", "projects"),
		filepath.Join(w.Project, ".sdd")} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
