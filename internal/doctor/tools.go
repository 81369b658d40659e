package doctor

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"

	"hooks/internal/config"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
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

// place is where the project's issues are.
func (m *machine) place() (forge.Place, error) {
	return forge.Choose(m.Env, m.config.Tracker, m.repo)
}

func forgeClient(m *machine, n *notes) {
	p, err := m.place()
	if f := (*forge.Failure)(nil); errors.As(err, &f) && (f.Why != forge.Unconfigured || m.config.Tracker != (config.Tracker{})) {
		n.warn(f.Hint(), "%v", err)
		return
	} else if err != nil {
		n.skip("%v", err)
		return
	}
	if p.Kind == forge.Command {
		if _, err := exec.LookPath(p.Args[0]); err != nil {
			n.fail("give its full path in the Tracker block", "the tracker's command %q is not found", p.Args[0])
		}
		n.say("%s", p)
		return
	}
	host, _, _ := strings.Cut(p.Host, ":") // gh takes no port
	args := map[string][]string{
		// Some versions of `gh auth status` end well on a token that the server refuses.
		forge.GitHub: {"gh", "api", "graphql", "--hostname", host, "-f", "query={viewer{login}}"},
		forge.GitLab: {"glab", "auth", "status", "--hostname", p.Host},
		forge.Gitea:  {p.Program(), "login", "list"},
	}[p.Kind]
	out, err := m.run(args...)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		n.warn("install it, or have the skill report the facts", "%s is not on PATH: backlog, labels and PR states come from reports alone", args[0])
	case p.Kind == forge.Gitea && m.lacksAPI(p.Program()):
		n.warn(forge.NewerHint(p.Program()), "%s is too old to be asked: it has no `api`",
			p.Program())
	case err != nil, p.Kind == forge.Gitea && !strings.Contains(out, p.Host):
		words := map[string]string{forge.GitHub: "gh auth login", forge.GitLab: "glab auth login"}
		n.warn(firstOf(words[p.Kind], args[0]+" login add"), "%s is not logged in at %s: %s",
			args[0], p.Host, errText(err))
	default:
		n.say("%s is logged in at %s, for %s/%s", args[0], p.Host, p.Owner, p.Repo)
	}
}

// lacksAPI reports whether a tea is older than its command api.
func (m *machine) lacksAPI(program string) bool {
	_, err := m.run(program, "api", "--help")
	return err != nil
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
