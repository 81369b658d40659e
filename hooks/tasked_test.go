package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// taskedMain plays a client that `hooks go` has started: it sends the events of one headless turn,
// and work.sh of the story plays the model. That script gets TASK, TRY, ROUND and TOKEN, or PHASE
// and ROUND, and prints the model's last message. Its exit code 7 is --max-turns, 9 a kill -9, 15
// silence, 41 a wrong key, 29 a limit of the service that is reset after two seconds.
func taskedMain(args []string) int {
	prompt, session := flagValue(args, "-p"), flagValue(args, "--session-id")
	dir, _ := os.Getwd()
	for name, value := range map[string]string{
		"SESSION": session, "PROMPT": "p-" + session, "CLAUDE_CODE_SESSION_ATTENDED": "0",
		"CLAUDE_PID": strconv.Itoa(os.Getpid()), "CLAUDECODE": "1",
		"CLAUDE_PROJECT_DIR": dir, "CLAUDE_CODE_SESSION_ID": session,
	} {
		_ = os.Setenv(name, value)
	}
	switch os.Getenv("UNHOOKED") { // the plugin is not there
	case "":
	case "silent":
		time.Sleep(time.Minute)
	case "logged out":
		return taskedEnd(1, `{"terminal_reason":"api_error","is_error":true}`,
			"Not logged in · Please run /login")
	default:
		return taskedEnd(0, `{"terminal_reason":"completed"}`, "There is no task.")
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(prompt, "/"), " ")
	reply, _ := send("user-prompt-expansion", pairs(basePayload(), []string{
		"hook_event_name=UserPromptExpansion", "command_name=" + name, "command_args=" + rest,
		"prompt=" + prompt}))
	if r := gjson.ParseBytes(reply); r.Get("decision").Str == "block" {
		return taskedEnd(0, `{"num_turns":0}`, "UserPromptExpansion operation blocked by hook:\n"+
			r.Get("reason").Str)
	}
	context := gjson.GetBytes(reply, "hookSpecificOutput.additionalContext").Str
	logged, _ := os.OpenFile(filepath.Join(os.Getenv("WORK"), "prompts.log"),
		os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	fmt.Fprintf(logged, "%s\n%s\n",
		strings.TrimSpace(prompt+" "+flagValue(args, "--agent")), context)
	fmt.Fprintln(logged, "may spend", flagValue(args, "--max-budget-usd"))
	logged.Close()
	line := func(kind, text string) {
		if os.Getenv("UNREAD") != "" { // it keeps no transcripts
			return
		}
		l, _ := sjson.Set(`{}`, "type", kind)
		l, _ = sjson.Set(l, "message.content", text)
		appendLine(l)
	}
	line("user", context)
	token := regexp.MustCompile(`TASK_COMPLETE ((\d+)\.(\d+)-\w+)|\(phase (\w+)-\w+\)`).
		FindStringSubmatch(context)
	if token == nil {
		return taskedEnd(0, `{"terminal_reason":"completed"}`, "There is no task.")
	}
	for round := range 4 {
		cmd := exec.Command("sh", filepath.Join(os.Getenv("WORK"), "work.sh"))
		cmd.Env = append(os.Environ(), "TASK="+token[2], "TRY="+token[3], "TOKEN="+token[1],
			"PHASE="+token[4], "ROUND="+strconv.Itoa(round))
		cmd.Stderr = os.Stderr
		out, _ := cmd.Output()
		switch cmd.ProcessState.ExitCode() {
		case 7:
			return taskedEnd(1, `{"subtype":"error_max_turns","is_error":true}`, "")
		case 9:
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
		case 15:
			time.Sleep(time.Minute)
		case 41:
			return taskedEnd(1, `{"is_error":true,"terminal_reason":"api_error",`+
				`"api_error_status":401}`, "API Error: 401 wrong key")
		case 29:
			_, _ = send("stop-failure", pairs(basePayload(),
				[]string{"hook_event_name=StopFailure", "error=rate_limit"}))
			return taskedEnd(1, `{"is_error":true,"terminal_reason":"api_error"}`,
				fmt.Sprintf("usage limit reached|%d", time.Now().Unix()+2))
		}
		message := strings.TrimSpace(string(out))
		line("assistant", message)
		reply, _ := send("stop", pairs(basePayload(), []string{"hook_event_name=Stop",
			"stop_hook_active=" + strconv.FormatBool(round > 0),
			"last_assistant_message=" + message}))
		if gjson.GetBytes(reply, "decision").Str != "block" {
			break
		}
	}
	return taskedEnd(0, `{"terminal_reason":"completed"}`, "over")
}

// taskedEnd ends the session with its result line.
func taskedEnd(code int, result, text string) int {
	_, _ = send("session-end",
		pairs(basePayload(), []string{"hook_event_name=SessionEnd", "reason=other"}))
	result, _ = sjson.Set(result, "type", "result")
	result, _ = sjson.Set(result, "result", text)
	result, _ = sjson.Set(result, "session_id", os.Getenv("SESSION"))
	result, _ = sjson.SetRaw(result, "total_cost_usd", "0.01")
	_ = json.NewEncoder(os.Stdout).Encode(json.RawMessage(result))
	return code
}

// flagValue is the argument after a flag.
func flagValue(args []string, flag string) string {
	for i, a := range args[:len(args)-1] {
		if a == flag {
			return args[i+1]
		}
	}
	return ""
}
