package event

import (
	"github.com/tidwall/gjson"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Names of tools whose input the program reads.
const (
	toolBash       = "Bash"
	toolPowerShell = "PowerShell"
	toolMonitor    = "Monitor"
	toolSkill      = "Skill"
	toolDialog     = "AskUserQuestion"
)

// checkTool returns an error if a member of the tool's input on which a decision depends has the
// wrong type. Other tools, especially MCP tools, may use these names for any value.
func (e Event) checkTool() error {
	var texts []string
	switch e.Tool {
	case toolBash, toolPowerShell, toolMonitor:
		texts = []string{"command"}
	case toolSkill:
		texts = []string{"skill", "args"}
	case "Agent", "Task":
		texts = []string{"prompt", "subagent_type"}
	case "CronCreate":
		texts = []string{"cron", "prompt"}
	case "CronDelete":
		texts = []string{"id"}
	case "ScheduleWakeup":
		texts = []string{"prompt"}
	case "Write", "Edit", "MultiEdit", "Read":
		texts = []string{"file_path"}
	case "NotebookEdit":
		texts = []string{"notebook_path"}
	}
	for _, key := range texts {
		if v := field(e.Input, key); v.Type != gjson.String && v.Type != gjson.Null {
			return wrongType("tool_input."+key, v)
		}
	}
	return nil
}

// Fields returns the scalars of tool_input in order. whole is false if there are more than are
// read; the rest may be harmful.
func (e Event) Fields() (list []effect.Field, whole bool) {
	return shellword.JSONLeaves(e.Input.Raw)
}

// Skill returns the skill that a Skill call invokes and its arguments, or "" and "" for any other
// event.
func (e Event) Skill() (name, args string) {
	if e.Tool != toolSkill {
		return "", ""
	}
	return textOr(field(e.Input, "skill")), textOr(field(e.Input, "args"))
}

// ShellCommand returns the command line of a tool that runs one. ok is false for every other tool,
// and for a Monitor that watches a socket.
func (e Event) ShellCommand() (command string, ok bool) {
	switch e.Tool {
	case toolBash, toolPowerShell, toolMonitor:
		v := field(e.Input, "command")
		return textOr(v), v.Type == gjson.String
	}
	return "", false
}

// Text returns a string member of the tool's input by its exact key, or "" if it is missing or has
// another type.
func (e Event) Text(key string) string { return textOr(field(e.Input, key)) }

// Flag reports whether a member of the tool's input is exactly true.
func (e Event) Flag(key string) bool { return field(e.Input, key).Type == gjson.True }

// Result returns a member of the tool's response by its exact key. The result does not exist if the
// response is not an object.
func (e Event) Result(key string) gjson.Result { return field(e.Response, key) }
