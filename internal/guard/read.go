// Package guard reads one tool call and returns its effect on a forge, on protected branches and on
// the loop's own files. Guard and the packages below it are pure: they use no clock, disk,
// environment, network or child process. They read a command's files only through effect.Files,
// which the caller supplies and bounds.
//
// The packages are layered, as AGENTS.md describes: guard (the client's tools), program (programs
// by name), forges, plain (shell text), paths, shellword, effect.
//
// Guard judges only literal text, before it runs, and evaluates nothing. A command that a script, a
// make recipe or another language computes is recorded as Opaque at most; the brake judges the
// programs that start. All frames of a reading share one Machine, which holds the acts and the
// remaining work budget.
package guard

import (
	"fmt"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shellword"
)

// Read returns the effect of the call. It never panics, and its work is bounded. If a bound stops
// the reading, Unparsable names the bound, and the acts found so far are kept.
func Read(c effect.Call, repo func() effect.Repo, files effect.Files) effect.Reading {
	m := plain.New(c, repo, files, program.Read)
	return reading(m, func() { readCall(m.Shell(c.Cwd), c) })
}

// ReadArgv returns the effect of a program that is about to start with exactly these arguments;
// argv[0] is its name. Nothing is expanded, and standard input is unknown. env returns the value of
// an environment variable of the program. c supplies the working directory and the loop's paths.
func ReadArgv(
	argv []string, env func(string) string, c effect.Call, repo func() effect.Repo,
	files effect.Files,
) effect.Reading {
	m := plain.New(c, repo, files, program.Read)
	if len(argv) == 0 {
		return m.Read
	}
	m.Real, m.Environ = true, env
	f := m.Shell(c.Cwd)
	f.Stdin = new(shellword.Unknown)
	return reading(m, func() {
		f.Named(shellword.Lits(argv...))
	})
}

// reading calls run and returns m.Read. It recovers from a panic and sets Unparsable, so that text
// that makes the reader panic is not taken for harmless.
func reading(m *plain.Machine, run func()) (r effect.Reading) {
	defer func() {
		if p := recover(); p != nil {
			m.Read.Unparsable = fmt.Sprintf("fault while reading: %v", p)
			r = m.Read
		}
	}()
	run()
	return m.Read
}

func readCall(f *plain.Frame, c effect.Call) {
	switch c.Tool {
	case "Bash", "Monitor":
		f.Run(c.CommandText())
	case "PowerShell":
		powershell(f, c.CommandText())
	case "REPL":
		program.Code(f, "REPL", c.Command)
		for _, fd := range c.Fields {
			program.Code(f, "REPL", fd.Value)
		}
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		p := shellword.Lit(effect.LeafText(c.Fields, "file_path", "notebook_path", "path"))
		f.Writes(p, c.Tool+" "+p.Text)
	case "EnterWorktree":
		forges.UseBranch(f, label(c), effect.LeafText(c.Fields, "name"))
		if dir := effect.LeafText(c.Fields, "path"); dir != "" {
			forges.UseBranch(f, label(c), f.Branch(f.At(f.Place(), dir)))
		}
	default:
		if !shellword.Has(silent, c.Tool) {
			mcp(f, c)
		}
	}
}

// silent lists the client's own tools that neither run commands nor write files.
const silent = `Read Grep Glob LS WebFetch WebSearch ToolSearch TodoWrite Agent Task Workflow Skill
AskUserQuestion CronCreate CronDelete CronList ScheduleWakeup ExitPlanMode EnterPlanMode TaskOutput
TaskStop BashOutput KillShell SendMessage`
