package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hooks/internal/store"
)

// TestARefusalNeedsNoSave: a call that the rules refuse is refused, also where the refusal cannot
// be recorded, because the state is busy or cannot be written.
func TestARefusalNeedsNoSave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := New(func(name string) string {
		return map[string]string{"CLAUDE_PROJECT_DIR": dir}[name]
	})
	a.Wait = 1
	tell := func(word, fields string) Answer {
		return a.Handle(word, strings.NewReader(fmt.Sprintf(
			`{"session_id":"s1","prompt_id":"p1","cwd":%q,"transcript_path":%q,%s}`,
			dir, filepath.Join(dir, "s1.jsonl"), fields)))
	}
	tell("user-prompt-expansion", `"hook_event_name":"UserPromptExpansion",`+
		`"command_name":"sdd:work","command_args":"--loop"`)
	files, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := files.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	said := tell("pre-tool-use", `"hook_event_name":"PreToolUse","tool_name":"Bash",`+
		`"tool_use_id":"t1","tool_input":{"command":"gh $(cat words) 142"}`)
	if err := tx.End(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.Reply.Reason, "This command cannot be read") {
		t.Errorf("while the state is busy: %q", said.Reply.Reason)
	}
	if said.Err == nil {
		t.Error("no one is told that the refusal is not in the record")
	}
}

// TestALoopThatChangesUnderTheCallIsMended: a loop's files are changed between the look at a call
// and the lock. The session's other loop, which has ended its iteration, says nothing of the call.
func TestALoopThatChangesUnderTheCallIsMended(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	a := New(func(name string) string {
		return map[string]string{
			"CLAUDE_PROJECT_DIR": dir, "HOOKS_STATE_HOME": filepath.Join(state, "hooks"),
		}[name]
	})
	a.Wait = 1
	tell := func(prompt, word, fields string) Answer {
		said := a.Handle(word, strings.NewReader(fmt.Sprintf(
			`{"session_id":"s1","prompt_id":%q,"cwd":%q,"transcript_path":%q,%s}`,
			prompt, dir, filepath.Join(dir, "s1.jsonl"), fields)))
		if said.After != nil {
			if err := said.After(); err != nil {
				t.Fatal(err)
			}
		}
		return said
	}
	const enter = `"hook_event_name":"UserPromptExpansion","command_name":"sdd:%s",` +
		`"command_args":"--loop"`
	tell("p1", "user-prompt-expansion", fmt.Sprintf(enter, "work"))
	tell("p1", "stop", `"hook_event_name":"Stop","stop_hook_active":false`)
	tell("p1", "stop", `"hook_event_name":"Stop","stop_hook_active":true`)
	tell("p2", "user-prompt-expansion", fmt.Sprintf(enter, "review"))
	files, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := files.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan Answer, 1)
	go func() {
		done <- tell("p2", "pre-tool-use", `"hook_event_name":"PreToolUse","tool_name":"Bash",`+
			`"tool_use_id":"t1","tool_input":{"command":"gh pr merge 142"}`)
	}()
	time.Sleep(500 * time.Millisecond) // it waits for the state
	path := filepath.Join(dir, store.Dir, "review.tick.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte(`{"x":1,`), text[1:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tx.End(); err != nil {
		t.Fatal(err)
	}
	said := <-done
	if !said.Reply.Blocks() {
		t.Errorf("the merge is not refused: %q, %v", said.Reply.Reason, said.Err)
	}
	if !strings.Contains(said.Reply.Said, "review.tick.json was changed; restored") {
		t.Errorf("the change is not told: %q", said.Reply.Said)
	}
	if now, err := os.ReadFile(path); err != nil || strings.Contains(string(now), `"x":1`) {
		t.Errorf("the change is still there: %v, %s", err, now)
	}
}
