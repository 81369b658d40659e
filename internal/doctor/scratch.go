package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/event"
)

// scratch is a project of its own in a temporary folder, in which the registered program is played the client's events.
type scratch struct {
	*machine
	dir     string
	prompt  string
	latency map[string]time.Duration // of the last call, by word
}

func (m *machine) scratch() (*scratch, error) {
	dir, err := os.MkdirTemp("", "hooks-doctor-")
	if err != nil {
		return nil, fmt.Errorf("make scratch project: %w", err)
	}
	return &scratch{machine: m, dir: dir, prompt: "prompt-1", latency: map[string]time.Duration{}}, nil
}

func (s *scratch) close() { _ = os.RemoveAll(s.dir) }

// registered says that a word's handler is there.
func (s *scratch) registered(word string) bool {
	_, ok := s.hooks().of(word)
	return ok
}

// send plays one event through the registered command line and returns the reply, which must be one JSON object or
// nothing.
func (s *scratch) send(word string, fields map[string]any) (gjson.Result, error) {
	h, ok := s.hooks().of(word)
	if !ok {
		return gjson.Result{}, fmt.Errorf("%s is not registered", event.NameOf(word))
	}
	payload := map[string]any{
		"session_id": "doctor", "transcript_path": filepath.Join(s.dir, "doctor.jsonl"), "cwd": s.dir, "prompt_id": s.prompt,
		"permission_mode": "default", "hook_event_name": event.NameOf(word),
	}
	for k, v := range fields {
		payload[k] = v
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return gjson.Result{}, err
	}
	out, took, err := feed(child.Command{Dir: s.dir, Env: s.environ(h), Args: s.argv(h), In: string(text), Wait: hookTime})
	s.latency[word] = took
	switch {
	case err != nil:
		return gjson.Result{}, fmt.Errorf("%s: %w", word, err)
	case out == "":
		return gjson.Result{}, nil
	case !gjson.Valid(out) || !gjson.Parse(out).IsObject():
		return gjson.Result{}, fmt.Errorf("%s printed %q, which the client does not take for a decision", word, out[:min(len(out), 80)])
	}
	return gjson.Parse(out), nil
}

// environ is what the client gives a hook.
func (s *scratch) environ(h handler) []string {
	var env []string
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "CLAUDE") && name != "HOOKS_LOG" && name != "PWD" {
			env = append(env, kv)
		}
	}
	return append(env, "HOOKS_STATE_HOME="+filepath.Join(s.dir, ".state"),
		"CLAUDE_PROJECT_DIR="+s.dir, "CLAUDE_PLUGIN_ROOT="+h.from.root,
		"CLAUDE_CODE_SESSION_ID=doctor",
		fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()), "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDECODE=1", "PWD="+s.dir)
}

const scratchArgs = "--loop --max-iterations 3"

// enter begins a tick, by whichever of the two ways is registered.
func (s *scratch) enter() (gjson.Result, error) {
	if s.registered("user-prompt-expansion") {
		return s.send("user-prompt-expansion", map[string]any{
			"expansion_type": "slash_command", "command_name": "sdd:work", "command_args": scratchArgs, "command_source": "plugin",
			"prompt": "/sdd:work " + scratchArgs,
		})
	}
	return s.tool("Skill", map[string]any{"skill": "sdd:work", "args": scratchArgs})
}

// tool plays a tool call before it runs.
func (s *scratch) tool(name string, input map[string]any) (gjson.Result, error) {
	return s.send("pre-tool-use", map[string]any{"tool_name": name, "tool_use_id": "toolu_doctor", "tool_input": input})
}

func denies(r gjson.Result) bool {
	return r.Get("hookSpecificOutput.permissionDecision").String() == "deny"
}

// under says whether a file is in the scratch project's state.
func (s *scratch) under(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, ".sdd", "loop", name))
	return err == nil
}
