//go:build e2e && linux

package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Permissions under which no worker can write, commit or run the check are refused before any
// request, in a headless session and by the driver: the words that are to be typed then suffice.
func TestPermissionsAreLookedAtFirst(t *testing.T) {
	w := drivenWorld(t, 2, commits)
	w.noRemote()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	const command = `/hooks:go docs/spec.md --check "test -d docs"`
	headless := func(flags ...string) string {
		out, _ := w.command(ctx, append([]string{"-p", command, "--output-format", "json"},
			flags...)...).Output()
		return string(out)
	}
	goes := func(flags ...string) string {
		client := w.command(ctx)
		line := append([]string{"go", "docs/spec.md", "--check", "test -d docs", "--"}, flags...)
		cmd := exec.Command(hooksProgram, append(line, client.Args[1:]...)...)
		cmd.Dir, cmd.Env = w.Project, append(client.Env, w.variable())
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for _, tt := range []struct {
		starts func(...string) string
		flags  []string
		want   string
	}{
		{headless, nil, "do not allow workers to write: the mode is default"},
		{headless, []string{"--permission-mode", "plan"}, "workers cannot write in plan mode"},
		{headless, []string{"--permission-mode", "acceptEdits"},
			"do not allow workers to run git commit"},
		{goes, nil, "do not allow workers to write: the mode is default"},
		{goes, []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash(git:*)"},
			`do not allow workers to run the check "test -d docs"`},
	} {
		if got := strings.ReplaceAll(tt.starts(tt.flags...), `\"`, `"`); !strings.Contains(got,
			tt.want) {
			t.Errorf("%v: %s, want %q", tt.flags, got, tt.want)
		}
	}
	if n := len(w.Model.Requests()); n != 0 || w.Budget("task").RunID != "" {
		t.Fatalf("%d requests were made, and the run is %+v", n, w.Budget("task"))
	}
	typed := []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash"}
	if out := goes(typed...); !strings.Contains(out, "hooks gate answer gate-1-spec") {
		t.Fatal(out)
	}
	w.approve("gate-1-spec", "gate-2-review")
	client := w.command(ctx)
	cmd := exec.Command(hooksProgram, append(append([]string{"go", "--resume", "--"}, typed...),
		client.Args[1:]...)...)
	cmd.Dir, cmd.Env = w.Project, append(client.Env, w.variable())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
