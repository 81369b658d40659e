package clienthooks

import "testing"

const ours = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"],"timeout":60}]}]},
"permissions":{"allow":["Bash(go test:*)"]},"enabledPlugins":{"hooks@x":true}}`

// Each row is our settings file as an edit leaves it, whole.
func TestSettingsThatChangeTheHooks(t *testing.T) {
	const pre = `"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"],"timeout":60}]}]}`
	const rest = `,"permissions":{"allow":["Bash(go test:*)"]},"enabledPlugins":{"hooks@x":true}}`
	for after, why := range map[string]string{
		``:                             "the file is empty",
		`{"permissions":{}}`:           "everything is gone",
		`{` + pre + rest + `}`:         "not JSON",
		`[{` + pre + rest + `]`:        "a list",
		`{` + pre + rest + ` {}`:       "two values",
		`{// note` + "\n" + pre + rest: "a comment that JSON has not",
		`{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"],"timeout":60}]}]}` + rest: "another matcher",
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"],"timeout":1}]}]}` + rest:                   "a shorter timeout",
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/bin/true","args":["pre-tool-use"],"timeout":60}]}]}` + rest:                     "another command",
		`{"hooks":{"PreToolUse":[]}` + rest: "the entry is gone",
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"],"timeout":60}]},
			{"hooks":[{"type":"command","command":"/tmp/rewrite"}]}]}` + rest: "a new hook",
		`{` + pre + `,"hooks":{}` + rest:                                                                                "a second member of that name wins",
		`{` + pre + `,"disableAllHooks":true` + rest:                                                                    "hooks are off",
		`{` + pre + `,"allowManagedHooksOnly":true` + rest:                                                              "ours are ignored",
		`{` + pre + `,"env":{"PATH":"/tmp"}` + rest:                                                                     "the environment",
		`{` + pre + `,"statusLine":{"type":"command","command":"x"}` + rest:                                             "a program that runs",
		`{` + pre + `,"apiKeyHelper":"/tmp/x"` + rest:                                                                   "a program that runs",
		`{` + pre + `,"awsAuthRefresh":"/tmp/x"` + rest:                                                                 "a program that runs",
		`{` + pre + `,"extraKnownMarketplaces":{}` + rest:                                                               "other plugins",
		`{` + pre + `,"cleanupPeriodDays":0` + rest:                                                                     "transcripts are removed",
		`{` + pre + `,"keyOfTomorrow":true` + rest:                                                                      "nobody knows what it does",
		`{` + pre + `,"model":5` + rest:                                                                                 "a wrong type: the whole file is skipped",
		`{` + pre + `,"permissions":[],"enabledPlugins":{"hooks@x":true}}`:                                              "a wrong type",
		`{` + pre + `,"permissions":{"allow":"Bash"},"enabledPlugins":{"hooks@x":true}}`:                                "a wrong type",
		`{` + pre + `,"permissions":{"allow":[5]},"enabledPlugins":{"hooks@x":true}}`:                                   "a wrong type",
		`{` + pre + `,"permissions":{"allow":["Bash("]},"enabledPlugins":{"hooks@x":true}}`:                             "no rule",
		`{` + pre + `,"permissions":{"defaultMode":"dontAsk"},"enabledPlugins":{"hooks@x":true}}`:                       "who is asked",
		`{` + pre + `,"permissions":{"allow":["Bash(go test:*)"]},"enabledPlugins":{"hooks@x":false}}`:                  "the plugin is off",
		`{` + pre + `,"permissions":{"allow":["Bash(go test:*)"]},"enabledPlugins":{"hooks@x":true,"rewriter@y":true}}`: "another plugin",
	} {
		if Same(Settings, ours, after) {
			t.Errorf("%s: taken for the same: %s", why, after)
		}
	}
}

func TestSettingsThatLeaveTheHooks(t *testing.T) {
	const hooks = `"hooks":{"PreToolUse":[{"hooks":[{"timeout":60,"type":"command","command":"/o/bin/hooks","args":["pre-tool-use"]}]}]}`
	for _, after := range []string{
		"\ufeff{\n\t" + hooks + `,"permissions":{"allow":["Bash(go test:*)"]},"enabledPlugins":{"hooks@x":true}}` + "\n",
		`{` + hooks + `,"permissions":{"allow":["Bash(ls (x))","mcp__github__*","Read"],"deny":["WebFetch(domain:x.org)"]},"enabledPlugins":{"hooks@x":true}}`,
		`{` + hooks + `,"enabledPlugins":{"hooks@x":true}}`,
		`{"model":"opus","_note":"why","//":["x"],` + hooks + `,"enabledPlugins":{"hooks@x":true},"permissions":{"allow":["Bash(go test:*)"]}}`,
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
		Settings: []string{"/home/d/.claude/settings.json", "/p/.claude/settings.json", "/p/.claude/settings.local.json", "/dot/claude.json"},
		Home:     "/home/d", Config: "/home/d/.claude", Managed: "/etc/claude-code",
		Plugins: []string{"/src/market"}, Scripts: []string{"/p/tools/guard.sh", "/opt/bin/hooks"},
	}
	for path, want := range map[string]Kind{
		"/home/d/.claude/settings.json": Settings, "/P/.Claude/Settings.JSON": Settings, "/dot/claude.json": Settings,
		"/p/.claude/settings.local.json": Settings, "/p/.sdd/worktrees/a/.claude/settings.json": Foreign,
		"/other/.claude/settings.json": Foreign, "/home/d/.claude.json": Fixed, "/etc/claude-code/managed-settings.d/a.json": Fixed,
		"/home/d/.claude/plugins/installed_plugins.json": Fixed, "/home/d/.claude/plugins/cache/m/x/run.sh": Script,
		"/home/d/.claude/plugins/data/x/state.json": Foreign, "/src/market/plugins/a/hooks/hooks.json": Fixed,
		"/src/market/.claude-plugin/plugin.json": Fixed, "/src/market/main.go": Foreign, "/p/hooks.json": Foreign,
		"/p/tools/guard.sh": Script, "/opt/bin/hooks": Script, "/p/bin/hooks": Foreign,
		"/p/.claude/skills/a/SKILL.md": Markdown, "/home/d/.claude/agents/a.md": Markdown, "/p/.claude/commands/a.sh": Foreign,
		"/p/docs/skills/a.md": Foreign, "/p/.sdd/worktrees/a/.claude/agents/a.md": Foreign,
	} {
		if got := p.Of(path); got != want {
			t.Errorf("%s: kind %d, want %d", path, got, want)
		}
	}
	for dir, want := range map[string]bool{
		"/p/.claude": true, "/home/d": true, "/opt/bin": true, "/etc": true, "/home/d/.claude/plugins/cache/m": true,
		"/p/docs": false, "/home/d/.claude/plugins/data/x": false, "/p/.claude/worktrees/a": false,
	} {
		if got := p.Holds(dir); got != want {
			t.Errorf("Holds(%s) = %v", dir, got)
		}
	}
}

func TestCommands(t *testing.T) {
	got := Commands(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bash \"$CLAUDE_PROJECT_DIR/tools/a.sh\" x"},
		{"type":"command","command":"/my tools/bin/b","args":["c.py"]}]}]},"apiKeyHelper":"~/k.sh"}`)
	want := map[string]bool{"$CLAUDE_PROJECT_DIR/tools/a.sh": true, "/my tools/bin/b": true, "c.py": true, "~/k.sh": true}
	for _, w := range got {
		delete(want, w)
	}
	if len(want) > 0 {
		t.Errorf("%q misses %v", got, want)
	}
}
