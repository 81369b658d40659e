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
	write("home/.claude/plugins/known_marketplaces.json",
		`{"m":{"source":{"source":"directory","path":"`+market+`"}}}`)
	write("p/tools/target.sh", "")
	if err := os.Symlink("target.sh", filepath.Join(dir, "p/tools/link.sh")); err != nil {
		t.Skip(err)
	}
	write("market/hooks.json", `{"hooks":{"Stop":[{"hooks":[
		{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/scripts/go.sh"}]}]}}`)
	home := filepath.Join(dir, "home")
	c := &Call{Project: filepath.Join(dir, "p"), Env: func(name string) string {
		return map[string]string{"HOME": home, "USERPROFILE": home}[name]
	}}
	h := c.hookFiles()
	const foreignFile, promptFile, fixedFile = "", "prompt", "fixed"
	for path, want := range map[string]string{
		"home/.claude/settings.json":    fixedFile,
		"P/.Claude/Settings.JSON":       fixedFile,
		"p/.claude/settings.local.json": fixedFile,

		"home/.claude.json":                           fixedFile,
		"home/.claude/plugins/installed_plugins.json": fixedFile,
		"home/.claude/plugins/cache/m/x/run.sh":       fixedFile,
		"market/plugins/a/hooks/hooks.json":           fixedFile,
		"market/.claude-plugin/plugin.json":           fixedFile,
		"market/scripts/go.sh":                        fixedFile,
		"p/tools/guard.sh":                            fixedFile,
		"p/my tools/blank.sh":                         fixedFile,
		"p/.claude/hooks/sub/a.py":                    fixedFile,
		"p/tools/link.sh":                             fixedFile,
		"p/tools/target.sh":                           fixedFile,
		"home/k.sh":                                   fixedFile,

		"p/.claude/skills/a/SKILL.md": promptFile,
		"home/.claude/agents/a.md":    promptFile,

		"p/.sdd/worktrees/a/.claude/settings.json": foreignFile,
		"other/.claude/settings.json":              foreignFile,
		"home/.claude/plugins/data/x/state.json":   foreignFile,
		"market/main.go":                           foreignFile,
		"p/hooks.json":                             foreignFile,
		"p/bin/hooks":                              foreignFile,
		"p/tools/run.sh":                           foreignFile,
		"p/l.json":                                 foreignFile,
		"p/.claude/commands/a.sh":                  foreignFile,
		"p/docs/skills/a.md":                       foreignFile,
		"p/.sdd/worktrees/a/.claude/agents/a.md":   foreignFile,
	} {
		got, file := "", filepath.Join(dir, path)
		switch {
		case h.defines(file):
			got = fixedFile
		case h.prompt(file):
			got = promptFile
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if !h.defines("/opt/my tools/b") {
		t.Error("a program with a blank in its path is taken for another")
	}
	for folder, want := range map[string]bool{
		"p/.claude": true, "home": true, "home/.claude/plugins/cache/m": true,
		"p/.claude/hooks/sub": true, "p/.claude/hooks": true, "p/.claude/hooks/old": false,
		"p/docs": false, "p/.claude/worktrees/a": false, "home/.claude/plugins/data/x": false,
	} {
		if got := h.holds(filepath.Join(dir, folder)); got != want {
			t.Errorf("holds(%s) = %v", folder, got)
		}
	}
}
