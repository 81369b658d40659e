package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtin runs the builtins of bash that matter: those that run text, set names, or change place.
func (f *frame) builtin(name string, argv []word) (out string, ok bool) {
	rest := argv[1:]
	switch name {
	case ":", "true":
		f.status = yes
	case "false":
		f.status = no
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
		f.cwd = ""
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
func (f *frame) naming(name string, rest []word) (out string, ok bool) {
	switch name {
	case "set":
		f.setArgs(rest)
	case "shift":
		f.shift(rest)
	case "alias":
		for _, w := range rest {
			if n, text, ok := strings.Cut(w.text, "="); ok {
				f.aliases[n] = text
			}
		}
	case "unalias":
		for _, w := range rest {
			delete(f.aliases, w.text)
		}
	case "export", "declare", "local", "readonly", "typeset":
		for _, w := range rest {
			if n, text, ok := strings.Cut(w.text, "="); ok && syntax.ValidName(n) {
				f.set(n, text)
				f.runsLater(n)
			}
			if name == "export" {
				n, _, _ := strings.Cut(w.text, "=")
				f.export(n)
			}
		}
	case "unset":
		for _, w := range rest {
			f.vars[w.text] = variable{}
			delete(f.funcs, w.text)
		}
	case "read", "mapfile", "readarray":
		f.readInto(name, rest)
	case "hash":
		if len(rest) > 2 && rest[0].text == "-p" {
			f.aliases[rest[2].text] = rest[1].text
		}
	case "type", "which":
		return f.where(rest), true
	case "pwd":
		if f.cwd == "" {
			return hole, true
		}
		return f.cwd + "\n", true
	case "getopts", "wait", "jobs", "umask", "ulimit", "shopt", "enable", "bg", "fg", "disown", "times", "history", "complete", "compopt", "bind":
	default:
		return "", false
	}
	return "", true
}

// eval runs the words as text.
func (f *frame) eval(rest []word) string {
	if len(rest) > 0 && rest[0].text == "--" {
		rest = rest[1:]
	}
	text := strings.Join(texts(rest), " ")
	if text == "" || blankSoft(text) {
		return ""
	}
	if blank(text) {
		f.opaque("eval "+joinWords(rest), "the text it would run is only known when it runs")
		return hole
	}
	return f.inside("eval", text)
}

// inside runs text in this very shell, through a named wrapper.
func (f *frame) inside(wrapper, text string) string {
	defer f.through(wrapper)()
	return f.run(text)
}

// inShell runs words as a command of this shell, through a wrapper.
func (f *frame) inShell(wrapper string, argv []word) string {
	if len(argv) == 0 {
		return ""
	}
	defer f.through(wrapper)()
	out := f.argv(argv)
	if wrapper == "exec" {
		f.left = true
	}
	return out
}

func parseExec(rest []word) (string, []word) {
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		if rest[0].text == "-a" && len(rest) > 1 {
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	return "exec", rest
}

// commandBuiltin is command and builtin: no function or alias stands in the way; command -v prints a path.
func (f *frame) commandBuiltin(name string, rest []word) string {
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		if strings.ContainsAny(rest[0].text, "vV") {
			return f.where(rest[1:])
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return ""
	}
	defer f.through(name)()
	if !rest[0].known() {
		return f.unknownName(rest)
	}
	return f.named(rest)
}

// where is what which, type -P and command -v print.
func (f *frame) where(rest []word) string {
	for _, w := range rest {
		if !strings.HasPrefix(w.text, "-") {
			return "/usr/bin/" + programName(w.text) + "\n"
		}
	}
	return ""
}

// source1 runs a file in this shell.
func (f *frame) source1(rest []word) {
	if len(rest) == 0 {
		return
	}
	text, from := f.open(rest[0].text)
	if from == nowhere {
		if blank(rest[0].text) {
			f.opaque("source "+joinWords(rest), "the file it would run is only known when it runs")
		}
		return
	}
	if blank(text) {
		if !blankSoft(text) {
			f.opaque("source "+joinWords(rest), "the text it would run is only known when it runs")
		}
		return
	}
	defer f.through("source " + rest[0].text)()
	onDisk, args := f.disk, f.args
	if len(rest) > 1 {
		f.args = texts(rest[1:])
	}
	f.disk = f.disk || from == disk
	f.run(text)
	f.disk, f.left = onDisk, false
	if len(rest) > 1 {
		f.args = args
	}
}

func (f *frame) trap(rest []word) {
	if len(rest) > 1 && rest[0].text == "--" {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0].text == "-" || rest[0].text == "" || strings.HasPrefix(rest[0].text, "-") {
		return
	}
	f.within("trap", func() { f.child().run(rest[0].text) })
}

func (f *frame) cd(rest []word) {
	for len(rest) > 0 && len(rest[0].text) > 1 && rest[0].text[0] == '-' {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		f.cwd = "~"
	case rest[0].text == "-":
		f.cwd = hole
	default:
		f.cwd = f.resolve(rest[0].text)
	}
}

// setArgs is set -- a b: the words become "$@".
func (f *frame) setArgs(rest []word) {
	for i, w := range rest {
		if shorts(w.text, 'a') || w.text == "allexport" {
			f.exportAll = i == 0 || rest[i-1].text != "+o"
		}
		if w.text == "--" || w.text == "-" {
			f.args = texts(rest[i+1:])
			return
		}
		if !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+") {
			if i > 0 && strings.HasSuffix(rest[i-1].text, "o") && strings.ContainsAny(rest[i-1].text[:1], "-+") {
				continue
			}
			f.args = texts(rest[i:])
			return
		}
	}
}

func (f *frame) shift(rest []word) {
	n := 1
	if len(rest) > 0 {
		v, ok := atoi(rest[0].text)
		if !ok {
			f.args = []string{hole}
			return
		}
		n = v
	}
	if n >= 0 && n <= len(f.args) {
		f.args = f.args[n:]
		f.status = yes
		return
	}
	f.status = no
}

// readInto is read, mapfile and readarray: names filled from standard input.
func (f *frame) readInto(name string, rest []word) {
	valued := "-a -d -i -n -N -p -t -u"
	if name != "read" {
		valued = "-d -n -O -s -c -C -u"
	}
	fl := parseFlags(rest, valued)
	line, rest1, more := nextLine(f.stdin)
	if name != "read" {
		target := fl.arg(0).text
		if target == "" {
			target = "MAPFILE"
		}
		all := strings.TrimRight(line+"\n"+rest1, "\n")
		f.vars[target] = variable{array: true, list: strings.Split(all, "\n")}
		return
	}
	if f.stdin != nil {
		f.stdin.text = rest1
	}
	f.status = more
	if target := fl.val("-a"); target != "" {
		f.vars[target] = variable{array: true, list: splitIFS(line, f.ifs(), -1)}
		return
	}
	f.fill(fl.pos, line)
}

// fill spreads a line over the names; the last one takes the rest.
func (f *frame) fill(names []word, line string) {
	if len(names) == 0 {
		f.set("REPLY", line)
		return
	}
	parts := splitIFS(line, f.ifs(), len(names))
	for i, n := range names {
		value := ""
		switch {
		case i < len(parts):
			value = parts[i]
		case unknown(line):
			value = hole
		}
		if syntax.ValidName(n.text) {
			f.set(n.text, value)
		}
	}
}

// nextLine takes one line off a stream; more tells whether there was one.
func nextLine(s *stream) (line, rest string, more truth) {
	if s == nil {
		return hole, "", maybe
	}
	if s.text == "" {
		return "", "", no
	}
	line, rest, _ = strings.Cut(s.text, "\n")
	if unknown(line) {
		return line, s.text, maybe
	}
	return line, rest, yes
}

// splitIFS splits a line at the separators, into at most n parts; the last keeps its own.
func splitIFS(line, ifs string, n int) []string {
	if ifs == "" {
		return []string{line}
	}
	var parts []string
	line = strings.Trim(line, " \t\n")
	for line != "" {
		i := strings.IndexAny(line, ifs)
		if i < 0 || n > 0 && len(parts) == n-1 {
			return append(parts, line)
		}
		parts = append(parts, line[:i])
		line = strings.TrimLeft(line[i+1:], " \t")
	}
	return parts
}
