package toolcall

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHookFiles has the files of a session whose client's folder, project and plugins are plain.
func TestHookFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	market := filepath.ToSlash(filepath.Join(dir, "market"))
	write("home/.claude/settings.json", `{"apiKeyHelper":"~/k.sh","hooks":{"Stop":[{"hooks":[
		{"type":"command","command":"/opt/my tools/b","args":["c.py"]}]}]}}`)
	write("p/.claude/settings.json", `{"permissions":{"allow":["Bash(sh tools/run.sh)"]},
		"hooks":{"Stop":[{"hooks":[
		{"type":"command","command":"sh \"$CLAUDE_PROJECT_DIR\"/tools/guard.sh x"},
		{"type":"command","command":"\"$CLAUDE_PROJECT_DIR/my tools/blank.sh\""},
		{"type":"command","command":".claude/hooks/sub//a.py && tools/link.sh >/tmp/l.json"}]}]}}`)
	write("p/tools/target.sh", "")
	write("market/hooks.json", `{"hooks":{"Stop":[{"hooks":[
		{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/scripts/go.sh"}]}]}}`)
	write("p/.claude/agents/hooked.md", "---\nname: a\nhooks:\n  Stop: []\n---\n")
	write("p/.claude/agents/plain.md", "---\nname: a\n---\nThe hooks run.\n")
	write("home/.claude/plugins/known_marketplaces.json",
		`{"m":{"source":{"source":"directory","path":"`+market+`"}}}`)
	for name, to := range map[string]string{
		"p/cfg.json": ".claude/settings.json", "p/tools/link.sh": "target.sh",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	home := filepath.Join(dir, "home")
	c := &Call{Project: filepath.Join(dir, "p"), Env: func(name string) string {
		return map[string]string{"HOME": home, "USERPROFILE": home}[name]
	}}
	for path, want := range map[string]bool{
		"home/.claude/settings.json":                  true,
		"P/.Claude/Settings.JSON":                     true,
		"p/.claude/settings.local.json":               true,
		"p/cfg.json":                                  true,
		"home/.claude.json":                           true,
		"home/.claude/plugins/installed_plugins.json": true,
		"home/.claude/plugins/cache/m/x/run.sh":       true,
		"market/plugins/a/hooks/hooks.json":           true,
		"market/.claude-plugin/plugin.json":           true,
		"p/.claude/hooks/sub/a.py":                    true,
		"market/scripts/go.sh":                        true,
		"p/tools/guard.sh":                            true,
		"p/my tools/blank.sh":                         true,
		"p/tools/link.sh":                             true,
		"p/tools/target.sh":                           true,
		"home/k.sh":                                   true,
		"p/.claude/agents/hooked.md":                  true,
		"p/.claude":                                   true,
		"home":                                        true,
		"home/.claude/plugins/cache/m":                true,
		"p/.claude/hooks":                             true,

		"p/.sdd/worktrees/a/.claude/settings.json": false,
		"other/.claude/settings.json":              false,
		"home/.claude/plugins/data/x/state.json":   false,
		"market/main.go":                           false,
		"p/hooks.json":                             false,
		"p/bin/hooks":                              false,
		"p/tools/run.sh":                           false,
		"p/l.json":                                 false,
		"p/.claude/agents/plain.md":                false,
		"p/docs/skills/a.md":                       false,
		"p/docs":                                   false,
		"p/.claude/worktrees/a":                    false,
		"home/.claude/plugins/data/x":              false,
	} {
		if got := c.registers(filepath.Join(dir, path)); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
