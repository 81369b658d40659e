package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// workerMain plays the worker of a task or an audit loop's open iteration: `worker MESSAGE` writes
// the transcript of a worker that got the prompt, and ends with the message. TOKEN in the message
// is the token of the attempt; OLD set to a text lets the transcript begin with an earlier answer;
// FAILURE is the API error that ends the worker instead. AGENT is its id, NOTE the client's note on
// it, UNREAD is set where there is no transcript. It prints the reply in plain words.
func workerMain(args []string) int {
	project := os.Getenv("CLAUDE_PROJECT_DIR")
	tick, err := os.ReadFile(filepath.Join(project, ".sdd", "loop", "task.tick.json"))
	if err != nil {
		tick, err = os.ReadFile(filepath.Join(project, ".sdd", "loop", "audit.tick.json"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	token := gjson.GetBytes(tick, "attempt.token").String()
	id, note := cmp.Or(os.Getenv("AGENT"), "w1"), os.Getenv("NOTE")
	if call := gjson.GetBytes(tick, "attempt.call").String(); note == "" {
		note = fmt.Sprintf(`{"toolUseId":%q,"spawnDepth":1}`, call)
	}
	path := workerFile(id)
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
		err = os.WriteFile(path+".meta.json", []byte(note), 0o600)
	}
	path += ".jsonl"
	if err == nil && os.Getenv("UNREAD") == "" {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	message := strings.ReplaceAll(strings.Join(args, " "), "TOKEN", token)
	p, _ := sjson.Set(basePayload(), "hook_event_name", "SubagentStop")
	for k, v := range map[string]string{"agent_id": id, "agent_type": "general-purpose",
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

// workerFile is a worker's transcript without its ending.
func workerFile(id string) string {
	return filepath.Join(strings.TrimSuffix(transcript(), ".jsonl"), "subagents", "agent-"+id)
}

// commitMain commits everything in the project, with git init before the first commit: `commit`
// takes the files as they are, `commit NAME TEXT` writes that file before.
func commitMain(args []string) int {
	project := os.Getenv("CLAUDE_PROJECT_DIR")
	git := func(args ...string) error {
		cmd := exec.Command("git", append([]string{"-C", project, "-c", "user.name=a", "-c",
			"user.email=a@b", "-c", "maintenance.auto=false"}, args...)...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		return cmd.Run()
	}
	var err error
	if _, missing := os.Lstat(filepath.Join(project, ".git")); missing != nil {
		err = git("init", "-q", "-b", "main")
	}
	message := "start"
	if len(args) > 0 && err == nil {
		message = args[0]
		text := strings.Join(args[1:], " ") + "\n"
		err = os.WriteFile(filepath.Join(project, args[0]), []byte(text), 0o600)
	}
	if err == nil {
		err = git("add", "-A")
	}
	if err == nil {
		err = git("commit", "-q", "--allow-empty", "-m", message)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// flagMain writes below Blocked / Flagged of the progress file, as a worker does.
func flagMain(args []string) int { return noteMain("## Blocked / Flagged\n(none)\n", args) }

// learnMain writes a line of Learnings.
func learnMain(args []string) int {
	return noteMain("## Learnings\n", append([]string{"-"}, args...))
}

// noteMain replaces what is under a heading of the progress file.
func noteMain(under string, args []string) int {
	path := filepath.Join(os.Getenv("CLAUDE_PROJECT_DIR"), ".sdd-progress.md")
	text, err := os.ReadFile(path)
	if err == nil {
		heading, _, _ := strings.Cut(under, "\n")
		text := strings.Replace(string(text), under, heading+"\n"+strings.Join(args, " ")+"\n", 1)
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// manyMain writes a list of so many tasks: `many FILE N`.
func manyMain(args []string) int {
	n, err := strconv.Atoi(args[1])
	if err == nil {
		err = os.WriteFile(args[0], []byte(strings.Repeat("- [ ] Add one\n", n)), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
