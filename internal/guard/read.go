package guard

import (
	"fmt"

	"hooks/internal/guard/code"
	"hooks/internal/guard/powershell"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shell"
)

// Read says what the call would do. It never panics and its work is bounded whatever the text; where the bound ends
// the reading, Unparsable says so and what was found before stands.
func Read(c Call, repo func() Repo, files Files) (reading Reading) {
	m := shell.New(c, repo, files, program.World{Reads: reads})
	defer func() {
		if p := recover(); p != nil { // a fault over foreign text must not let the call pass as harmless
			m.Read.Unparsable = fmt.Sprintf("fault while reading: %v", p)
			reading = m.Read
		}
	}()
	readCall(m.Shell(c.Cwd), c)
	return m.Read
}

// readCall reads a call by its tool.
func readCall(f *shell.Frame, c Call) {
	switch c.Tool {
	case "Bash", "Monitor":
		f.Run(c.CommandText())
	case "PowerShell":
		powershell.Read(f, c.CommandText())
	case "REPL":
		for _, fd := range c.Fields {
			code.Text(f, "node", fd.Value, "REPL")
		}
		if len(c.Fields) == 0 {
			code.Text(f, "node", c.Command, "REPL")
		}
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		edit(f, c)
	case "Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch", "TodoWrite", "Agent", "Task", "Workflow", "Skill",
		"AskUserQuestion", "CronCreate", "CronDelete", "CronList",
		"ScheduleWakeup", "ExitPlanMode", "EnterPlanMode", "TaskOutput", "TaskStop", "BashOutput", "KillShell", "SendMessage":
	default:
		mcp(f, c)
	}
}
