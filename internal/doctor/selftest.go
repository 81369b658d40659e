package doctor

import (
	"encoding/json"
	"errors"
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

// scratch is a temporary project in which the registered program receives the client's events.
type scratch struct {
	*machine
	dir     string
	latency map[string]time.Duration // of the last call, by word
}

// selfTest plays one tick of a loop through the registered command lines, and checks every reply.
func selfTest(m *machine, n *notes) {
	dir, err := os.MkdirTemp("", "hooks-doctor-")
	if err != nil {
		n.fail("make room in the system's temporary folder", "%v", err)
		return
	}
	defer os.RemoveAll(dir)
	s := &scratch{machine: m, dir: dir, latency: map[string]time.Duration{}}
	if err := s.play(); err != nil {
		n.fail("see hook-binary; install the program again: `hooks install`", "%v", err)
	}
	var times []string
	for _, w := range event.Words {
		if took, ok := s.latency[w.Word]; ok {
			ms := float64(took.Microseconds()) / 1000
			times = append(times, fmt.Sprintf("%s %.1f ms", w.Word, ms))
		}
	}
	n.note("%s", join(times))
}

// step is an event of the self-test and the text that a field of its reply must contain. If field
// is empty, there must be no reply.
type step struct {
	what, word  string
	payload     map[string]any
	field, want string
}

// tick returns one tick of a loop: a merge that must be refused, a harmless call that must pass, a
// turn that ends without facts, and the end of the iteration.
func (s *scratch) tick() []step {
	const args = "--loop --max-iterations 3"
	enter := step{"a tick that begins", "user-prompt-expansion", map[string]any{
		"expansion_type": "slash_command", "command_name": "sdd:work", "command_args": args,
		"command_source": "plugin", "prompt": "/sdd:work " + args,
	}, "hookSpecificOutput.additionalContext", "Loop Iteration 1/3"}
	if _, ok := s.hook(enter.word); !ok { // enter by the Skill tool instead
		enter.word = "pre-tool-use"
		enter.payload = call("Skill", map[string]any{"skill": "sdd:work", "args": args})
	}
	bash := func(command string) map[string]any {
		return call("Bash", map[string]any{"command": command})
	}
	stop := func(again bool) map[string]any {
		return map[string]any{
			"stop_hook_active": again, "last_assistant_message": "",
			"background_tasks": []any{}, "session_crons": []any{},
		}
	}
	return []step{
		enter,
		{"a merge in a loop", "pre-tool-use", bash("gh pr merge 1 --squash"),
			"hookSpecificOutput.permissionDecision", "deny"},
		{"git status in a loop", "pre-tool-use", bash("git status"), "", ""},
		{"the end of a turn without facts", "stop", stop(false), "decision", "block"},
		{"the end of an iteration", "stop", stop(true), "systemMessage", "Loop Iteration 1/3"},
	}
}

func call(tool string, input map[string]any) map[string]any {
	return map[string]any{"tool_name": tool, "tool_use_id": "toolu_doctor", "tool_input": input}
}

// play sends every event without a loop, and then the events of a tick. It returns an error for the
// first wrong reply.
func (s *scratch) play() error {
	for _, w := range event.Words {
		payload := call("Bash", map[string]any{"command": "gh pr merge 1"})
		maps.Copy(payload, map[string]any{
			"tool_response": map[string]any{"stdout": ""}, "error": "none", "prompt": "hello",
			"command_name": "help", "command_args": "", "expansion_type": "slash_command",
			"agent_id": "", "agent_type": "", "source": "startup", "reason": "other",
			"stop_hook_active": false,
		})
		silent := step{w.Word + " without a loop", w.Word, payload, "", ""}
		if err := s.take(silent); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".sdd")); err == nil {
		return errors.New("something was written although no loop is active")
	}
	for _, t := range s.tick() {
		if err := s.take(t); err != nil {
			return err
		}
	}
	return nil
}

// take sends a step's event and checks the reply. It skips a word that is not registered, because
// hooks-registered reports it.
func (s *scratch) take(t step) error {
	h, ok := s.hook(t.word)
	if !ok {
		return nil
	}
	r, err := s.send(h, t.payload)
	switch {
	case err != nil:
		return err
	case t.field == "" && r.Exists(), !strings.Contains(r.Get(t.field).String(), t.want):
		return fmt.Errorf("%s is answered %q", t.what, brief(r.Raw))
	}
	return nil
}

// hook returns the first registration of a word.
func (s *scratch) hook(word string) (install.Hook, bool) {
	for _, h := range s.settings().Ours() {
		if h.Word == word {
			return h, true
		}
	}
	return install.Hook{}, false
}

// send sends one event through the registered command line. The reply must be one JSON object or
// nothing.
func (s *scratch) send(h install.Hook, fields map[string]any) (reply gjson.Result, err error) {
	if _, err := s.located(h); err != nil { // its command line would let everything pass
		return reply, fmt.Errorf("%s: %w", h.Word, err)
	}
	payload := map[string]any{
		"session_id": "doctor", "transcript_path": filepath.Join(s.dir, "doctor.jsonl"),
		"cwd": s.dir, "prompt_id": "prompt-1", "permission_mode": "default",
		"hook_event_name": event.NameOf(h.Word),
	}
	maps.Copy(payload, fields)
	text, err := json.Marshal(payload)
	if err != nil {
		return reply, err
	}
	began := time.Now()
	out, err := start(child.Command{
		Dir: s.dir, Env: s.environ(h), Args: h.Argv, In: string(text), Wait: hookTime,
	})
	s.latency[h.Word] = time.Since(began)
	reply = gjson.Parse(out)
	if err != nil {
		return reply, fmt.Errorf("%s: %w", h.Word, err)
	} else if out != "" && (!gjson.Valid(out) || !reply.IsObject()) {
		return reply, fmt.Errorf("%s printed %q, which the client does not take for a decision",
			h.Word, brief(out))
	}
	return reply, nil
}

// environ returns the environment that the client gives a hook.
func (s *scratch) environ(h install.Hook) []string {
	return append(without("CLAUDE*", "HOOKS_LOG", "PWD"),
		"HOOKS_STATE_HOME="+filepath.Join(s.dir, ".state"),
		"CLAUDE_PROJECT_DIR="+s.dir, "CLAUDE_PLUGIN_ROOT="+h.File.Root,
		"CLAUDE_CODE_SESSION_ID=doctor", fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()),
		"CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDECODE=1", "PWD="+s.dir)
}

// without returns this process's environment without the named variables. A "*" at the end of a
// name matches any rest.
func without(names ...string) []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		own, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(names, func(name string) bool {
			prefix, open := strings.CutSuffix(name, "*")
			return own == name || open && strings.HasPrefix(own, prefix)
		})
	})
}

// brief returns the beginning of a text's first line.
func brief(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Sprintf("%.100s", line)
}
