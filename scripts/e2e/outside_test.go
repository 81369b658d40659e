//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// jobServer is an MCP server with a scheduler and a calendar. It notes every call that reaches it.
const jobServer = `import json, sys
tools = [{"name": n, "description": n, "inputSchema": {"type": "object"}}
         for n in ("create_scheduled_task", "create_event")]
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    if m["method"] == "initialize":
        r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}},
             "serverInfo": {"name": "jobs", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": tools}
    elif m["method"] == "tools/call":
        open('%s', "a").write(m["params"]["name"] + "\n")
        r = {"content": [{"type": "text", "text": "done"}]}
    else:
        r = {}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

// offersOutside gives the client ways to start what no loop governs, each noting that it was used:
// a client of its own, two skills by their names, and an MCP server with a scheduler.
func (w *World) offersOutside() (log string, args []string) {
	w.t.Helper()
	log = w.Bin + ".outside.log"
	w.write(log, "", 0o644)
	w.write(filepath.Join(w.Bin, "claude"), fmt.Sprintf("#!/bin/sh\necho \"claude $*\" >>'%s'\n",
		log), 0o755)
	plugin := filepath.Join(filepath.Dir(w.Bin), "plugins", "cloud")
	w.write(filepath.Join(plugin, ".claude-plugin", "plugin.json"),
		`{"name":"cloud","version":"1.0.0","description":"starts sessions elsewhere"}`, 0o644)
	for _, name := range []string{"schedule", "autofix-pr"} {
		w.write(filepath.Join(plugin, "skills", name, "SKILL.md"), fmt.Sprintf(
			"---\nname: %s\ndescription: Starts a session.\n---\n\nOUTSIDE %[1]s\n", name), 0o644)
	}
	w.Plugins = append(w.Plugins, plugin)
	server := filepath.Join(w.Bin, "jobs.py")
	w.write(server, fmt.Sprintf(jobServer, log), 0o644)
	config := filepath.Join(w.Home, "mcp.json")
	w.write(config, fmt.Sprintf(`{"mcpServers":{"jobs":{"command":"python3","args":[%q]}}}`,
		server), 0o644)
	w.write(filepath.Join(w.Home, ".claude", "settings.json"),
		`{"permissions":{"allow":["mcp__jobs"]}}`, 0o644)
	return log, []string{"--mcp-config", config}
}

// In an open iteration the model starts nothing that runs in the cloud, in the background or at a
// time of its own: every try is refused with its reason, by the main thread and by a worker. A
// calendar's entry passes. Typed by a person, the same skill runs (R99, R102).
func TestNothingOfAnIterationRunsOutside(t *testing.T) {
	const task, event = "mcp__jobs__create_scheduled_task", "mcp__jobs__create_event"
	skill := func(name string) Call { return Call{"Skill", map[string]any{"skill": name}} }
	later := Call{task, map[string]any{"prompt": "merge #142", "cronExpression": "0 3 * * *"}}
	tries := []Call{
		bash("claude --bg 'review #142'"), skill("cloud:schedule"), skill("cloud:autofix-pr"),
		load(task, event), later,
		{event, map[string]any{"summary": "Stand-up", "start": "2026-11-24T09:00:00Z",
			"end": "2026-11-24T09:15:00Z", "location": "https://meet.example.com/x"}},
		dispatch("WORKER for issue #143", "haiku", false),
	}
	w := newWorld(t, withWorkers(Worker{Work: func(int) []Call { return tries }},
		func(_ string, begun bool) Turn {
			if begun {
				return Turn{Text: "worked"}
			}
			return Turn{Calls: []Call{bash("claude --bg 'merge #143'")}}
		}))
	log, args := w.offersOutside()
	w.Headless("/sdd:work --loop --max-iterations 1", args...)

	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("create_event\n", string(data)); diff != "" {
		t.Errorf("what ran outside (-want +got):\n%s", diff)
	}
	for _, text := range []string{
		"Not run: claude --bg 'review #142' would start a client that no loop governs",
		"Not run: claude --bg 'merge #143' would start a client that no loop governs",
		"do it in this session, or send a worker with the Agent tool",
		"Skill is refused: it would start a session in the cloud or in the background",
		task + " is refused: it would start scheduled work, outside the control of the loop",
	} {
		if !w.Model.Told(text) {
			t.Errorf("the model was not told: %s", text)
		}
	}
	if w.Model.Told("OUTSIDE") {
		t.Error("a skill was loaded")
	}
	var refused []string
	for _, d := range w.History("work")[0].Denied {
		refused = append(refused, fmt.Sprintf("%s %s %d", d.Rule, d.Tool, d.Times))
	}
	if diff := cmp.Diff([]string{
		"state-guard Bash 1", "schedule Skill 1", "schedule Skill 1", "schedule " + task + " 1",
		"state-guard Bash 1",
	}, refused); diff != "" {
		t.Errorf("the record (-want +got):\n%s", diff)
	}

	// a person may: the loop has ended, and a typed command is no call of the model
	w.Headless("/cloud:schedule")
	if !w.Model.Told("OUTSIDE schedule") {
		t.Error("a person's own command was kept back")
	}
}
