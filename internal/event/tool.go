package event

import (
	"github.com/tidwall/gjson"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Names of tools with input that the program reads.
const (
	toolBash       = "Bash"
	toolPowerShell = "PowerShell"
	toolMonitor    = "Monitor"
	toolSkill      = "Skill"
	toolDialog     = "AskUserQuestion"
)

// checkTool returns an error if tool input that affects a decision has the wrong type. Other tools,
// especially MCP tools, may use the same names for any value.
func (e Event) checkTool() (err error) {
	const tools = `Bash PowerShell Monitor Skill Agent Task CronCreate CronDelete ScheduleWakeup
Write Edit MultiEdit Read NotebookEdit`
	const texts = "command skill args prompt subagent_type cron id file_path notebook_path"
	if !shellword.Has(tools, e.Tool) {
		return nil
	}
	e.Input.ForEach(func(key, v gjson.Result) bool {
		if shellword.Has(texts, key.String()) && v.Type != gjson.String && v.Type != gjson.Null {
			err = wrongType("tool_input."+key.String(), v)
		}
		return err == nil
	})
	return err
}

// Fields returns the scalars in tool_input in order. whole is false if some are omitted because
// there are too many or they are nested too deeply. The omitted ones may be harmful.
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

// ShellCommand returns the command line of a shell tool's call. ok is false for every other tool,
// and for a Monitor that watches a socket.
func (e Event) ShellCommand() (command string, ok bool) {
	switch e.Tool {
	case toolBash, toolPowerShell, toolMonitor:
		v := field(e.Input, "command")
		return textOr(v), v.Type == gjson.String
	}
	return "", false
}

// Text returns a string from the tool's input by its exact key, or "" if it is missing or has
// another type.
func (e Event) Text(key string) string { return textOr(field(e.Input, key)) }

// Flag reports whether a member of the tool's input is exactly true.
func (e Event) Flag(key string) bool { return field(e.Input, key).Type == gjson.True }

// Result returns a member of the tool's response by its exact key. It does not exist if the
// response is not an object.
func (e Event) Result(key string) gjson.Result { return field(e.Response, key) }
