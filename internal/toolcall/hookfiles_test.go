package toolcall

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	entry   = `{"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"],"timeout":60}`
	pre     = `"hooks":{"PreToolUse":[{"hooks":[` + entry + `]}]}`
	rules   = `"permissions":{"allow":["Bash(go test:*)"]}`
	plugins = `"enabledPlugins":{"hooks@x":true}`
	rest    = `,` + rules + `,` + plugins + `}`
	ours    = `{` + pre + ",\n" + rules + `,` + plugins + `}`
)

// Each row is our settings file as an edit leaves it, whole.
func TestSettingsThatChangeTheHooks(t *testing.T) {
	entries := func(list string) string { return `{"hooks":{"PreToolUse":[` + list + `]}` + rest }
	added := func(member string) string { return `{` + pre + `,` + member + rest }
	permits := func(p string) string {
		return `{` + pre + `,"permissions":` + p + `,` + plugins + `}`
	}
	switched := func(p string) string {
		return `{` + pre + `,` + rules + `,"enabledPlugins":` + p + `}`
	}
	soon := strings.Replace(entry, "60", "1", 1)
	other := strings.Replace(entry, "/o/bin/hooks", "/bin/true", 1)
	for after, why := range map[string]string{
		``:                             "the file is empty",
		`{"permissions":{}}`:           "everything is gone",
		`{` + pre + rest + `}`:         "not JSON",
		`[{` + pre + rest + `]`:        "a list",
		`{` + pre + rest + ` {}`:       "two values",
		`{// note` + "\n" + pre + rest: "a comment that JSON has not",

		entries(`{"matcher":"Read","hooks":[` + entry + `]}`): "another matcher",
		entries(`{"hooks":[` + soon + `]}`):                   "a shorter timeout",
		entries(`{"hooks":[` + other + `]}`):                  "another command",
		entries(``):                                           "the entry is gone",
		entries(`{"hooks":[` + entry + `]},
			{"hooks":[{"type":"command","command":"/tmp/rewrite"}]}`): "a new hook",

		added(`"hooks":{}`):                                    "a second member of that name wins",
		added(`"disableAllHooks":true`):                        "hooks are off",
		added(`"allowManagedHooksOnly":true`):                  "ours are ignored",
		added(`"env":{"PATH":"/tmp"}`):                         "the environment",
		added(`"statusLine":{"type":"command","command":"x"}`): "a program that runs",
		added(`"apiKeyHelper":"/tmp/x"`):                       "a program that runs",
		added(`"awsAuthRefresh":"/tmp/x"`):                     "a program that runs",
		added(`"extraKnownMarketplaces":{}`):                   "other plugins",
		added(`"cleanupPeriodDays":0`):                         "transcripts are removed",
		added(`"keyOfTomorrow":true`):                          "no one knows what it does",
		added(`"model":5`):                                     "a wrong type skips the whole file",

		permits(`[]`):                        "a wrong type",
		permits(`{"allow":"Bash"}`):          "a wrong type",
		permits(`{"allow":[5]}`):             "a wrong type",
		permits(`{"allow":["Bash("]}`):       "no rule",
		permits(`{"defaultMode":"dontAsk"}`): "who is asked",

		switched(`{"hooks@x":false}`):                  "the plugin is off",
		switched(`{"hooks@x":true,"rewriter@y":true}`): "another plugin",
	} {
		if sameHooks(settingsFile, ours, after) {
			t.Errorf("%s: taken for the same: %s", why, after)
		}
	}
}

func TestSettingsThatLeaveTheHooks(t *testing.T) {
	const moved = `{"timeout":60,"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"]}`
	const hooks = `"hooks":{"PreToolUse":[{"hooks":[` + moved + `]}]}`
	const more = `"permissions":{"allow":["Bash(ls (x))","mcp__github__*","Read"],` +
		`"deny":["WebFetch(domain:x.org)"]}`
	for _, after := range []string{
		"\ufeff{\n\t" + hooks + rest + "\n",
		`{` + hooks + `,` + more + `,` + plugins + `}`,
		`{` + hooks + `,` + plugins + `}`,
		`{"model":"opus","_note":"why","//":["x"],` + hooks + `,` + plugins + `,` + rules + `}`,
	} {
		if !sameHooks(settingsFile, ours, after) {
			t.Errorf("taken for another: %s", after)
		}
	}
	if !sameHooks(settingsFile, "", `{"permissions":{"allow":["Bash(ls)"]}}`) {
		t.Error("a new file of rules alone was refused")
	}
	if sameHooks(settingsFile, `{"model":5}`, `{"model":"opus"}`) {
		t.Error("a file that the client skipped came to count")
	}
}

func TestOtherKinds(t *testing.T) {
	for _, c := range []struct {
		kind          hookKind
		before, after string
		same          bool
	}{
		{foreignFile, "x", "y", true},
		{fixedFile, `{"name":"a"}`, `{"name":"a","model":"opus"}`, false},
		{fixedFile, ``, `{"allowManagedHooksOnly":true}`, false},
		{fixedFile, "exit 0\n", "exit 0\n", true},
		{fixedFile, "exit 0\n", "exit 0", false},
		{promptFile, "---\nname: a\n---\nx", "---\nname: b\n---\ngit hooks: y", true},
		{promptFile, "", "# plain", true},
		{promptFile, "", "---\nname: a\nhooks:\n  PreToolUse: []\n---\n", false},
		{promptFile, "", "---\r\n\"h\\u006foks\": {}\r\n---\r\n", false},
		{promptFile, "---\nhooks: {}\n---\nx", "---\nhooks: {}\n---\ny", true},
		{promptFile, "---\nhooks: {}\n---\nx", "x", false},
	} {
		if got := sameHooks(c.kind, c.before, c.after); got != c.same {
			t.Errorf("sameHooks(%d, %q, %q) = %v", c.kind, c.before, c.after, got)
		}
	}
}

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
	for path, want := range map[string]hookKind{
		"home/.claude/settings.json":    settingsFile,
		"P/.Claude/Settings.JSON":       settingsFile,
		"p/.claude/settings.local.json": settingsFile,

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
		if got := h.kind(filepath.Join(dir, path)); got != want {
			t.Errorf("%s: kind %d, want %d", path, got, want)
		}
	}
	if h.kind("/opt/my tools/b") != fixedFile {
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
