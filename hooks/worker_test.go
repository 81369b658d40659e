package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// workerMain plays the worker of a task loop's open attempt: `worker MESSAGE` writes the transcript
// of a worker that got the prompt, and ends with the message. TOKEN in the message is the token of
// the attempt; OLD set to a text lets the transcript begin with an earlier answer; FAILURE is the API
// error that ends the worker instead. It prints the reply in plain words.
func workerMain(args []string) int {
	project := os.Getenv("CLAUDE_PROJECT_DIR")
	tick, err := os.ReadFile(filepath.Join(project, ".sdd", "loop", "task.tick.json"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	token := gjson.GetBytes(tick, "attempt.token").String()
	path := filepath.Join(strings.TrimSuffix(transcript(), ".jsonl"), "subagents",
		"agent-w1.jsonl")
	line := func(kind, text string) string {
		content, _ := json.Marshal(text)
		return fmt.Sprintf(`{"type":%q,"message":{"content":%s}}`, kind, content) + "\n"
	}
	var text string
	if old := os.Getenv("OLD"); old != "" {
		text = line("assistant", old)
	}
	text += line("user", "the claim is TASK_COMPLETE "+token+" on a line of its own")
	err = os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	message := strings.ReplaceAll(strings.Join(args, " "), "TOKEN", token)
	p, _ := sjson.Set(basePayload(), "hook_event_name", "SubagentStop")
	for k, v := range map[string]string{"agent_id": "w1", "agent_type": "general-purpose",
		"agent_transcript_path":  path,
		"last_assistant_message": strings.ReplaceAll(message, `\n`, "\n")} {
		p, _ = sjson.Set(p, k, v)
	}
	word := "subagent-stop"
	if failure := os.Getenv("FAILURE"); failure != "" {
		word = "stop-failure"
		p, _ = sjson.Delete(p, "agent_transcript_path")
		p, _ = sjson.Set(p, "hook_event_name", "StopFailure")
		p, _ = sjson.Set(p, "error", failure)
	}
	reply, code := send(word, p)
	fmt.Print(plain(reply))
	return code
}
