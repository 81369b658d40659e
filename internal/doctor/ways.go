package doctor

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/guard"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
)

// merging reads a command as the guard does in this repository and says what it would land.
func (m *machine) merging(command string, gh map[string]string) (what string) {
	repo := guard.Repo{
		Branch: m.repo.Branch, Default: m.repo.Default, Remotes: m.repo.Remotes,
		Config: m.repo.Config, Aliases: gh,
	}
	call := guard.Call{Tool: "Bash", Command: command, Cwd: m.project}
	r := guard.Read(call, repo.Known(), noFiles{})
	for _, a := range r.Merges() {
		return string(a.Kind)
	}
	return ""
}

func gitAliases(m *machine, n *notes) {
	aliases := 0
	for _, key := range slices.Sorted(maps.Keys(m.repo.Config)) {
		name, ok := strings.CutPrefix(key, "alias.")
		if !ok {
			continue
		}
		aliases++
		if what := m.merging("git "+name, nil); what != "" {
			n.warn("the guard sees through it; take it away where agents work", "git %s stands for %q: %s", name, m.repo.Config[key], what)
		}
	}
	n.say("%s", count(aliases, "alias"))
}

func ghAliases(m *machine, n *notes) {
	aliases := tracker.GhAliases(m.Env)
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		if what := m.merging("gh "+name+" 1", aliases); what != "" {
			n.warn("the guard sees through it; take it away where agents work: gh alias delete "+name, "gh %s stands for %q: %s", name, aliases[name], what)
		}
	}
	n.say("%s", count(len(aliases), "alias"))
}

// pushSettings: a bare push that reaches a protected branch from elsewhere.
func pushSettings(m *machine, n *notes) {
	for _, key := range slices.Sorted(maps.Keys(m.repo.Config)) {
		rest, remote := strings.CutPrefix(key, "remote.")
		name, push := strings.CutSuffix(rest, ".push")
		if !remote || !push {
			continue
		}
		for spec := range strings.Lines(m.repo.Config[key]) {
			spec = strings.TrimSpace(spec)
			if m.merging("git push "+name+" '"+spec+"'", nil) != "" {
				n.warn("the guard holds such pushes back; take it away where agents work: git config --unset-all "+key, "%s is %q: a bare push moves a protected branch", key, spec)
			}
		}
	}
	if kind := m.repo.Config["push.default"]; kind == "matching" || kind == "upstream" || kind == "tracking" {
		n.warn("git config push.default simple", "push.default is %s: a bare push can move a protected branch", kind)
	}
	if len(n.problems) == 0 {
		n.say("a bare push stays on its own branch")
	}
}

// mcpServers: servers that can merge. The guard reads their calls by name and shape.
func mcpServers(m *machine, n *notes) {
	seen := 0
	look := func(where string, servers gjson.Result) {
		servers.ForEach(func(name, server gjson.Result) bool {
			seen++
			all := strings.ToLower(name.String() + " " + server.Raw)
			for _, forge := range []string{"github", "gitlab", "gitea", "forgejo", "bitbucket", "azure-devops"} {
				if strings.Contains(all, forge) {
					n.warn("the guard holds its merges back; give its token no right to merge", "the MCP server %s in %s can merge at %s", name, where, forge)
					break
				}
			}
			return true
		})
	}
	paths := []string{filepath.Join(m.project, ".mcp.json"), filepath.Join(m.home(), ".claude.json")}
	for _, path := range paths {
		if s := open("mcp", path); s != nil && s.bad == "" {
			look(m.shown(path), s.body.Get("mcpServers"))
			look(m.shown(path), s.body.Get("projects").Map()[m.project].Get("mcpServers"))
		}
	}
	for _, s := range m.hooks().files {
		look(m.shown(s.path), s.body.Get("mcpServers"))
	}
	n.say("%s", count(seen, "server"))
}

// branchProtection: whether the forge itself would refuse what the guard cannot see.
func branchProtection(m *machine, n *notes) {
	p, err := m.place()
	if err != nil || p.Kind != forge.GitHub {
		n.skip("no GitHub repository")
		return
	}
	branch := firstOf(m.repo.Default, "main")
	ask := func(what, field string) (string, error) {
		return m.run("gh", "api", "--hostname", p.Host, fmt.Sprintf("repos/%s/%s/%s/%s", p.Owner, p.Repo, what, branch), "--jq", field)
	}
	out, err := ask("branches", ".protected")
	if errors.Is(err, exec.ErrNotFound) {
		n.skip("gh is not on PATH")
		return
	}
	if err != nil || out != "true" && out != "false" {
		n.skip("the forge does not say: %s", firstOf(errText(err), out))
		return
	}
	if rules, _ := ask("rules/branches", "length"); out == "true" || rules != "" && rules != "0" {
		n.say("%s is protected", branch)
		return
	}
	n.warn("protect it on the forge: it is the backstop of every guard", "%s of %s is not protected", branch, p)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
