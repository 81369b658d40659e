package guard

import (
	"fmt"
	"strings"
)

// Read says what the call would do. It never panics and its work is bounded whatever the text; where the bound ends
// the reading, Unparsable says so and what was found before stands.
func Read(c Call, r Repo, files Files) (reading Reading) {
	m := newMachine(c, r, files)
	defer func() {
		if p := recover(); p != nil { // a fault over foreign text must not let the call pass as harmless
			m.read.Unparsable = fmt.Sprintf("fault while reading: %v", p)
			reading = m.read
		}
	}()
	m.shell(c.Cwd).tool(c)
	return m.read
}

// tool reads a call by its tool.
func (f *frame) tool(c Call) {
	switch c.Tool {
	case "Bash", "Monitor":
		f.run(c.commandText())
	case "PowerShell":
		f.powershell(c.commandText())
	case "REPL":
		for _, fd := range c.Fields {
			f.codeText("node", fd.Value, "REPL", nil)
		}
		if len(c.Fields) == 0 {
			f.codeText("node", c.Command, "REPL", nil)
		}
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		f.edit(c)
	case "Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch", "TodoWrite", "Agent", "Task", "Workflow", "Skill",
		"AskUserQuestion", "CronCreate", "CronDelete", "CronList",
		"ScheduleWakeup", "ExitPlanMode", "EnterPlanMode", "TaskOutput", "TaskStop", "BashOutput", "KillShell", "SendMessage":
	default:
		f.mcp(c)
	}
}

// commandText is the command, or the field of that name.
func (c Call) commandText() string {
	if c.Command != "" {
		return c.Command
	}
	return leafText(c.Fields, "command")
}

// label is a call as a person would write it: the tool with its short leaves.
func (c Call) label() []word {
	var parts []string
	for _, fd := range c.Fields {
		if len(parts) < 6 {
			parts = append(parts, fd.Path+": "+clip(strings.ReplaceAll(fd.Value, "\n", " "), 60))
		}
	}
	return []word{{text: c.Tool + "(" + strings.Join(parts, ", ") + ")", raw: true}}
}
