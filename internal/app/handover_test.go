package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
)

// TestTheNextRunMayBeginBeforeTheReplyIsOut (R67): between the save of a Stop that halts and its
// reply another session takes the lock. Whatever the first one still does harms it nothing.
func TestTheNextRunMayBeginBeforeTheReplyIsOut(t *testing.T) {
	for _, how := range []string{"--loop", "--loop --resume --max-iterations 5"} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			runs := 0
			a := New(func(name string) string {
				return map[string]string{"CLAUDE_PROJECT_DIR": dir}[name]
			})
			a.RunID, a.Wait = func() string { runs++; return fmt.Sprint("run-", runs) }, 1
			tell := func(session, prompt, word, fields string) Answer {
				return a.Handle(word,
					strings.NewReader(
						fmt.Sprintf(
							`{"session_id":%q,"prompt_id":%q,"cwd":%q,"transcript_path":%q,%s}`,
							session, prompt, dir, filepath.Join(dir, session+".jsonl"), fields)))
			}
			enter := func(session, args string) Answer {
				return tell(session, session+"-p", "user-prompt-expansion",
					fmt.Sprintf(
						`"hook_event_name":"UserPromptExpansion","command_name":"sdd:work","command_args":%q`, args))
			}
			const stop = `"hook_event_name":"Stop","session_crons":[{"id":"c1","recurring":true,"prompt":"/sdd:work --loop"}],"stop_hook_active":%v`
			begun := func(answer Answer) bool {
				return strings.Contains(string(answer.Reply.Encode(event.UserPromptExpansion)),
					"## Loop Iteration")
			}
			state := func(file, field string) string {
				text, _ := os.ReadFile(filepath.Join(dir, ".sdd/loop", file))
				return gjson.GetBytes(text, field).String()
			}

			if !begun(enter("a", "--loop --max-iterations 1")) {
				t.Fatal("the first iteration does not begin")
			}
			tell("a", "a-p", "stop", fmt.Sprintf(stop, false)) // asks for the facts
			said := tell("a", "a-p", "stop", fmt.Sprintf(stop, true))
			if said.After == nil || state("work.lock", "session_id") != "a" {
				t.Fatalf("the Stop does not hold its lock until its reply is out: %s",
					said.Reply.Encode(event.Stop))
			}
			if !begun(enter("b", how)) {
				t.Fatal("the next run does not begin")
			}
			if err := said.After(); err != nil {
				t.Fatal(err)
			}
			tell("a", "a-p", "pre-tool-use",
				`"hook_event_name":"PreToolUse","tool_name":"CronDelete","tool_use_id":"t1","tool_input":{"id":"c1"}`)
			late := tell("a", "a-p", "stop", fmt.Sprintf(stop, true))
			tell("a", "a-p", "session-end", `"hook_event_name":"SessionEnd","reason":"exit"`)
			if !late.Reply.Empty() || state("work.lock", "session_id") != "b" ||
				state("work.tick.json", "session_id") != "b" ||
				state("work.budget.json", "session_id") != "b" ||
				state("work.budget.json", "status") != "active" ||
				state("work.budget.json", "owner_left") == "true" {
				t.Errorf("the first session's last words reach the run of the second: %s",
					late.Reply.Encode(event.Stop))
			}
		})
	}
}
