package shell

import (
	"cmp"
	"strings"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// builtin runs the builtins of bash that matter: those that run text, set names, or change place.
func (f *Frame) builtin(name string, argv []word.Word) (out string, ok bool) {
	rest := argv[1:]
	switch name {
	case ":", "true":
		f.status = Yes
	case "false":
		f.status = No
	case "eval":
		return f.eval(rest), true
	case "exec":
		return f.inShell(parseExec(rest)), true
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
	default:
		return f.naming(name, rest)
	}
	return "", true
}

// naming runs the builtins that set names.
func (f *Frame) naming(name string, rest []word.Word) (out string, ok bool) {
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
			if n, text, ok := strings.Cut(w.Text, "="); ok && syntax.ValidName(n) {
				f.Set(n, text)
				f.RunsLater(n)
			}
			if name == "export" {
				n, _, _ := strings.Cut(w.Text, "=")
				f.Export(n)
			}
		}
	case "unset":
		for _, w := range rest {
			f.vars[w.Text] = variable{}
			delete(f.funcs, w.Text)
		}
	case "read", "mapfile", "readarray":
		f.readInto(name, rest)
	case "hash":
		if len(rest) > 2 && rest[0].Text == "-p" {
			f.Aliases[rest[2].Text] = rest[1].Text
		}
	case "type", "which":
		return f.where(rest), true
	case "pwd":
		if f.Cwd == "" {
			return word.Hole, true
		}
		return f.Cwd + "\n", true
	case "getopts", "wait", "jobs", "umask", "ulimit", "shopt", "enable", "bg", "fg", "disown", "times", "history", "complete", "compopt", "bind":
	default:
		return "", false
	}
	return "", true
}

// eval runs the words as text.
func (f *Frame) eval(rest []word.Word) string {
	if len(rest) > 0 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	text := strings.Join(word.Texts(rest), " ")
	if text == "" || word.BlankSoft(text) {
		return ""
	}
	if word.Blank(text) {
		f.Opaque("eval "+word.Join(rest), "the text it would run is only known when it runs")
		return word.Hole
	}
	return f.Inside("eval", text)
}

// Inside runs text in this very shell, through a named wrapper.
func (f *Frame) Inside(wrapper, text string) string {
	defer f.Through(wrapper)()
	return f.Run(text)
}

// inShell runs words as a command of this shell, through a wrapper.
func (f *Frame) inShell(wrapper string, argv []word.Word) string {
	if len(argv) == 0 {
		return ""
	}
	defer f.Through(wrapper)()
	out := f.Exec(argv)
	if wrapper == "exec" {
		f.left = true
	}
	return out
}

func parseExec(rest []word.Word) (string, []word.Word) {
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		if rest[0].Text == "-a" && len(rest) > 1 {
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	return "exec", rest
}

// commandBuiltin is command and builtin: no function or alias stands in the way; command -v prints a path.
func (f *Frame) commandBuiltin(name string, rest []word.Word) string {
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		if strings.ContainsAny(rest[0].Text, "vV") {
			return f.where(rest[1:])
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

// where is what which, type -P and command -v print.
func (f *Frame) where(rest []word.Word) string {
	for _, w := range rest {
		if !strings.HasPrefix(w.Text, "-") {
			return "/usr/bin/" + word.ProgramName(w.Text) + "\n"
		}
	}
	return ""
}

// source1 runs a file in this shell.
func (f *Frame) source1(rest []word.Word) {
	if len(rest) == 0 {
		return
	}
	text, from := f.Open(rest[0].Text)
	if f.Unread(text, from) {
		return
	}
	if from == Nowhere {
		if word.Blank(rest[0].Text) {
			f.Opaque("source "+word.Join(rest), "the file it would run is only known when it runs")
		}
		return
	}
	if word.Blank(text) {
		if !word.BlankSoft(text) {
			f.Opaque("source "+word.Join(rest), "the text it would run is only known when it runs")
		}
		return
	}
	defer f.Through("source " + rest[0].Text)()
	onDisk, args := f.Disk, f.Args
	if len(rest) > 1 {
		f.Args = word.Texts(rest[1:])
	}
	f.Disk = f.Disk || from == Disk
	f.Run(text)
	f.Disk, f.left = onDisk, false
	if len(rest) > 1 {
		f.Args = args
	}
}

func (f *Frame) trap(rest []word.Word) {
	if len(rest) > 1 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0].Text == "-" || rest[0].Text == "" || strings.HasPrefix(rest[0].Text, "-") {
		return
	}
	f.Within("trap", func() { f.Child().Run(rest[0].Text) })
}

func (f *Frame) cd(rest []word.Word) {
	for len(rest) > 0 && len(rest[0].Text) > 1 && rest[0].Text[0] == '-' {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		f.Cwd = "~"
	case rest[0].Text == "-":
		f.Cwd = word.Hole
	default:
		f.Cwd = f.Resolve(rest[0].Text)
	}
}

// setArgs is set -- a b: the words become "$@".
func (f *Frame) setArgs(rest []word.Word) {
	for i, w := range rest {
		if word.Shorts(w.Text, 'a') || w.Text == "allexport" {
			f.exportAll = i == 0 || rest[i-1].Text != "+o"
		}
		if w.Text == "--" || w.Text == "-" {
			f.Args = word.Texts(rest[i+1:])
			return
		}
		if !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+") {
			if i > 0 && strings.HasSuffix(rest[i-1].Text, "o") && strings.ContainsAny(rest[i-1].Text[:1], "-+") {
				continue
			}
			f.Args = word.Texts(rest[i:])
			return
		}
	}
}

func (f *Frame) shift(rest []word.Word) {
	n := 1
	if len(rest) > 0 {
		v, ok := word.Atoi(rest[0].Text)
		if !ok {
			f.Args = []string{word.Hole}
			return
		}
		n = v
	}
	if n >= 0 && n <= len(f.Args) {
		f.Args = f.Args[n:]
		f.status = Yes
		return
	}
	f.status = No
}

// readInto is read, mapfile and readarray: one name takes a line as it is, of several each holds
// something unknown.
func (f *Frame) readInto(name string, rest []word.Word) {
	valued := "-a -d -i -n -N -p -t -u"
	if name != "read" {
		valued = "-d -n -O -s -c -C -u"
	}
	fl := word.ParseFlags(rest, valued)
	if target := fl.Val("-a"); target != "" || name != "read" {
		if target == "" {
			target = cmp.Or(fl.Arg(0).Text, "MAPFILE")
		}
		f.vars[target] = variable{array: true, list: []string{word.Hole}}
		return
	}
	line, rest1, more := nextLine(f.Stdin)
	if f.Stdin != nil {
		f.Stdin.Text = rest1
	}
	f.status = more
	names := word.Texts(fl.Pos)
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	for _, n := range names {
		if !syntax.ValidName(n) {
			continue
		}
		if len(names) > 1 && line != "" {
			line = word.Hole
		}
		f.Set(n, line)
	}
}

// nextLine takes one line off a stream; more tells whether there was one.
func nextLine(s *Stream) (line, rest string, more Truth) {
	if s == nil {
		return word.Hole, "", Maybe
	}
	if s.Text == "" {
		return "", "", No
	}
	line, rest, _ = strings.Cut(s.Text, "\n")
	if word.Unknown(line) {
		return line, s.Text, Maybe
	}
	return line, rest, Yes
}
