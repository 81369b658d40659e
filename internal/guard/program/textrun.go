package program

import (
	"strings"

	"hooks/internal/guard/code"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// judgeOwnLanguage judges the programs with a language of their own, in which they can start
// others. The language is not read: text that could land something is only known when it runs. ok
// is false for any other program.
func judgeOwnLanguage(f *shell.Frame, name string, args []shellword.Word) (ok bool) {
	text := shellword.JoinText(args)
	marks := "! .shell .system system exec spawn send --args" // without one nothing is started
	if f.Stdin != nil {
		text += "\n" + f.Stdin.Text
	}
	switch name {
	case "sed":
		judgeWrites(f, name, args)
		text, marks = sedRuns(args), ""
	case "awk", "gawk", "mawk", "nawk":
		text, marks = shellword.JoinText(args), `system( |getline |"`
		if file, ok := shellword.ParseFlags(args, "-F -v -f --file").Get("-f", "--file"); ok {
			text += "\n" + f.FileText(file.Text)
		}
		code.Registers(f, "awk", text)
	case "rsync", "tar", "man", "less":
		if name == "rsync" {
			judgeWrites(f, name, args)
		}
		const runs = `-I -e -P --rsh --pager --to-command --use-compress-program
--checkpoint-action`
		text, marks = shellword.ParseFlags(args, runs).Val(strings.Fields(runs)...), ""
	case "vim", "nvim", "vi", "ex", "ed":
		for _, w := range args {
			if w.Text != "" && w.Text[0] != '-' && w.Text[0] != '+' {
				f.Writes(w, shellword.Join(args))
			}
		}
	case "expect": // in a terminal of its own, where a gate could be answered
		f.Quietly(func() { runInner(f, name, f.WordsOf(text), false) })
	case "unzip", "view", "tclsh", "wish", "psql", "sqlite3", "mysql", "gdb", "lldb":
	default:
		return false
	}
	if name == "tar" || name == "unzip" {
		fl := shellword.ParseFlags(args, "-C --directory -d -f --file -T -X")
		for _, w := range fl.All("-C", "--directory", "-d") {
			f.Writes(w, name+" "+shellword.Join(args))
			f.Brings(w, name+" "+shellword.Join(args))
		}
	}
	runs := marks == "" || shellword.HasPart(strings.ReplaceAll(text, " ", ""), marks)
	if runs && shellword.Lands(text) {
		f.Opaque(name+" "+text, "a program that may run a part of this text")
	}
	return true
}

// sedRuns are the scripts of GNU sed with an e command or the e flag of s.
func sedRuns(args []shellword.Word) string {
	runs := ""
	for _, w := range args {
		t := strings.TrimLeft(w.Text, "0123456789$, ")
		flags := t[strings.LastIndexAny(t, "/|#,")+1:]
		evals := strings.Contains(flags, "e") && strings.Trim(flags, "egpiIM0123456789") == ""
		if strings.HasPrefix(t, "e ") || t != "" && t[0] == 's' && len(flags) < len(t) && evals {
			runs += t + "\n"
		}
	}
	return runs
}
