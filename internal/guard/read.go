package guard

import (
	"fmt"
)

// Read says what the call would do. It never panics and its work is bounded whatever the text; where the bound ends
// the reading, Unparsable says so and what was found before stands.
func Read(c Call, r Repo, files Files) (reading Reading) {
	m := newMachine(c, r, files, Programs{})
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
