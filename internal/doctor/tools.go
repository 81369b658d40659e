package doctor

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"

	"hooks/internal/tracker"
)

// oldGit is the first git with everything the program asks of it (worktree list --porcelain, symbolic heads).
const oldGit = "2.17.0"

func gitVersion(m *machine, n *notes) {
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	out, err := tracker.GitVersion(ctx)
	if err != nil {
		n.fail("install git", "git does not answer: %v", err)
		return
	}
	n.say("%s", out)
	have, ok := version(strings.TrimPrefix(out, "git version "))
	if least, _ := version(oldGit); ok && before(have, least) {
		n.warn("update git", "git %s is older than %s: worktrees and heads stay unknown", text(have), oldGit)
	}
}

// forge is the client of the forge that the project uses, by its configuration, else by its remote.
func (m *machine) forge() (name string) {
	url := strings.ToLower(m.repo.Remotes["origin"])
	kind := firstOf(m.config.Tracker.Type, url)
	for _, f := range []struct{ mark, client string }{
		{"github", "gh"}, {"gitlab", "glab"}, {"gitea", "tea"}, {"forgejo", "tea"}, {"codeberg", "tea"},
	} {
		if strings.Contains(kind, f.mark) {
			return f.client
		}
	}
	return ""
}

func forgeClient(m *machine, n *notes) {
	name := m.forge()
	if name == "" {
		n.skip("neither the Tracker block nor the remote names a known forge")
		return
	}
	args := []string{"auth", "status"}
	if name == "tea" {
		args = []string{"login", "list"}
	}
	out, err := m.run(nil, m.project, name, args...)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		n.warn("install it, or have the skill report the facts", "%s is not on PATH: backlog, labels and PR states come from reports alone", name)
	case err != nil, name == "tea" && strings.Count(out, "\n") == 0:
		n.warn(name+" auth login", "%s is not logged in: %v", name, err)
	default:
		n.say("%s is logged in", name)
	}
}

// qmd is looked for where the project speaks of it.
func qmd(m *machine, n *notes) {
	used := false
	for _, name := range []string{"CLAUDE.md", "AGENTS.md", ".mcp.json"} {
		body, err := read(filepath.Join(m.project, name))
		used = used || err == nil && strings.Contains(body, "qmd")
	}
	if !used {
		n.skip("the project does not speak of it")
		return
	}
	if _, err := exec.LookPath("qmd"); err != nil {
		n.warn("install it, or make it reachable: two ticks without it halt a loop", "qmd is not on PATH, and the project uses it")
		return
	}
	n.say("on PATH")
}
