//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// spied is one event as the client sent it.
type spied struct {
	Event  string `json:"hook_event_name"`
	Agent  string `json:"agent_id"`
	Type   string `json:"agent_type"`
	Prompt string `json:"prompt_id"`
	Tool   string `json:"tool_name"`
	Raw    string `json:"-"`
}

// spy adds a plugin that notes every event.
func (w *World) spy() {
	w.t.Helper()
	dir := filepath.Join(filepath.Dir(w.Bin), "plugins", "spy")
	w.write(filepath.Join(dir, ".claude-plugin", "plugin.json"),
		`{"name":"spy","version":"1.0.0","description":"notes events"}`, 0o644)
	var list []string
	for _, e := range []string{"UserPromptExpansion", "UserPromptSubmit", "PreToolUse",
		"PostToolUse", "PostToolUseFailure", "SubagentStart", "SubagentStop", "Stop",
		"StopFailure", "SessionStart", "SessionEnd"} {
		list = append(list, fmt.Sprintf(`%q:[{"hooks":[{"type":"command",`+
			`"command":"cat >>'%s'; echo >>'%[2]s'"}]}]`, e, w.spyLog()))
	}
	w.write(filepath.Join(dir, "hooks", "hooks.json"), `{"hooks":{`+strings.Join(list, ",")+`}}`,
		0o644)
	w.Plugins = append(w.Plugins, dir)
}

func (w *World) spyLog() string { return w.Bin + ".events.log" }

// spied are the events so far.
func (w *World) spied() (list []spied) {
	w.t.Helper()
	for line := range strings.Lines(w.read(w.spyLog())) {
		var e spied
		if json.Unmarshal([]byte(line), &e) == nil {
			e.Raw = line
			list = append(list, e)
		}
	}
	return list
}
