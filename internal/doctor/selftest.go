package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
)

// slow is when a hook call is felt: every tool call waits for one.
const slow = 2 * time.Second

// selfTest plays one tick of a loop through the registered command lines and looks at every reply.
func selfTest(m *machine, n *notes) {
	if len(m.hooks().ours()) == 0 {
		n.skip("the program is registered nowhere")
		return
	}
	s, err := m.scratch()
	if err != nil {
		n.fail("make room in the system's temporary folder", "%v", err)
		return
	}
	defer s.close()
	for _, step := range []func(*scratch) error{silent, entry, passes, holds, owes, closes} {
		if err := step(s); err != nil {
			n.fail("see what hook-binary says; build or install the program anew", "%v", err)
			break
		}
	}
	var times []string
	for _, w := range event.Words {
		took, ok := s.latency[w.Word]
		if !ok {
			continue
		}
		times = append(times, fmt.Sprintf("%s %.1f ms", w.Word, float64(took.Microseconds())/1000))
		if took > slow {
			n.warn("see what this machine is busy with, and whether the binary lies on a slow disk", "%s took %v", w.Word, took.Round(time.Millisecond))
		}
	}
	n.say("%s", join(times))
}

// silent: without a loop no event prints or writes anything.
func silent(s *scratch) error {
	for _, w := range event.Words {
		if !s.registered(w.Word) {
			continue
		}
		r, err := s.send(w.Word, map[string]any{
			"tool_name": "Bash", "tool_use_id": "toolu_doctor", "tool_input": map[string]any{"command": "gh pr merge 1"}, "tool_response": map[string]any{"stdout": ""},
			"error": "none", "prompt": "hello", "command_name": "help", "command_args": "", "expansion_type": "slash_command",
			"agent_id": "", "agent_type": "", "source": "startup", "reason": "other", "stop_hook_active": false,
		})
		if err != nil {
			return err
		}
		if r.Exists() {
			return fmt.Errorf("%s answers although no loop is active: %s", w.Word, brief(r.Raw))
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".sdd")); err == nil {
		return fmt.Errorf("something was written although no loop is active")
	}
	return nil
}

// entry: a tick begins, the model is told, and the state is on disk.
func entry(s *scratch) error {
	if !s.registered("user-prompt-expansion") && !s.registered("pre-tool-use") {
		return fmt.Errorf("neither way into a loop is registered")
	}
	r, err := s.enter()
	if err != nil {
		return err
	}
	if told := r.Get("hookSpecificOutput.additionalContext").String(); !strings.Contains(told, "Loop Iteration 1/3") {
		return fmt.Errorf("a tick that begins is told %q", brief(r.Raw))
	}
	if !s.under("work.budget.json") || !s.under("work.tick.json") || !s.under("work.lock") {
		return fmt.Errorf("a tick that began left no budget, tick and lock")
	}
	return nil
}

// passes: a harmless call meets no opinion.
func passes(s *scratch) error {
	if !s.registered("pre-tool-use") {
		return nil
	}
	r, err := s.tool("Read", map[string]any{"file_path": filepath.Join(s.dir, "README.md")})
	if err == nil && r.Exists() {
		err = fmt.Errorf("reading a file is answered: %s", brief(r.Raw))
	}
	return err
}

// holds: a merge is held back.
func holds(s *scratch) error {
	if !s.registered("pre-tool-use") {
		return nil
	}
	r, err := s.tool("Bash", map[string]any{"command": "gh pr merge 1"})
	if err == nil && !denies(r) {
		err = fmt.Errorf("a merge is not held back: %s", brief(r.Raw))
	}
	return err
}

// owes: a Stop without facts is held open once.
func owes(s *scratch) error {
	r, err := s.ends(false)
	if err == nil && r.Get("decision").String() != "block" {
		err = fmt.Errorf("a turn without facts is let go at once: %s", brief(r.Raw))
	}
	return err
}

// closes: the next Stop ends the iteration and says so.
func closes(s *scratch) error {
	r, err := s.ends(true)
	if err != nil {
		return err
	}
	if !strings.Contains(r.Get("systemMessage").String(), "Loop Iteration 1/3") || r.Get("decision").Exists() {
		return fmt.Errorf("the end of an iteration is answered: %s", brief(r.Raw))
	}
	if s.under("work.tick.json") || s.under("work.lock") || !s.under("work.history.jsonl") {
		return fmt.Errorf("the end of an iteration left its tick or lock, or no history")
	}
	return nil
}

func (s *scratch) ends(again bool) (gjson.Result, error) {
	return s.send("stop", map[string]any{
		"stop_hook_active": again, "last_assistant_message": "", "background_tasks": []any{}, "session_crons": []any{},
	})
}
