package doctor

import (
	"cmp"
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

// scratch is a temporary project, in which the registered program is sent the client's events.
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

// play returns the first thing that is wrong in a tick.
func (s *scratch) play() error {
	if err := s.silent(); err != nil {
		return err
	}
	r, err := s.enter()
	context := r.Get("hookSpecificOutput.additionalContext").String()
	switch {
	case err != nil:
		return err
	case !strings.Contains(context, "Loop Iteration 1/3"):
		return wrong("a tick that begins", r)
	case !s.wrote("work.budget.json", "work.tick.json", "work.lock"):
		return errors.New("a tick that began left no budget, tick and lock")
	}
	if err := s.guards(); err != nil {
		return err
	}
	r, err = s.stop(false)
	if err != nil || r.Get("decision").String() != "block" {
		return cmp.Or(err, wrong("the end of a turn without facts", r))
	}
	r, err = s.stop(true)
	ended := strings.Contains(r.Get("systemMessage").String(), "Loop Iteration 1/3")
	switch {
	case err != nil:
		return err
	case !ended || r.Get("decision").Exists():
		return wrong("the end of an iteration", r)
	case s.wrote("work.tick.json") || s.wrote("work.lock") || !s.wrote("work.history.jsonl"):
		return errors.New("the end of an iteration left its tick or lock, or no history")
	}
	return nil
}

// silent checks that without a loop no event prints or writes anything.
func (s *scratch) silent() error {
	for _, w := range event.Words {
		if _, ok := s.hook(w.Word); !ok {
			continue
		}
		r, err := s.send(w.Word, map[string]any{
			"tool_name": "Bash", "tool_use_id": "toolu_doctor",
			"tool_input":    map[string]any{"command": "gh pr merge 1"},
			"tool_response": map[string]any{"stdout": ""}, "error": "none", "prompt": "hello",
			"command_name": "help", "command_args": "", "expansion_type": "slash_command",
			"agent_id": "", "agent_type": "", "source": "startup", "reason": "other",
			"stop_hook_active": false,
		})
		if err != nil || r.Exists() {
			return cmp.Or(err, wrong(w.Word+" without a loop", r))
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".sdd")); err == nil {
		return errors.New("something was written although no loop is active")
	}
	return nil
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

// guards checks that a merge is refused and a harmless call is not.
func (s *scratch) guards() error {
	if _, ok := s.hook("pre-tool-use"); !ok {
		return nil // hooks-registered reports it
	}
	for command, want := range map[string]string{
		"gh pr merge 1 --squash": "deny", "git status": "",
	} {
		r, err := s.tool("Bash", map[string]any{"command": command})
		if err != nil || r.Get("hookSpecificOutput.permissionDecision").String() != want {
			return cmp.Or(err, wrong(command+" in a loop", r))
		}
	}
	return nil
}

// tool sends a tool call before it runs.
func (s *scratch) tool(name string, input map[string]any) (gjson.Result, error) {
	return s.send("pre-tool-use", map[string]any{
		"tool_name": name, "tool_use_id": "toolu_doctor", "tool_input": input,
	})
}

func (s *scratch) stop(again bool) (gjson.Result, error) {
	return s.send("stop", map[string]any{
		"stop_hook_active": again, "last_assistant_message": "",
		"background_tasks": []any{}, "session_crons": []any{},
	})
}

// hook is the registration of a word.
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
func (s *scratch) send(word string, fields map[string]any) (reply gjson.Result, err error) {
	h, ok := s.hook(word)
	if !ok {
		return reply, fmt.Errorf("%s is not registered", event.NameOf(word))
	}
	if _, err := s.located(h); err != nil { // its line lets everything pass
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
	began := time.Now()
	out, err := start(child.Command{
		Dir: s.dir, Env: s.environ(h), Args: h.Argv, In: string(text), Wait: hookTime,
	})
	s.latency[word] = time.Since(began)
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

// wrote reports whether all of some files are in the scratch project's state.
func (s *scratch) wrote(names ...string) bool {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(s.dir, ".sdd", "loop", name)); err != nil {
			return false
		}
	}
	return true
}

func wrong(what string, r gjson.Result) error {
	return fmt.Errorf("%s is answered %q", what, brief(r.Raw))
}

// brief is the beginning of a text's first line.
func brief(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Sprintf("%.100s", line)
}
