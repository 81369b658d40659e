package guard

import (
	"fmt"

	"hooks/internal/guard/code"
	"hooks/internal/guard/powershell"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Read returns what the call would do. It never panics, and its work is bounded whatever the text:
// where a bound ends the reading, Unparsable names it, and what was found before is kept.
func Read(c Call, repo func() Repo, files Files) (reading Reading) {
	m := shell.New(c, repo, files, program.World{Reads: reads})
	defer func() {
		if p := recover(); p != nil { // foreign text must not pass as harmless by a fault
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
	default:
		if !word.Has(silent, c.Tool) {
			mcp(f, c)
		}
	}
}

// silent are the client's tools that land nothing.
const silent = `Read Grep Glob LS WebFetch WebSearch ToolSearch TodoWrite Agent Task Workflow Skill
AskUserQuestion CronCreate CronDelete CronList ScheduleWakeup ExitPlanMode EnterPlanMode TaskOutput
TaskStop BashOutput KillShell SendMessage`
