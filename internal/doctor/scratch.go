package doctor

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/event"
	"hooks/internal/install"
)

// scratch is a temporary project, in which the registered program is sent the client's events.
type scratch struct {
	*machine
	dir     string
	latency map[string]time.Duration // of the last call, by word
}

// scratch creates a scratch project. If that fails, it adds the problem to n and returns nil.
func (m *machine) scratch(n *notes) *scratch {
	dir, err := os.MkdirTemp("", "hooks-doctor-")
	if err != nil {
		n.fail("make room in the system's temporary folder", "%v", err)
		return nil
	}
	return &scratch{machine: m, dir: dir, latency: map[string]time.Duration{}}
}

func (s *scratch) close() { _ = os.RemoveAll(s.dir) }

// hook is the registration of a word.
func (s *scratch) hook(word string) (install.Hook, bool) {
	ours := s.settings().Ours()
	i := slices.IndexFunc(ours, func(h install.Hook) bool { return h.Word == word })
	if i < 0 {
		return install.Hook{}, false
	}
	return ours[i], true
}

// send sends one event through the registered command line. The reply must be one JSON object or
// nothing.
func (s *scratch) send(word string, fields map[string]any) (reply gjson.Result, err error) {
	h, ok := s.hook(word)
	if !ok {
		return reply, fmt.Errorf("%s is not registered", event.NameOf(word))
	}
	path, err := s.located(h)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil { // its line lets everything pass
		return reply, fmt.Errorf("%s: %w", word, err)
	}
	payload := map[string]any{
		"session_id": "doctor", "transcript_path": filepath.Join(s.dir, "doctor.jsonl"),
		"cwd": s.dir, "prompt_id": "prompt-1", "permission_mode": "default",
		"hook_event_name": event.NameOf(word),
	}
	maps.Copy(payload, fields)
	text, err := json.Marshal(payload)
	if err != nil {
		return reply, err
	}
	out, took, err := start(child.Command{
		Dir: s.dir, Env: s.environ(h), Args: h.Argv, In: string(text), Wait: hookTime,
	})
	s.latency[word] = took
	reply = gjson.Parse(out)
	if err != nil {
		return reply, fmt.Errorf("%s: %w", word, err)
	} else if out != "" && (!gjson.Valid(out) || !reply.IsObject()) {
		return reply, fmt.Errorf("%s printed %q, which the client does not take for a decision",
			word, brief(out))
	}
	return reply, nil
}

// environ is the environment that the client gives a hook.
func (s *scratch) environ(h install.Hook) []string {
	return append(without("CLAUDE*", "HOOKS_LOG", "PWD"),
		"HOOKS_STATE_HOME="+filepath.Join(s.dir, ".state"),
		"CLAUDE_PROJECT_DIR="+s.dir, "CLAUDE_PLUGIN_ROOT="+h.File.Root,
		"CLAUDE_CODE_SESSION_ID=doctor", fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()),
		"CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDECODE=1", "PWD="+s.dir)
}

// without is this process's environment without some variables. A "*" at the end of a name is any
// rest.
func without(names ...string) []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		own, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(names, func(name string) bool {
			prefix, open := strings.CutSuffix(name, "*")
			return own == name || open && strings.HasPrefix(own, prefix)
		})
	})
}

// enter begins a tick, in whichever of the two ways is registered.
func (s *scratch) enter() (gjson.Result, error) {
	const args = "--loop --max-iterations 3"
	if _, ok := s.hook("user-prompt-expansion"); ok {
		return s.send("user-prompt-expansion", map[string]any{
			"expansion_type": "slash_command", "command_name": "sdd:work", "command_args": args,
			"command_source": "plugin", "prompt": "/sdd:work " + args,
		})
	}
	return s.tool("Skill", map[string]any{"skill": "sdd:work", "args": args})
}

// tool sends a tool call before it runs.
func (s *scratch) tool(name string, input map[string]any) (gjson.Result, error) {
	return s.send("pre-tool-use", map[string]any{
		"tool_name": name, "tool_use_id": "toolu_doctor", "tool_input": input,
	})
}

func denies(r gjson.Result) bool {
	return r.Get("hookSpecificOutput.permissionDecision").String() == "deny"
}

// wrote reports whether all of some files are in the scratch project's state.
func (s *scratch) wrote(names ...string) bool {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(s.dir, ".sdd", "loop", name)); err != nil {
			return false
		}
	}
	return true
}
