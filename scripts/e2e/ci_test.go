//go:build e2e && linux

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The recipes of docs/ci.md run as they are, each in an empty home, with a release's archive. npm
// alone is replaced: it installs the client under test.
func TestTheRecipesOfTheCIPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository(), "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	recipes := strings.Split(string(page), "```yaml\n")[1:]
	for i, name := range []string{"GitHub Actions", "GitLab CI"} {
		recipe, _, _ := strings.Cut(recipes[i], "\n```")
		t.Run(name, func(t *testing.T) { playRecipe(t, steps(recipe)) })
	}
}

// step is how a step of GitHub's recipe begins, or an item of GitLab's script.
var step = regexp.MustCompile(`^(?: +- run: | {4}- )`)

// steps returns the shell text of each step of a recipe.
func steps(recipe string) (list []string) {
	lines := strings.Split(recipe, "\n")
	for i, line := range lines {
		begins := step.FindString(line)
		if begins == "" {
			continue
		}
		text := line[len(begins):]
		if separator := map[string]string{">": " ", "|": "\n"}[text]; separator != "" {
			first := lines[i+1]
			margin := first[:len(first)-len(strings.TrimLeft(first, " "))]
			var block []string
			for _, next := range lines[i+1:] {
				if !strings.HasPrefix(next, margin) {
					break
				}
				block = append(block, next[len(margin):])
			}
			text = strings.Join(block, separator)
		}
		list = append(list, text)
	}
	return list
}

func playRecipe(t *testing.T, steps []string) {
	w := newWorld(t, func(r Request) Turn {
		if strings.Contains(r.Prompt(), "Loop Iteration 1/") && len(r.Calls()) == 0 {
			report := "~/.local/bin/hooks report <<'JSON'\n" + quiet + "\nJSON"
			return Turn{Calls: []Call{bash(report)}}
		}
		return Turn{Text: "ok"}
	})
	w.Plugins = nil
	root := filepath.Dir(w.Home)
	checkout := filepath.Join(root, "checkout")
	w.source(checkout)
	w.write(filepath.Join(w.Bin, "npm"), "#!/bin/sh\nln -s '"+clientProgram+"' '"+
		filepath.Join(w.Bin, "claude")+"'\n", 0o755)
	if err := errors.Join(os.RemoveAll(w.Home), os.Mkdir(w.Home, 0o755)); err != nil {
		t.Fatal(err)
	}
	env := append(w.command(t.Context()).Env, "HOOKS_BASE_URL="+w.release(checkout),
		"GITHUB_STEP_SUMMARY="+filepath.Join(root, "summary"), "CI_SERVER_HOST=gitlab.invalid",
		"CI_COMMIT_REF_NAME=feature", "CI_PROJECT_PATH=o/r", "LOOP_TOKEN=secret")
	var said string
	for _, text := range steps {
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c",
			strings.ReplaceAll(text, "PATH_TO_HOOKS", checkout))
		cmd.Dir, cmd.Env = w.Project, env
		out, err := cmd.CombinedOutput()
		if said = string(out); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, said)
		}
		t.Logf("%s\n%s", text, said)
	}
	if !strings.Contains(said, "succeeded: work loop, 1 iteration") {
		t.Errorf("hooks result said %q", said)
	}
	if n := len(w.History("work")); n != 1 || len(steps) < 3 {
		t.Errorf("%d iterations after %d steps", n, len(steps))
	}
}
