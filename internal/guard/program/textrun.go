package program

import (
	"strings"

	"hooks/internal/guard/code"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// runner reads a program that runs text found in one of its arguments or in its input: f is where it was started, g what
// it starts.
type runner func(f, g *shell.Frame, name string, args []word.Word)

// runnerOf is how a program's text is found, nil where it runs none.
func runnerOf(name string) runner {
	switch name {
	case "run-p", "run-s", "npm-run-all":
		return scriptNames
	case "hyperfine", "concurrently", "onchange", "chokidar":
		return eachText
	case "nodemon", "watchexec", "foreman":
		return restarted
	case "expect":
		return expect
	case "at", "batch":
		return queued
	case "crontab":
		return func(_, g *shell.Frame, _ string, args []word.Word) { crontab(g, args) }
	case "man", "less":
		return func(_, g *shell.Frame, _ string, args []word.Word) { runFlag(g, args, "-P --pager") }
	case "tar", "rsync":
		return packer
	case "vim", "nvim", "vi", "ex", "ed", "view":
		return editor
	case "psql", "sqlite3", "mysql", "gdb", "lldb":
		return prompt
	}
	return nil
}

func scriptNames(_, g *shell.Frame, _ string, args []word.Word) {
	for _, w := range word.ParseFlags(args, "").Pos {
		npmRun(g, "npm", word.Lits("npm", "run", w.Text))
	}
}

func eachText(_, g *shell.Frame, _ string, args []word.Word) {
	for _, w := range word.ParseFlags(args, "-w -r -m -M -n -p -s -P -c --warmup --runs --prepare --names --prefix --export-json --export-markdown").Pos {
		g.Run(w.Text)
	}
	runFlag(g, args, "-p --prepare --setup --cleanup --conclude -c --command")
}

func restarted(_, g *shell.Frame, _ string, args []word.Word) {
	runFlag(g, args, "-x --exec")
	rest := word.Command(args, "-x --exec -e --exts -w --watch -i --ignore", 0)
	if len(rest) > 0 && rest[0].Text == "run" {
		rest = rest[1:]
	}
	g.Exec(rest)
}

func expect(f, g *shell.Frame, _ string, args []word.Word) {
	text, ok := word.FlagText(args, "-c")
	if !ok && f.Stdin != nil {
		text = f.Stdin.Text
	}
	code.Spawned(g, text)
}

func queued(f, g *shell.Frame, name string, args []word.Word) {
	if f.Stdin != nil {
		g.ShellText(f.Stdin.Text, name)
	}
	if file, ok := word.FlagText(args, "-f"); ok {
		g.RunFile(file, nil, file)
	}
}

// runFlag looks at the values of flags that a program hands to a shell.
func runFlag(g *shell.Frame, args []word.Word, names string) {
	for i, w := range args {
		name, val, glued := strings.Cut(w.Text, "=")
		switch {
		case glued && word.Has(names, name):
			g.Run(val)
		case word.Has(names, w.Text) && i+1 < len(args):
			g.Run(args[i+1].Text)
		}
	}
}

func packer(f, _ *shell.Frame, name string, args []word.Word) {
	for i, w := range args {
		for _, flag := range []string{"--checkpoint-action=exec=", "--to-command=", "--use-compress-program=", "--rsh=", "-I", "-e"} {
			if t, ok := strings.CutPrefix(w.Text, flag); ok {
				if t == "" && len(flag) == 2 && i+1 < len(args) {
					t = args[i+1].Text
				}
				f.Look(name+" "+flag, t)
			}
		}
	}
	if name == "rsync" {
		writerOf(f, name, args)
	}
}

// prompt reads what a tool with a prompt of its own hands to a shell, and the program that a debugger starts.
func prompt(_, g *shell.Frame, _ string, args []word.Word) {
	for i, w := range args {
		t := strings.TrimSpace(w.Text)
		for _, mark := range []string{`\!`, ".shell ", ".system ", "system ", `\! `, "shell "} {
			if rest, ok := strings.CutPrefix(t, mark); ok {
				g.Run(rest)
			}
		}
		if t == "--args" {
			g.Exec(args[i+1:])
		}
	}
}

// editor reads :!cmd of vim's -c and +, and !cmd lines fed to ed and ex.
func editor(f, g *shell.Frame, _ string, args []word.Word) {
	for i, w := range args {
		t := w.Text
		switch {
		case (word.Shorts(t, 'c') || t == "--cmd") && i+1 < len(args):
			t = args[i+1].Text
		case strings.HasPrefix(t, "+"):
			t = t[1:]
		default:
			writesIfEdited(f, w, args)
			continue
		}
		bang(g, t)
	}
	if f.Stdin != nil {
		for _, line := range strings.Split(f.Stdin.Text, "\n") {
			bang(g, line)
		}
	}
}

func bang(g *shell.Frame, t string) {
	t = strings.TrimLeft(strings.TrimSpace(t), ":")
	for _, mark := range []string{"!", "r !", "r!", "silent !", "silent! !", "w !", "%!", "terminal ", "term "} {
		if rest, ok := strings.CutPrefix(t, mark); ok {
			g.Run(rest)
			return
		}
	}
}

// writesIfEdited notes a file that an editor without a person would save.
func writesIfEdited(f *shell.Frame, w word.Word, args []word.Word) {
	if strings.HasPrefix(w.Text, "-") {
		return
	}
	f.Writes(w, word.Join(args))
}

// crontab reads the table that is installed: five time fields and a command, or @daily and a command.
func crontab(f *shell.Frame, args []word.Word) {
	text := ""
	switch {
	case f.Stdin != nil:
		text = f.Stdin.Text
	case len(args) > 0 && !strings.HasPrefix(args[len(args)-1].Text, "-"):
		text = f.FileText(args[len(args)-1].Text)
	}
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		skip := 5
		if strings.HasPrefix(line, "@") {
			skip = 1
		}
		if len(fields) > skip && !strings.HasPrefix(line, "#") {
			f.Run(strings.Join(fields[skip:], " "))
		}
	}
}

func sed(f *shell.Frame, args []word.Word) string {
	defer f.Through("sed")()
	sedRuns(f, args)
	writerOf(f, "sed", args)
	return word.Hole
}

// sedRuns reads GNU sed's e command and s///e flag.
func sedRuns(f *shell.Frame, args []word.Word) {
	fl := word.ParseFlags(args, "-e -f -l -E --expression --file")
	scripts := fl.All("-e", "--expression")
	if len(scripts) == 0 && len(fl.Pos) > 0 {
		scripts = fl.Pos[:1]
	}
	for _, s := range scripts {
		t := strings.TrimLeft(s.Text, "0123456789$, ")
		if rest, ok := strings.CutPrefix(t, "e "); ok {
			f.Look("sed e", rest)
		}
		if with, ok := sedExec(t); ok {
			f.Look("sed s///e", with)
		}
	}
}

// sedExec is the replacement of s/…/…/e, which sed runs.
func sedExec(t string) (string, bool) {
	if len(t) < 4 || t[0] != 's' {
		return "", false
	}
	parts := strings.Split(t[2:], t[1:2])
	if len(parts) == 3 && strings.Contains(parts[2], "e") && strings.Trim(parts[2], "egpiIM0123456789") == "" {
		return parts[1], true
	}
	return "", false
}
