package program

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// textReader reads a program that runs text found in one of its arguments or in its input: f is where it was started, g what
// it starts.
type textReader func(f, g *shell.Frame, name string, args []word.Word)

// textRunner is how a program's text is found, nil where it runs none.
func textRunner(name string) textReader {
	switch name {
	case "hyperfine", "concurrently", "onchange", "chokidar", "nodemon", "watchexec", "foreman":
		return eachText
	case "at", "batch":
		return queued
	case "crontab":
		return func(_, g *shell.Frame, _ string, args []word.Word) { crontab(g, args) }
	case "tar", "unzip", "rsync", "man", "less", "expect", "tclsh", "wish", "psql", "sqlite3",
		"mysql", "gdb", "lldb", "vim", "nvim",
		"vi", "ex", "ed", "view":
		return ownText
	}
	return nil
}

// eachText runs every word that is a text of several, whatever flag stands before it, and what is
// left as a command.
func eachText(_, g *shell.Frame, _ string, args []word.Word) {
	several := func(w word.Word) bool { return strings.ContainsAny(w.Text, " \n") }
	for _, w := range args {
		if _, value, ok := strings.Cut(w.Text, "="); ok && w.Text[0] == '-' {
			w = word.Lit(value)
		}
		if several(w) {
			g.Run(w.Text)
		}
	}
	rest := word.Command(args, "-e --exts -w --watch -i --ignore", 0)
	if len(rest) > 0 && rest[0].Text == "run" {
		rest = rest[1:]
	}
	if len(rest) > 0 && !several(rest[0]) {
		g.Exec(rest)
	}
}

func queued(f, g *shell.Frame, name string, args []word.Word) {
	if f.Stdin != nil {
		g.ShellText(f.Stdin.Text, name)
	}
	if file, ok := word.FlagText(args, "-f"); ok {
		g.RunFile(file, nil, file)
	}
}

// ownText is a program with a language of its own in which it can start others. It is not read:
// what could land something is only known when it runs. The files that an editor is given are
// written.
func ownText(f, _ *shell.Frame, name string, args []word.Word) {
	switch {
	case name == "rsync":
		writerOf(f, name, args)
	case name == "tar" || name == "unzip":
		fl := word.ParseFlags(args, "-C --directory -d -f --file -T -X")
		for _, w := range fl.All("-C", "--directory", "-d") {
			f.Writes(w, name+" "+word.Join(args))
		}
	case word.Has("vim nvim vi ex ed", name):
		for _, w := range args {
			if !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+") {
				f.Writes(w, word.Join(args))
			}
		}
	}
	text := word.JoinText(args)
	if f.Stdin != nil {
		text += "\n" + f.Stdin.Text
	}
	switch {
	case word.Has("tar rsync man less", name):
		text, _ = word.FlagText(args, `-I -e -P --rsh --pager --to-command --use-compress-program
--checkpoint-action`)
	case !word.HasPart(text, `! .shell .system system exec spawn send --args`):
		return
	case name == "expect": // in a terminal of its own, where a gate could be answered
		f.Quietly(func() { inner(f, name, f.WordsOf(text)) })
	}
	mayRun(f, name, text)
}

// mayRun notes text that a program could run by itself, where it could land something.
func mayRun(f *shell.Frame, name, text string) {
	if word.Lands(text) {
		f.Opaque(name+" "+text, "a program that may run a part of this text")
	}
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

// sedRuns notes GNU sed's e command and s///e flag.
func sedRuns(f *shell.Frame, args []word.Word) {
	for _, w := range args {
		t := strings.TrimLeft(w.Text, "0123456789$, ")
		flags := t[strings.LastIndexAny(t, "/|#,")+1:]
		evals := strings.Contains(flags, "e") && strings.Trim(flags, "egpiIM0123456789") == ""
		substitutes := strings.HasPrefix(t, "s") && len(flags) < len(t)
		if strings.HasPrefix(t, "e ") || substitutes && evals {
			mayRun(f, "sed", t)
		}
	}
}
