package clienthooks

import (
	"slices"
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
		if Same(Settings, ours, after) {
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
		if !Same(Settings, ours, after) {
			t.Errorf("taken for another: %s", after)
		}
	}
	if !Same(Settings, "", `{"permissions":{"allow":["Bash(ls)"]}}`) {
		t.Error("a new file of rules alone was refused")
	}
	if Same(Settings, `{"model":5}`, `{"model":"opus"}`) {
		t.Error("a file that the client skipped came to count")
	}
}

func TestOtherKinds(t *testing.T) {
	for _, c := range []struct {
		kind          Kind
		before, after string
		same          bool
	}{
		{Foreign, "x", "y", true},
		{Fixed, `{"hooks":{}, "name":"a"}`, `{"name":"a","hooks":{}}`, true},
		{Fixed, `{"name":"a"}`, `{"name":"a","model":"opus"}`, false},
		{Fixed, ``, `{"allowManagedHooksOnly":true}`, false},
		{Script, "exit 0\n", "exit 0\n", true},
		{Script, "exit 0\n", "exit 0", false},
		{Markdown, "---\nname: a\n---\nx", "---\nname: b\n---\ngit hooks: y", true},
		{Markdown, "", "# plain", true},
		{Markdown, "", "---\nname: a\nhooks:\n  PreToolUse: []\n---\n", false},
		{Markdown, "", "---\r\n\"h\\u006foks\": {}\r\n---\r\n", false},
		{Markdown, "---\nhooks: {}\n---\nx", "---\nhooks: {}\n---\ny", true},
		{Markdown, "---\nhooks: {}\n---\nx", "x", false},
	} {
		if got := Same(c.kind, c.before, c.after); got != c.same {
			t.Errorf("Same(%d, %q, %q) = %v", c.kind, c.before, c.after, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	p := Places{
		Settings: []string{
			"/home/d/.claude/settings.json", "/dot/claude.json",
			"/p/.claude/settings.json", "/p/.claude/settings.local.json",
		},
		Home:    "/home/d",
		Config:  "/home/d/.claude",
		Managed: "/etc/claude-code",
		Plugins: []string{"/src/market"},
		Scripts: []string{"/p/tools/guard.sh", "/opt/bin/hooks"},
	}
	for path, want := range map[string]Kind{
		"/home/d/.claude/settings.json":  Settings,
		"/P/.Claude/Settings.JSON":       Settings,
		"/dot/claude.json":               Settings,
		"/p/.claude/settings.local.json": Settings,

		"/home/d/.claude.json":                           Fixed,
		"/etc/claude-code/managed-settings.d/a.json":     Fixed,
		"/home/d/.claude/plugins/installed_plugins.json": Fixed,
		"/src/market/plugins/a/hooks/hooks.json":         Fixed,
		"/src/market/.claude-plugin/plugin.json":         Fixed,

		"/home/d/.claude/plugins/cache/m/x/run.sh": Script,
		"/p/tools/guard.sh":                        Script,
		"/opt/bin/hooks":                           Script,

		"/p/.claude/skills/a/SKILL.md": Markdown,
		"/home/d/.claude/agents/a.md":  Markdown,

		"/p/.sdd/worktrees/a/.claude/settings.json": Foreign,
		"/other/.claude/settings.json":              Foreign,
		"/home/d/.claude/plugins/data/x/state.json": Foreign,
		"/src/market/main.go":                       Foreign,
		"/p/hooks.json":                             Foreign,
		"/p/bin/hooks":                              Foreign,
		"/p/.claude/commands/a.sh":                  Foreign,
		"/p/docs/skills/a.md":                       Foreign,
		"/p/.sdd/worktrees/a/.claude/agents/a.md":   Foreign,
	} {
		if got := p.Of(path); got != want {
			t.Errorf("%s: kind %d, want %d", path, got, want)
		}
	}
	for dir, want := range map[string]bool{
		"/p/.claude": true, "/home/d": true, "/opt/bin": true, "/etc": true,
		"/home/d/.claude/plugins/cache/m": true,
		"/p/docs":                         false, "/p/.claude/worktrees/a": false,
		"/home/d/.claude/plugins/data/x": false,
	} {
		if got := p.Holds(dir); got != want {
			t.Errorf("Holds(%s) = %v", dir, got)
		}
	}
}

func TestCommands(t *testing.T) {
	got := Commands(`{"hooks":{"Stop":[{"hooks":[
		{"type":"command","command":"bash \"$CLAUDE_PROJECT_DIR/tools/a.sh\" x"},
		{"type":"command","command":"/my tools/bin/b","args":["c.py"]}
		]}]},"apiKeyHelper":"~/k.sh"}`)
	want := []string{"$CLAUDE_PROJECT_DIR/tools/a.sh", "/my tools/bin/b", "c.py", "~/k.sh"}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%q misses %s", got, w)
		}
	}
}
