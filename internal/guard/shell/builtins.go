package shell

import (
	"cmp"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// builtin runs the builtins of bash that matter: those that run text, set names or change place.
// ok is false for any other name.
func (f *Frame) builtin(name string, argv []shellword.Word) (out string, ok bool) {
	rest := argv[1:]
	switch name {
	case ":", "true":
		f.status = Yes
	case "false":
		f.status = No
	case "eval":
		return f.eval(rest), true
	case "exec":
		return f.exec(rest), true
	case "command", "builtin":
		return f.commandBuiltin(name, rest), true
	case "source", ".":
		f.source1(rest)
	case "trap":
		f.trap(rest)
	case "cd", "pushd":
		f.cd(rest)
	case "popd":
		f.Cwd = ""
	case "test", "[":
		f.status = testArgs(rest)
	case "exit", "return", "break", "continue":
		f.left = true
	case "type", "which":
		return where(rest), true
	case "pwd":
		return cmp.Or(f.Cwd, shellword.Unknown) + "\n", true
	default:
		return "", f.naming(name, rest)
	}
	return "", true
}

// naming runs the builtins that set names.
func (f *Frame) naming(name string, rest []shellword.Word) (ok bool) {
	switch name {
	case "set":
		f.setArgs(rest)
	case "shift":
		f.shift(rest)
	case "alias":
		for _, w := range rest {
			if n, text, ok := strings.Cut(w.Text, "="); ok {
				f.Aliases[n] = text
			}
		}
	case "unalias":
		for _, w := range rest {
			delete(f.Aliases, w.Text)
		}
	case "export", "declare", "local", "readonly", "typeset":
		for _, w := range rest {
			f.declareText(w.Text, name == "export")
			if name == "export" && !strings.Contains(w.Text, "=") {
				f.Export(w.Text)
			}
		}
	case "unset":
		for _, w := range rest {
			f.vars[w.Text] = variable{}
			delete(f.funcs, w.Text)
		}
	case "read":
		f.read(rest)
	case "mapfile", "readarray":
		target := shellword.ParseFlags(rest, "-d -n -O -s -c -C -u").Arg(0).Text
		if target == "" {
			target = "MAPFILE"
		}
		f.vars[target] = variable{array: true, vals: []string{shellword.Unknown}}
	default:
		return shellword.Has(`getopts wait jobs umask ulimit shopt enable bg fg disown times history
complete compopt bind hash`, name)
	}
	return true
}

// eval runs the words as text.
func (f *Frame) eval(rest []shellword.Word) string {
	if len(rest) > 0 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	defer f.Through("eval")()
	return f.ShellText(shellword.JoinText(rest), "eval "+shellword.Join(rest))
}

// Inside runs text in this very shell, through a named wrapper.
func (f *Frame) Inside(wrapper, text string) string {
	defer f.Through(wrapper)()
	return f.Run(text)
}

// exec replaces this shell by a command; nothing behind it runs.
func (f *Frame) exec(rest []shellword.Word) string {
	if rest = shellword.Command(rest, "-a", 0); len(rest) == 0 {
		return ""
	}
	defer f.Through("exec")()
	out := f.Exec(rest)
	f.left = true
	return out
}

// commandBuiltin is command and builtin, which pass over functions and aliases. command -v prints a
// path.
func (f *Frame) commandBuiltin(name string, rest []shellword.Word) string {
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		if strings.ContainsAny(rest[0].Text, "vV") {
			return where(rest[1:])
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return ""
	}
	defer f.Through(name)()
	if !rest[0].Known() {
		return f.UnknownName(rest)
	}
	return f.Named(rest)
}

// where is the output of which, type -P and command -v.
func where(rest []shellword.Word) string {
	if rest = shellword.Command(rest, "", 0); len(rest) == 0 {
		return ""
	}
	return "/usr/bin/" + shellword.ProgramName(rest[0].Text) + "\n"
}

// source1 runs a file in this shell.
func (f *Frame) source1(rest []shellword.Word) {
	if len(rest) == 0 {
		return
	}
	name, how := rest[0].Text, "source "+shellword.Join(rest)
	text, from := f.Open(name)
	if f.Unread(text, from) {
		return
	}
	if from == Nowhere && shellword.Blank(name) {
		f.Opaque(how, "the file it would run is only known when it runs")
	}
	defer f.Through("source " + name)()
	onDisk, args := f.Disk, f.Args
	f.Disk = f.Disk || from == Disk
	if len(rest) == 1 {
		f.ShellText(text, how)
	} else {
		f.Args = shellword.Texts(rest[1:])
		f.ShellText(text, how)
		f.Args = args
	}
	f.Disk, f.left = onDisk, false
}

func (f *Frame) trap(rest []shellword.Word) {
	if rest = shellword.Command(rest, "", 0); len(rest) > 1 {
		f.Within("trap", func() { f.Child().Run(rest[0].Text) })
	}
}

func (f *Frame) cd(rest []shellword.Word) {
	rest = shellword.Command(rest, "", 0)
	switch {
	case len(rest) == 0:
		f.Cwd = "~"
	case rest[0].Text == "-":
		f.Cwd = shellword.Unknown
	default:
		f.Cwd = f.Resolve(rest[0].Text)
	}
}

// setArgs is set -- a b: the words become "$@".
func (f *Frame) setArgs(rest []shellword.Word) {
	for i := 0; i < len(rest); i++ {
		t := rest[i].Text
		switch {
		case t == "--" || t == "-":
			f.Args = shellword.Texts(rest[i+1:])
			return
		case t == "" || t[0] != '-' && t[0] != '+':
			f.Args = shellword.Texts(rest[i:])
			return
		case strings.HasSuffix(t, "o"): // a name follows: set -euo pipefail
			i++
		}
	}
}

func (f *Frame) shift(rest []shellword.Word) {
	n := 1
	if len(rest) > 0 {
		v, ok := shellword.Atoi(rest[0].Text)
		if !ok {
			f.Args = []string{shellword.Unknown}
			return
		}
		n = v
	}
	if f.status = No; n >= 0 && n <= len(f.Args) {
		f.Args, f.status = f.Args[n:], Yes
	}
}

// read gives a line of the input to one name. Of several names each holds something unknown.
func (f *Frame) read(rest []shellword.Word) {
	fl := shellword.ParseFlags(rest, "-a -d -i -n -N -p -t -u")
	if target := fl.Val("-a"); target != "" {
		f.vars[target] = variable{array: true, vals: []string{shellword.Unknown}}
		return
	}
	line := shellword.Unknown
	if s := f.Stdin; s != nil {
		var after string
		line, after, _ = strings.Cut(s.Text, "\n")
		switch {
		case s.Text == "":
			f.status = No
		case !shellword.HasUnknown(line):
			f.status = Yes
			s.Text = after
		}
	}
	names := shellword.Texts(fl.Pos)
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	for _, n := range names {
		if len(names) > 1 && line != "" {
			line = shellword.Unknown
		}
		if syntax.ValidName(n) {
			f.Set(n, line)
		}
	}
}
