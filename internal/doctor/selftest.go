package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/install"
	"hooks/internal/play"
)

// scratch is a temporary project where the registered program receives the client's events.
type scratch struct {
	*machine
	play.Session
}

// selfTest sends the events of one tick to the registered command lines and checks every reply.
func selfTest(m *machine, n *notes) {
	for _, h := range m.settings().Ours {
		if _, err := m.located(h); err != nil { // its command line would let every call pass
			n.skip("not run; see the check hook-binary")
			return
		}
	}
	dir, err := os.MkdirTemp("", "hooks-doctor-")
	if err != nil {
		n.fail("make room in the system's temporary folder", "%v", err)
		return
	}
	defer os.RemoveAll(dir)
	s := &scratch{m, play.Session{ID: "doctor", Prompt: "prompt-1", Project: dir,
		Transcript: filepath.Join(dir, "doctor.jsonl")}}
	if err := s.play(); err != nil {
		n.fail("see the check hook-binary, or run `hooks install` again", "%v", err)
	}
}

// step is an event in the self-test and the text that a field in its reply must contain. If field
// is empty, the reply must be empty.
type step struct {
	what, word  string
	event       []any // fields for play.Object
	field, want string
}

// tick returns the events of one tick started by the Skill tool: a merge that must be refused, a
// harmless call that must pass, a turn that ends without facts, and the iteration's end.
func tick() []step {
	stop := func(again bool) []any {
		return []any{"stop_hook_active", again, "last_assistant_message", "",
			"background_tasks", "[]", "session_crons", "[]"}
	}
	return []step{
		{"the start of a tick", "pre-tool-use", []any{"tool_name", "Skill", "tool_use_id",
			"toolu_doctor", "tool_input.skill", "sdd:work", "tool_input.args",
			"--loop --max-iterations 3"},
			"hookSpecificOutput.additionalContext", "Loop Iteration 1/3"},
		{"a merge in a loop", "pre-tool-use", bash("gh pr merge 1 --squash"),
			"hookSpecificOutput.permissionDecision", "deny"},
		{"git status in a loop", "pre-tool-use", bash("git status"), "", ""},
		{"the end of a turn without facts", "stop", stop(false), "decision", "block"},
		{"the end of an iteration", "stop", stop(true), "systemMessage", "Loop Iteration 1/3"},
	}
}

func bash(command string) []any {
	return []any{"tool_name", "Bash", "tool_use_id", "toolu_doctor", "tool_input.command", command}
}

// play sends every event outside a loop, then the events of a tick. It returns an error for the
// first wrong reply.
func (s *scratch) play() error {
	for _, w := range event.Words {
		fields := append(bash("gh pr merge 1"), "tool_response.stdout", "", "error", "none",
			"prompt", "hello", "command_name", "help", "command_args", "",
			"expansion_type", "slash_command", "agent_id", "", "agent_type", "",
			"source", "startup", "reason", "other", "stop_hook_active", false)
		if err := s.take(step{w.Word + " without a loop", w.Word, fields, "", ""}); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(s.Project, ".sdd")); err == nil {
		return errors.New("the program created .sdd although no loop is active")
	}
	for _, t := range tick() {
		if err := s.take(t); err != nil {
			return err
		}
	}
	return nil
}

// take sends a step's event to the registered command line and checks the reply. It skips an
// unregistered word, because hooks-registered reports it.
func (s *scratch) take(t step) error {
	i := slices.IndexFunc(s.settings().Ours, func(h install.Hook) bool { return h.Word == t.word })
	if i < 0 {
		return nil
	}
	h := s.settings().Ours[i]
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "CLAUDE") || strings.HasPrefix(kv, "HOOKS_LOG=")
	})
	env = s.Environ(append(env, "CLAUDE_PLUGIN_ROOT="+h.File.Root), strconv.Itoa(os.Getpid()))
	r, err := s.Send(h.Argv, env, s.Event(h.Word, t.event...))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", h.Word, err)
	case t.field == "" && r.Exists(), !strings.Contains(r.Get(t.field).String(), t.want):
		line, _, _ := strings.Cut(r.Raw, "\n")
		return fmt.Errorf("unexpected reply to %s: %.100q", t.what, line)
	}
	return nil
}
