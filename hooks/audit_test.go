package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/tidwall/sjson"
)

// passMain plays the coding and the audit of a section: `pass FILE [REPORT]`, clean without a
// report. It prints the replies of the Stops.
func passMain(args []string) int {
	play := func(args ...string) {
		word, payload := shorthand(args)
		reply, _ := send(word, payload)
		if args[0] == "stop" {
			fmt.Print(plain(reply))
		}
	}
	play("agent", "go")
	if code := commitMain([]string{args[0], "x"}); code != 0 {
		return code
	}
	workerMain([]string{"done"})
	play("stop", "stop_hook_active=true")
	play("agent", "go")
	report := `{"verdict":"clean"}`
	if len(args) > 1 {
		report = args[1]
	}
	if _, err := testApp().Report(strings.NewReader(report)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	workerMain([]string{"done"})
	play("stop", "stop_hook_active=true")
	return 0
}

// insideMain is a call of the worker before it runs: `inside bash COMMAND`, `inside Write PATH`,
// `inside ask`, or `inside TOOL`. It prints the reply in plain words.
func insideMain(args []string) int {
	p := basePayload()
	set := func(k string, v any) { p, _ = sjson.Set(p, k, v) }
	set("hook_event_name", "PreToolUse")
	set("agent_id", "w1")
	set("agent_type", "general-purpose")
	set("tool_use_id", callID("inside"))
	rest := strings.Join(args[1:], " ")
	switch set("tool_name", args[0]); args[0] {
	case "bash":
		set("tool_name", "Bash")
		set("tool_input.command", rest)
	case "ask":
		p = dialog(p, "PreToolUse", rest)
		set("agent_id", "w1")
	case "Skill":
		set("tool_input.skill", args[1])
		set("tool_input.args", strings.Join(args[2:], " "))
	default:
		set("tool_input.file_path", rest)
		set("tool_input.content", "x")
	}
	reply, code := send("pre-tool-use", p)
	fmt.Print(plain(reply))
	return code
}
