package doctor

import (
	"cmp"
	"errors"
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

// selfTest plays one tick of a loop through the registered command lines, and checks every reply.
func selfTest(m *machine, n *notes) {
	s := m.scratch(n)
	if s == nil {
		return
	}
	defer s.close()
	if err := s.play(); err != nil {
		n.fail("see hook-binary; install the program again: `hooks install`", "%v", err)
	}
	var times []string
	for _, w := range event.Words {
		took, ok := s.latency[w.Word]
		if !ok {
			continue
		}
		times = append(times, fmt.Sprintf("%s %.1f ms", w.Word, float64(took.Microseconds())/1000))
		if took > slow {
			n.warn("see what this machine is busy with, and whether the binary lies on a slow disk",
				"%s took %v", w.Word, took.Round(time.Millisecond))
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

// guards checks that a merge is refused and a harmless call is not.
func (s *scratch) guards() error {
	if _, ok := s.hook("pre-tool-use"); !ok {
		return nil // hooks-registered reports it
	}
	calls := map[string]bool{"gh pr merge 1 --squash": true, "git status": false}
	for command, want := range calls {
		r, err := s.tool("Bash", map[string]any{"command": command})
		if err != nil || denies(r) != want {
			return cmp.Or(err, wrong(command+" in a loop", r))
		}
	}
	return nil
}

func wrong(what string, r gjson.Result) error {
	return fmt.Errorf("%s is answered %q", what, brief(r.Raw))
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

func (s *scratch) stop(again bool) (gjson.Result, error) {
	return s.send("stop", map[string]any{
		"stop_hook_active": again, "last_assistant_message": "",
		"background_tasks": []any{}, "session_crons": []any{},
	})
}
