package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/internal/hint"
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
	if code := auditsMain([]string{report}); code != 0 {
		return code
	}
	workerMain([]string{"done"})
	play("stop", "stop_hook_active=true")
	return 0
}

// auditsMain plays an auditor's report, in the text or the file: the call, and the program that it
// starts. `--form TEXT` is the call's text instead, "" for the usual one, and no program starts; it
// prints the reply. AGENT is the worker's id, SENT the call that sent it.
func auditsMain(args []string) int {
	text := args[0]
	if !strings.HasPrefix(text, "{") {
		read, err := os.ReadFile(text)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		text = string(read)
	}
	command := "hooks report <<< '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	if len(args) > 2 {
		command = strings.ReplaceAll(args[2], `\n`, "\n")
	}
	if os.Getenv("LAZY") == "" {
		base := gjson.GetBytes(auditState("budget"), "audit.base").Str
		if code := looksMain([]string{"bash", "git diff " + base}); code != 0 {
			return code
		}
	}
	p := auditorCall("Bash")
	p, _ = sjson.Set(p, "hook_event_name", "PreToolUse")
	p, _ = sjson.Set(p, "tool_input.command", command)
	reply, code := send("pre-tool-use", p)
	refused := gjson.GetBytes(reply, "hookSpecificOutput.permissionDecisionReason").Str
	switch {
	case len(args) > 1 || code != 0:
		fmt.Print(plain(reply))
		return code
	case refused != "":
		fmt.Fprintln(os.Stderr, refused)
		return 1
	}
	said, err := testApp().Report(strings.NewReader(text + "\n"))
	if err != nil {
		fmt.Fprintln(os.Stderr, hint.Text(err))
		return 1
	}
	fmt.Print(said)
	return 0
}

// auditorCall is a call of the open phase's auditor: of its worker, or of the main thread where a
// driver began it.
func auditorCall(tool string) string {
	p, _ := sjson.Set(basePayload(), "tool_name", tool)
	p, _ = sjson.Set(p, "tool_use_id", callID("audits"))
	if gjson.GetBytes(auditState("budget"), "audit.drive").Str == "process" {
		return p
	}
	tick := auditState("tick")
	id := cmp.Or(os.Getenv("AGENT"), "w1")
	path := workerFile(id)
	call := cmp.Or(os.Getenv("SENT"), gjson.GetBytes(tick, "attempt.call").Str)
	_ = os.MkdirAll(filepath.Dir(path), 0o700)
	_ = os.WriteFile(path+".meta.json", fmt.Appendf(nil, `{"toolUseId":%q}`, call), 0o600)
	p, _ = sjson.Set(p, "agent_id", id)
	p, _ = sjson.Set(p, "agent_type", "general-purpose")
	return p
}

func auditState(name string) []byte {
	text, _ := os.ReadFile(filepath.Join(os.Getenv("CLAUDE_PROJECT_DIR"), ".sdd", "loop",
		"audit."+name+".json"))
	return text
}

// looksMain is a call of the auditor that reads, with its result: `looks Read FILE`, or `looks bash
// COMMAND`, which is run. It prints a reply, as of a refusal.
func looksMain(args []string) int {
	p := auditorCall("Read")
	if args[0] != "bash" {
		p, _ = sjson.Set(p, "tool_input.file_path", args[1])
	} else {
		command := strings.Join(args[1:], " ")
		p = auditorCall("Bash")
		p, _ = sjson.Set(p, "tool_input.command", command)
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = os.Getenv("CLAUDE_PROJECT_DIR")
		out, _ := cmd.Output()
		p, _ = sjson.Set(p, "tool_response.stdout", string(out))
	}
	for _, name := range []string{"PreToolUse", "PostToolUse"} {
		p, _ = sjson.Set(p, "hook_event_name", name)
		if name == "PostToolUse" && args[0] != "bash" { // it is not registered
			break
		}
		reply, code := send(map[string]string{
			"PreToolUse": "pre-tool-use", "PostToolUse": "post-tool-use"}[name], p)
		if fmt.Print(plain(reply)); code != 0 {
			return code
		}
	}
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
