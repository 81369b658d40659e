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
	write("home/.claude/plugins/known_marketplaces.json",
		`{"m":{"source":{"source":"directory","path":"`+market+`"}}}`)
	write("p/.claude/settings.json", "{}")
	if err := os.Symlink(".claude/settings.json", filepath.Join(dir, "p/cfg.json")); err != nil {
		t.Skip(err)
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
		"p/docs":                                   false,
		"p/.claude/worktrees/a":                    false,
		"home/.claude/plugins/data/x":              false,
	} {
		if got := c.registers(filepath.Join(dir, path)); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
