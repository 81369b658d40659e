package doctor

import (
	"fmt"
	"os"
	"strings"
	"testing"

	plugin "hooks"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// only changes the entry of one event.
func only(event string, do func(group, hook map[string]any)) change {
	return func(name string, group, hook map[string]any) bool {
		if name == event {
			do(group, hook)
		}
		return true
	}
}

// except drops an event from the registration.
func except(event string) change {
	return func(name string, _, _ map[string]any) bool { return name != event }
}

// broken is one thing wrong with a machine on which everything else is right: what does it, which
// check finds it, what
// that says, and its hint. fixed is what --fix did about it, after which the check is clean.
var broken = []struct {
	name   string
	do     func(*world)
	check  string
	status report.Health
	text   string
	way    string
	fixed  string
}{
	{"settings that are no JSON", func(w *world) { w.write("p/.claude/settings.json", "{oops") },
		"settings-files", report.Broken,
		".claude/settings.json (project): line 1, column 2: invalid",
		"repair the file", ""},
	{"a malformed entry of PreToolUse", func(w *world) {
		w.write("p/.claude/settings.local.json",
			`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}`)
	}, "settings-files", report.Broken, `"hooks.PreToolUse.0.hooks.0" must be an object with ` +
		`"command" for type command, but is an object; the client skips`, "correct that value",
		""},
	{"a setting of a wrong type", func(w *world) {
		w.write("p/.claude/settings.json", "{\n  \"model\": 5\n}")
	}, "settings-files", report.Broken, `.claude/settings.json: line 2, column 12: "model" must ` +
		`be a string, but is 5; the client skips the whole file`, "correct that value", ""},
	{"a choice that the client does not know", func(w *world) {
		w.write("p/.claude/settings.json", `{"defaultShell":"zsh"}`)
	}, "settings-files", report.Doubt, `must be one of bash, powershell, but is "zsh"`,
		"unless your client accepts", ""},
	{"nothing registered", func(w *world) { w.write("home/.claude/settings.json", "{}") },
		"hooks-registered", report.Broken, "the program is not registered", "hooks install", ""},
	{"no Stop", func(w *world) { w.changed(except("Stop")) },
		"hooks-registered", report.Broken, "not registered: Stop; the facts from these events",
		"hooks install", ""},
	{"no SubagentStop", func(w *world) { w.changed(except("SubagentStop")) },
		"hooks-registered", report.Doubt, "not registered: SubagentStop; the facts from these " +
			"events", "hooks install", ""},
	{"only the core registered", func(w *world) {
		w.changed(func(name string, _, _ map[string]any) bool {
			return name == "Stop" || name == "PreToolUse"
		})
	}, "hooks-registered", report.Doubt, "not registered: PostToolUse, ", "hooks install", ""},
	{"the wrong word", func(w *world) {
		w.changed(only("Stop", func(_, h map[string]any) { h["args"] = []any{"session-end"} }))
	}, "hooks-registered", report.Broken, "not registered: Stop; the facts from these events",
		"`hooks install --scope user`", ""},
	{"two copies registered", func(w *world) {
		w.register("p/.claude/settings.json",
			w.path("other/hooks"))
	},
		"registered-once", report.Broken,
		"ConfigChange, PermissionRequest: registered more than once, in ~/.claude/settings.json " +
			"(user) and .claude/settings.json (project)", "`hooks uninstall --scope project`", ""},
	{"a plugin and settings", func(w *world) { w.plugin(`{"sdd@acme":true}`) },
		"registered-once", report.Broken, "(plugin sdd@acme)",
		"`hooks uninstall --scope user`", ""},
	{"a guard that sees the shell only", func(w *world) {
		w.changed(only("PreToolUse", func(g, _ map[string]any) { g["matcher"] = "Bash" }))
	}, "command-form", report.Broken, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"facts of MCP tools missed", func(w *world) {
		w.changed(only("PostToolUse", func(g, _ map[string]any) {
			g["matcher"] = "Bash|mcp__github"
		}))
	}, "command-form", report.Doubt, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"shell form", func(w *world) {
		w.changed(only("Stop", func(_, h map[string]any) {
			delete(h, "args")
			h["command"] = `"` + built + `" stop`
		}))
	}, "command-form", report.Broken, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"an entry of before", func(w *world) {
		w.changed(only("PreToolUse", func(_, h map[string]any) {
			h["command"], h["args"] = built, []any{"pre-tool-use"}
			delete(h, "onFailure")
		}))
	}, "command-form", report.Broken, "PreToolUse in ~/.claude/settings.json differs from",
		"`hooks install --scope user`", ""},
	{"an entry that fails without a loop too", func(w *world) {
		w.changed(only("UserPromptSubmit", func(_, h map[string]any) {
			h["command"], h["args"] = built, []any{"user-prompt-submit"}
		}))
	}, "command-form", report.Doubt, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"another word for what a failure does", func(w *world) {
		w.changed(only("PreToolUse", func(_, h map[string]any) { h["onFailure"] = "BLOCK" }))
	}, "command-form", report.Broken, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"a timeout shorter than the program's own deadline", func(w *world) {
		w.changed(only("PreToolUse", func(_, h map[string]any) { h["timeout"] = 10 }))
	}, "command-form", report.Broken, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"no time for a check command", func(w *world) {
		w.changed(only("SubagentStop", func(_, h map[string]any) { delete(h, "timeout") }))
	}, "command-form", report.Doubt, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"hooks in the background", func(w *world) {
		w.changed(only("Stop", func(_, h map[string]any) { h["async"] = true }))
	}, "command-form", report.Broken, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"a condition on a hook", func(w *world) {
		w.changed(only("PreToolUse", func(_, h map[string]any) { h["if"] = "Bash(git *)" }))
	}, "command-form", report.Broken, "differs from what this version writes",
		"`hooks install --scope user`", ""},
	{"a binary that is gone", func(w *world) {
		w.register("home/.claude/settings.json",
			"/none/hooks")
	},
		"hook-binary", report.Broken, "cannot start /none/hooks", "hooks install", ""},
	{"a bare name that is not on PATH", func(w *world) {
		w.must(os.Remove(w.path("bin/hooks")))
		w.register("home/.claude/settings.json", "hooks")
	}, "hook-binary", report.Broken, `"hooks": executable file not found in $PATH`,
		"or run `hooks install", ""},
	{"a missing exec bit", func(w *world) {
		text, err := os.ReadFile(built)
		w.must(err)
		w.write("other/hooks", string(text))
		w.register("home/.claude/settings.json", w.path("other/hooks"))
	}, "hook-binary", report.Broken, "is not executable", "chmod +x", "executable"},
	{"another version", func(w *world) {
		w.register("home/.claude/settings.json",
			w.tool("hooks", "echo hooks v0.0.1 linux/amd64 go1.1"))
	}, "hook-binary", report.Broken, `is "hooks v0.0.1 linux/amd64 go1.1", but this program is`,
		"update the registered program", ""},
	{"a binary of another machine", func(w *world) {
		w.write("bin/hooks", "\x7fELF nothing")
		w.must(os.Chmod(w.path("bin/hooks"), 0o755))
		w.register("home/.claude/settings.json", w.path("bin/hooks"))
	}, "hook-binary", report.Broken, "does not start", "build it for this machine", ""},
	{"a state directory that cannot be written", func(w *world) {
		w.write("home/.local/state/hooks", "x")
	}, "record", report.Doubt, "will not be detected", "HOOKS_STATE_HOME", ""},
	{"hooks switched off", func(w *world) {
		w.write("p/.claude/settings.local.json",
			`{"disableAllHooks":true}`)
	},
		"switches", report.Broken, ".claude/settings.local.json: disableAllHooks is on",
		"remove it", ""},
	{"managed hooks only", func(w *world) {
		w.write("managed/managed-settings.json",
			`{"allowManagedHooksOnly":true}`)
	},
		"switches", report.Broken, "allowManagedHooksOnly is on", "administrator", ""},
	{"a client that ends a turn at the second block", func(w *world) {
		w.write("p/.claude/settings.local.json", `{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"1"}}`)
	}, "switches", report.Broken,
		"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=1: the client ends turns that still lack", "unset it", ""},
	{"a client without hooks", func(w *world) { w.env["CLAUDE_CODE_SIMPLE"] = "1" },
		"switches", report.Broken, "CLAUDE_CODE_SIMPLE=1: the client runs no hooks", "unset it",
		""},

	{"an old client", func(w *world) { w.tool("claude", `echo "2.1.138 (Claude Code)"`) },
		"client-version", report.Broken, "the client is older than 2.1.239, so a gate may",
		"update the client", ""},
	{"no client", func(*world) {}, "client-version", report.Doubt,
		"claude is not on PATH, so its version is unknown", "install the client", ""},
	{"a client that does not answer", func(w *world) { w.tool("claude", "exit 3") },
		"client-version", report.Doubt, "did not report its version", "claude --version", ""},

	{"a session in which no Stop came", func(w *world) {
		w.run(func(b *loop.Budget) {
			b.Seq, b.IterationsUsed = 2, 2
			b.Receipts = []loop.Receipt{{SessionID: "s1", Last: began,
				Events: []string{"pre-tool-use"}}}
		})
	}, "receipts", report.Broken, "no Stop event reached", "follow the hints", ""},
	{"a session in which nothing was guarded", func(w *world) {
		w.run(func(b *loop.Budget) {
			b.Receipts = []loop.Receipt{{SessionID: "s1", Last: began,
				Events: []string{"post-tool-use", "stop"}}}
		})
	}, "receipts", report.Broken, "no tool call was checked", "follow the hints", ""},

	{"a live session in which no hook fires", func(w *world) {
		w.live = true
		w.tool("claude", `echo '{"is_error":false,"total_cost_usd":0.01}'`)
	}, "live", report.Broken, "no hook of this program fired in a real session", "hook-binary", ""},
	{"a live session that does not reach the model", func(w *world) {
		w.live = true
		w.tool("claude", `echo '{"is_error":true,"result":"Please run /login"}'; exit 1`)
	}, "live", report.Broken, "the session did not end normally: Please run /login", "by hand", ""},
	{"a live session without a Stop", func(w *world) {
		w.live = true
		w.tool("claude", `echo "2026 session-start 1ms program=/x" >>"$HOOKS_LOG"
			echo '{"is_error":false}'`)
	}, "live", report.Broken, "but its Stop event never reached", "hooks-registered", ""},
	{"a live session without a client", func(w *world) { w.live = true },
		"live", report.Broken, `"claude": executable file not found`, "on PATH", ""},
	{"a program that does nothing", func(w *world) {
		w.register("home/.claude/settings.json",
			w.tool("hooks", "exit 0"))
	},
		"self-test", report.Broken, "unexpected reply to the start of a tick", "hook-binary", ""},
	{"a program that talks without a loop",
		func(w *world) { w.register("home/.claude/settings.json", w.tool("hooks", "echo hello")) },
		"self-test", report.Broken, `printed "hello"`, "hook-binary", ""},
	{"a program that fails", func(w *world) {
		w.register("home/.claude/settings.json", w.tool("hooks", "echo no such thing >&2; exit 2"))
	}, "self-test", report.Broken, "exit status 2: no such thing", "hook-binary", ""},

	{"a budget that is no JSON", func(w *world) {
		w.state()
		w.write("p/.sdd/loop/work.budget.json",
			`{"version":1,`)
	},
		"state-files", report.Broken, ".sdd/loop/work.budget.json is damaged: it is not valid JSON",
		"hooks loop reset", ""},
	{"a budget without a field",
		func(w *world) { w.state(); w.write("p/.sdd/loop/review.budget.json", `{"version":1}`) },
		"state-files", report.Broken, "missing required field", "hooks loop reset", ""},
	{"a file of a later version", func(w *world) {
		w.state()
		w.write("p/.sdd/loop/work.tick.json",
			`{"version":9}`)
	},
		"state-files", report.Broken, "format version 9", "upgrade hooks", ""},
	{"a state folder that is a file", func(w *world) { w.write("p/.sdd/loop", "x") },
		"state-files", report.Broken, "open .sdd/loop", "must be a folder", ""},
	{"a damaged lock", func(w *world) { w.state(); w.write("p/.sdd/loop/work.lock", "7") },
		"state-files", report.Broken, ".sdd/loop/work.lock is damaged", "hooks loop reset", ""},

	{"a remote whose default branch was never fetched", func(w *world) {
		w.git("commit", "-q", "--allow-empty", "-m", "x")
		w.git("remote", "add", "origin", ".")
		w.git("update-ref", "refs/remotes/origin/main", "HEAD")
	}, "repository", report.Doubt, "the remote's default branch is unknown",
		"git remote set-head", ""},
	{"the worktree of a complete audit loop", func(w *world) {
		w.git("commit", "-q", "--allow-empty", "-m", "x")
		w.git("worktree", "add", "-q", w.path("w"), "-b", "audit")
		w.audited("w", `"status":"halted","stop_cause":"audit_complete"`)
	}, "audit-worktrees", report.Doubt, "the audit of plan.md is complete, and its work is pushed",
		"git worktree remove", ""},
	{"a price that is none", func(w *world) {
		w.write("p/CLAUDE.md",
			"## SDD Configuration\n\n### Loop Cost Rates\n\n| Model | Input | Output |\n|---|"+
				"---|---|\n| claude-x | cheap | 5 |\n")
	}, "configuration", report.Doubt, "CLAUDE.md:7:", "docs/configuration.md", ""},
	{"settings that git ignores", func(w *world) {
		w.write("p/.sdd/config.md", "## SDD Configuration\n- **Overrun**: 20\n")
	}, "configuration", report.Doubt, "git ignores .sdd/config.md", "`git add -f .sdd/config.md`",
		""},
	{"settings without their heading", func(w *world) {
		w.write("p/.sdd/config.md", "- **Overrun**: 20\n")
	}, "configuration", report.Doubt, ".sdd/config.md: has no heading", "docs/configuration.md",
		""},
	{"a command of a project", func(w *world) {
		w.write("p/.sdd/config.md", "## SDD Configuration\n- **Notify**: say done\n")
	}, "configuration", report.Doubt, `.sdd/config.md:2: the Notify command "say done" in a ` +
		`project file is not run`, "docs/configuration.md", ""},
	{"a setting that no one reads", func(w *world) {
		w.write("p/CLAUDE.md", "## SDD Configuration\n\n### Tracker\n\n- Repoo: app\n")
	}, "configuration", report.Doubt,
		`CLAUDE.md:5: unknown setting "Repoo", ignored; did you mean Repo?`,
		"docs/configuration.md", ""},
	{"no skill to govern", func(w *world) {
		w.must(os.RemoveAll(w.path("home/.claude/skills")))
	}, "governed-skills", report.Doubt, "no installed skill can be governed",
		"hooks init --plugin", ""},
	{"a tracker in the person's own CLAUDE.md", func(w *world) {
		w.write("home/.claude/CLAUDE.md",
			"## SDD Configuration\n\n### Tracker\n\n- **Type**: gitlab\n")
	}, "configuration", report.Doubt,
		"your own CLAUDE.md:5: Type has no effect outside a project's files",
		"move it to a project's .sdd/config.md", ""},
	{"hooks not on PATH", func(w *world) { w.must(os.Remove(w.path("bin/hooks"))) },
		"path", report.Doubt, "hooks is not on PATH", "add ", ""},
	{"another hooks first on PATH", func(w *world) {
		w.must(os.Remove(w.path("bin/hooks")))
		w.tool("hooks", "echo other")
	}, "path", report.Doubt, " instead of ", "before ", ""},
	{"a plugin whose source folder lacks what its cached copy has", func(w *world) {
		w.write("home/.claude/settings.json", "{}")
		w.plugin(`{"sdd@acme":true}`)
		w.write("src/.claude-plugin/marketplace.json", `{"plugins":[{"name":"sdd","source":"./"}]}`)
		w.write("src/.claude-plugin/plugin.json", `{"name":"sdd","hooks":"./hooks.json"}`)
		w.write("src/hooks.json", plugin.Hooks)
		const known = "home/.claude/plugins/known_marketplaces.json"
		w.json(known, map[string]any{"acme": map[string]any{
			"source":          map[string]any{"source": "directory", "path": w.path("src")},
			"installLocation": w.path("src"),
		}})
	}, "hook-binary", report.Broken, "/src/bin/hooks: no such file", "the plugin links", ""},

	{"no forge client", func(w *world) {
		w.git("remote", "add", "origin",
			"https://github.com/o/r.git")
	},
		"forge-client", report.Doubt, "tracker: gh is not installed", "install gh", ""},
	{"a forge client that is not logged in", func(w *world) {
		w.git("remote", "add", "origin", "git@gitlab.com:o/r.git")
		w.tool("glab", "echo '401 Unauthorized' >&2; exit 1")
	}, "forge-client", report.Doubt, "tracker: glab is not logged in (401 Unauthorized)",
		"glab auth status", ""},
	{"a tea without the command api", func(w *world) {
		w.git("remote", "add", "origin", "https://codeberg.org/o/r.git")
		w.tool("tea-cli",
			`case "$1" in api) echo "No help topic for 'api'" >&2; exit 3;; esac; echo `+
				`https://codeberg.org`)
	}, "forge-client", report.Doubt, "tracker: tea-cli is too old", "install tea 0.12 or newer",
		""},
	{"a tea without a login", func(w *world) {
		w.git("remote", "add", "origin", "https://codeberg.org/o/r.git")
		w.tool("tea", `echo "Error: no available login" >&2; exit 1`)
	}, "forge-client", report.Doubt, "tracker: tea is not logged in", "tea login list", ""},
	{"a tracker command that only the repository names", func(w *world) {
		w.write("p/CLAUDE.md",
			"## SDD Configuration\n\n### Tracker\n\n- **Command**: my-tracker list\n")
	}, "forge-client", report.Doubt, "only the repository configures it (my-tracker list)",
		"HOOKS_TRACKER_COMMAND", ""},
	{"a tracker of no known kind", func(w *world) {
		w.write("p/CLAUDE.md", "## SDD Configuration\n\n### Tracker\n\n- **Type**: jira\n")
	}, "forge-client", report.Doubt, "no tracker is known: CLAUDE.md sets Type to jira",
		"CLAUDE.md", ""},
	{"a tracker command that is not there", func(w *world) {
		w.env["HOOKS_TRACKER_COMMAND"] = "my-tracker list"
		w.write("p/CLAUDE.md",
			"## SDD Configuration\n\n### Tracker\n\n- **Command**: my-tracker list\n")
	}, "forge-client", report.Broken, "tracker: my-tracker is not installed", "full path", ""},
}

// plugin installs the program as a plugin, as the client's registry has it, switched on or not by
// the settings.
func (w *world) plugin(enabled string) {
	w.Helper()
	w.write("plug/.claude-plugin/plugin.json", `{"name":"sdd","hooks":"./hooks.json"}`)
	w.write("plug/hooks.json", plugin.Hooks)
	w.must(os.MkdirAll(w.path("plug/bin"), 0o755))
	w.must(os.Symlink(built, w.path("plug/bin/hooks")))
	w.write("home/.claude/plugins/installed_plugins.json",
		fmt.Sprintf(`{"version":2,"plugins":{"sdd@acme":[{"scope":"user","installPath":%q,`+
			`"version":"0.1.0"}]}}`, w.path("plug")))
	w.write("p/.claude/settings.json", `{"enabledPlugins":`+enabled+`}`)
}

func TestEveryBrokenThingIsFoundWithItsWayOut(t *testing.T) {
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			w := healthy(t)
			c.do(w)
			got := w.look(c.check, false)
			if got.Status != c.status {
				t.Fatalf("%s is %s, want %s: %+v", c.check, got.Status, c.status, got)
			}
			found := false
			for _, p := range got.Problems {
				found = found || p.Status == c.status && strings.Contains(p.Text, c.text) &&
					strings.Contains(p.Way, c.way)
			}
			if !found {
				t.Errorf("%s does not say %q with the hint %q:\n%+v", c.check, c.text, c.way,
					got.Problems)
			}
			if c.fixed == "" {
				return
			}
			mended := w.look(c.check, true)
			if mended.Status != report.Fine ||
				!strings.Contains(strings.Join(mended.Fixed, "\n"), c.fixed) {
				t.Errorf("--fix: %+v", mended)
			}
			if again := w.look(c.check, true); again.Status != report.Fine || len(again.Fixed) > 0 {
				t.Errorf("a second --fix: %+v", again)
			}
		})
	}
}
