//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// World is everything one scenario has to itself: a home, a project with a remote, the plugins, a
// model.
type World struct {
	t       *testing.T
	Home    string
	Project string
	Plugins []string
	Bin     string   // first on the client's PATH
	Env     []string // what the client's environment has more
	Model   *Model
}

// newWorld builds a world around a script. The test runs in parallel with the others.
func newWorld(t *testing.T, script Script) *World {
	t.Helper()
	t.Parallel()
	return makeWorld(t, script)
}

// makeWorld is newWorld in a test that takes its turn by itself.
func makeWorld(t *testing.T, script Script) *World {
	t.Helper()
	root := t.TempDir()
	w := &World{t: t, Home: filepath.Join(root, "home"), Project: filepath.Join(root, "app"),
		Bin: filepath.Join(root, "bin")}
	w.Plugins = []string{filepath.Join(root, "plugins", "hooks"), filepath.Join(root, "plugins",
		"sdd")}
	w.project(filepath.Join(root, "origin.git"))
	w.hooksPlugin(w.Plugins[0])
	w.sddPlugin(w.Plugins[1])
	w.write(filepath.Join(w.Bin, "gh"), fmt.Sprintf(ghScript, w.ghLog()), 0o755)
	w.trust()
	w.Model = newModel(t, script)
	return w
}

// ghScript replaces gh: it notes every call, merges on command, and knows nothing else.
const ghScript = `#!/bin/sh
echo "$*" >>'%s'
case "$1 $2" in
"pr merge") echo "merged" ;;
*) echo "gh: not logged in" >&2; exit 4 ;;
esac
`

func (w *World) ghLog() string { return w.Bin + ".gh.log" }

// project makes a git repository with one commit, pushed to a bare remote.
func (w *World) project(origin string) {
	w.t.Helper()
	w.write(filepath.Join(w.Project, "README.md"), "An application.\n", 0o644)
	w.git(".", "init", "--quiet", "--bare", origin)
	w.git(w.Project, "init", "--quiet", "--initial-branch=main")
	w.git(w.Project, "remote", "add", "origin", origin)
	w.git(w.Project, "add", ".")
	w.git(w.Project, "commit", "--quiet", "-m", "start")
	w.git(w.Project, "push", "--quiet", "origin", "main",
		"main:refs/pull/142/head", "main:refs/pull/201/head")
}

// prAt is the commit that a PR is at on the remote.
func (w *World) prAt(pr int) string {
	w.t.Helper()
	ref := fmt.Sprintf("refs/pull/%d/head", pr)
	sha, _, _ := strings.Cut(w.git(w.Project, "ls-remote", "origin", ref), "\t")
	return sha
}

// merge is the command that merges a PR at the commit that it is at, as a person approves it;
// merged is what the forge sees of it.
func (w *World) merge(pr int) string { return "gh " + w.merged(pr) }

func (w *World) merged(pr int) string {
	return fmt.Sprintf("pr merge %d --squash --match-head-commit %s", pr, w.prAt(pr))
}

// mergeAsked is the question about a PR of which nothing tells who commented.
func (w *World) mergeAsked(pr int, why string) string {
	return fmt.Sprintf("PR #%d at %s: it is unknown who commented (%s). Merge now, or hold for "+
		"review?", pr, w.prAt(pr)[:7], why)
}

// git runs git as a person, and returns what it printed.
func (w *World) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git",
		append([]string{"-c", "user.name=dev", "-c", "user.email=dev@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + w.Home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// hooksPlugin copies what makes the repository a plugin, with the program built by TestMain.
func (w *World) hooksPlugin(dir string) {
	w.t.Helper()
	for _, name := range []string{
		"hooks.json", ".claude-plugin/plugin.json",
		"launch/hooks.sh", "scripts/install.sh",
	} {
		w.copy(filepath.Join(repository(), name), filepath.Join(dir, name), 0o644)
	}
	w.copy(hooksProgram, filepath.Join(dir, "bin", "hooks"), 0o755)
}

const skillTools = "Bash, AskUserQuestion, Agent, CronCreate, CronDelete, CronList, " +
	"ScheduleWakeup, ToolSearch, Skill"

const skillHead = `---
name: %NAME%
description: One iteration of the %NAME% loop.
allowed-tools: ` + skillTools + `
---

Do one %NAME% iteration. Args: $ARGUMENTS
`

// sddPlugin writes the plugin whose skills loop.
func (w *World) sddPlugin(dir string) {
	w.t.Helper()
	w.write(filepath.Join(dir, ".claude-plugin", "plugin.json"),
		`{"name":"sdd","version":"1.0.0","description":"the skills that loop"}`, 0o644)
	for _, name := range []string{"work", "review"} {
		w.write(filepath.Join(dir, "skills", name, "SKILL.md"), strings.ReplaceAll(skillHead,
			"%NAME%", name), 0o644)
	}
}

// trust writes the client's own settings, as they are once a person has clicked through the first
// start.
func (w *World) trust() {
	w.t.Helper()
	settings, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{"dummy"},
			"rejected": []string{}},
		"projects": map[string]any{
			w.Project: map[string]any{"hasTrustDialogAccepted": true, "allowedTools": []string{}}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(filepath.Join(w.Home, ".claude.json"), string(settings), 0o600)
}

func (w *World) write(path, content string, mode os.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *World) copy(from, to string, mode os.FileMode) {
	w.t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(to, string(data), mode)
}
