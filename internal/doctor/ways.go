package doctor

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/guard"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// noFiles are no files: a command is read without what it would read from disk.
type noFiles struct{}

func (noFiles) ReadFile(string) (string, bool) { return "", false }

// merging reads a command as the guard does in this repository. It returns what the command would
// land, "" for nothing.
func (m *machine) merging(command string, gh map[string]string) string {
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
	aliases := map[string]string{}
	for key, text := range m.repo.Config {
		if name, ok := strings.CutPrefix(key, "alias."); ok {
			aliases[name] = text
		}
	}
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		if what := m.merging("git "+name, nil); what != "" {
			n.warn("the guard sees through it; take it away where agents work",
				"git %s stands for %q: %s", name, aliases[name], what)
		}
	}
	n.note("%s", loop.Plural(len(aliases), "alias"))
}

func ghAliases(m *machine, n *notes) {
	aliases := tracker.GhAliases(m.Env)
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		if what := m.merging("gh "+name+" 1", aliases); what != "" {
			n.warn("the guard sees through it; take it away where agents work: gh alias delete "+
				name, "gh %s stands for %q: %s", name, aliases[name], what)
		}
	}
	n.note("%s", loop.Plural(len(aliases), "alias"))
}

// pushSettings finds settings by which a bare push moves a protected branch.
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
				n.warn("the guard holds such pushes back; take it away where agents work: "+
					"git config --unset-all "+key,
					"%s is %q: a bare push moves a protected branch", key, spec)
			}
		}
	}
	kind := m.repo.Config["push.default"]
	if kind == "matching" || kind == "upstream" || kind == "tracking" {
		n.warn("git config push.default simple",
			"push.default is %s: a bare push can move a protected branch", kind)
	}
	n.noteIfFine("a bare push stays on its own branch")
}

// mcpServers finds servers that can merge. The guard reads their calls by name and shape.
func mcpServers(m *machine, n *notes) {
	forges := []string{"github", "gitlab", "gitea", "forgejo", "bitbucket", "azure-devops"}
	seen := 0
	look := func(f *install.File, servers gjson.Result) {
		servers.ForEach(func(name, server gjson.Result) bool {
			seen++
			all := strings.ToLower(name.String() + " " + server.Raw)
			named := func(forge string) bool { return strings.Contains(all, forge) }
			if i := slices.IndexFunc(forges, named); i >= 0 {
				n.warn("the guard holds its merges back; give its token no right to merge",
					"the MCP server %s in %s can merge at %s", name, m.shown(f.Path), forges[i])
			}
			return true
		})
	}
	files := slices.Clone(m.settings().Files)
	for _, path := range []string{
		filepath.Join(m.project, ".mcp.json"), filepath.Join(m.home(), ".claude.json"),
	} {
		if f := install.ReadFile("mcp", path); f != nil {
			files = append(files, f)
		}
	}
	for _, f := range files {
		look(f, f.Body.Get("mcpServers"))
		look(f, f.Body.Get("projects").Map()[m.project].Get("mcpServers"))
	}
	n.note("%s", loop.Plural(seen, "server"))
}
