package event

import (
	"errors"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// Tools whose input the program reads.
const (
	toolBash       = "Bash"
	toolPowerShell = "PowerShell"
	toolMonitor    = "Monitor"
	toolSkill      = "Skill"
	toolDialog     = "AskUserQuestion"
)

// inputTexts are the members of a tool's input that decide; where present they are strings. Tools
// not named here (MCP tools above all) may use the same names for anything.
func inputTexts(tool string) []string {
	switch tool {
	case toolBash, toolPowerShell, toolMonitor:
		return []string{"command"}
	case toolSkill:
		return []string{"skill", "args"}
	case "Agent", "Task":
		return []string{"prompt", "subagent_type"}
	case "CronCreate":
		return []string{"cron", "prompt"}
	case "CronDelete":
		return []string{"id"}
	case "ScheduleWakeup":
		return []string{"prompt"}
	case "Write", "Edit", "MultiEdit", "Read":
		return []string{"file_path"}
	case "NotebookEdit":
		return []string{"notebook_path"}
	}
	return nil
}

// dialog are the parts of a dialog's call and of its result on which something is decided.
type dialog struct {
	Questions []struct {
		Question string `json:"question"`
		Header   string `json:"header"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
	} `json:"questions"`
	Answers     map[string]string       `json:"answers"`
	Annotations map[string]gjson.Result `json:"annotations"`
}

// checkTool refuses a call whose deciding members have a type on which nothing can be decided.
func (e Event) checkTool() error {
	for _, key := range inputTexts(e.Tool) {
		if v := field(e.Input, key); v.Type != gjson.String && v.Type != gjson.Null {
			return wrongType("tool_input."+key, v, "a string")
		}
	}
	if e.Tool != toolDialog {
		return nil
	}
	for at, v := range map[string]gjson.Result{
		"tool_input": e.Input, "tool_response": e.Response,
	} {
		wrong, is := errors.AsType[*codec.TypeError](codec.Decode(v, new(dialog)))
		if is && v.IsObject() {
			return refuse(hintShape, "%v", codec.Under(at, wrong))
		}
	}
	return nil
}

// Skill is the skill that a Skill call invokes and its arguments, "" and "" on any other event.
func (e Event) Skill() (name, args string) {
	if e.Tool != toolSkill {
		return "", ""
	}
	return textOr(field(e.Input, "skill")), textOr(field(e.Input, "args"))
}

// ShellCommand is the command line of a tool that runs one. ok is false for every other tool, and
// for a Monitor that watches a socket.
func (e Event) ShellCommand() (command string, ok bool) {
	switch e.Tool {
	case toolBash, toolPowerShell, toolMonitor:
		v := field(e.Input, "command")
		return textOr(v), v.Type == gjson.String
	}
	return "", false
}

// Text is a string member of the tool's input by its exact key, "" when it is absent or of another
// type.
func (e Event) Text(key string) string { return textOr(field(e.Input, key)) }

// Flag is a member of the tool's input that is exactly true.
func (e Event) Flag(key string) bool { return field(e.Input, key).Type == gjson.True }

// Result is a member of the tool's response by its exact key; it does not exist when the response
// is no object.
func (e Event) Result(key string) gjson.Result { return field(e.Response, key) }
