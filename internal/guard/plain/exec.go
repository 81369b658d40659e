package plain

import (
	"strings"

	"hooks/internal/guard/shellword"
)

// shells lists the programs that run shell text.
const shells = "sh bash zsh dash ksh ksh93 mksh ash fish rbash csh tcsh xonsh pwsh-sh"

// Exec reads a command whose words are already expanded.
func (f *Frame) Exec(argv []shellword.Word) {
	if len(argv) == 0 || !f.M.Burn(1) {
		return
	}
	w := argv[0]
	if !w.Known() || w.Glob {
		f.unknownName(argv)
		return
	}
	f.Named(argv)
}

// Named reads a command by the base name of its first word.
func (f *Frame) Named(argv []shellword.Word) {
	f.nest++ // commands may start each other in a cycle
	defer func() { f.nest-- }()
	if f.nest > maxNesting || !f.M.Burn(1) {
		f.M.abort(tooDeep)
		return
	}
	name, rest := shellword.ProgramName(argv[0].Text), argv[1:]
	switch {
	case shellword.Has(shells, name):
		f.shell(name, argv)
		return
	case shellword.Has("eval command builtin exec trap source . cd pushd popd", name):
		f.builtin(name, rest)
		return
	}
	f.M.program(f, name, argv)
}

// builtin reads the bash builtins that run text or a command, or change the directory.
func (f *Frame) builtin(name string, rest []shellword.Word) {
	if name != "exec" && len(rest) > 0 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	switch name {
	case "eval":
		g := f.Through("eval")
		g.ShellText(shellword.JoinText(rest), "eval "+shellword.Join(rest))
		f.Cwd = g.Cwd
	case "command", "builtin", "exec":
		g := f.Through(name)
		g.Exec(shellword.Command(rest, "-a"))
		f.Cwd = g.Cwd
	case "trap":
		if rest = shellword.Command(rest, ""); len(rest) > 1 {
			f.Through("trap").Run(rest[0].Text)
		}
	case "source", ".":
		if file := shellword.JoinText(rest[:min(1, len(rest))]); file == "/dev/stdin" {
			f.ShellText(f.Input(), name+" "+file)
		} else {
			f.RunsFile(name + " " + file)
		}
	default:
		switch rest = shellword.Command(rest, ""); {
		case len(rest) == 0:
			f.Cwd = "~"
		case rest[0].Text == "-":
			f.Cwd = shellword.Unknown
		default:
			f.Cwd = f.Resolve(rest[0].Text)
		}
	}
}

// unknownName reads a command whose first word is not fully known. If the base name is known, the
// command counts as that program; otherwise it is opaque.
func (f *Frame) unknownName(argv []shellword.Word) {
	w := argv[0]
	name := w.Text[strings.LastIndexByte(w.Text, '/')+1:]
	if name != "" && !shellword.HasUnknown(name) && !strings.ContainsAny(name, "*?[") {
		f.Named(append([]shellword.Word{{Text: name, Src: w.Src}}, argv[1:]...))
		return
	}
	note := f.Opaque
	// these are subcommands of forge clients and git
	if shellword.AnyOf(shellword.Texts(argv[1:]), "pr mr api push pulls") {
		note = f.OpaqueForge
	}
	note(shellword.Join(argv), "the command's name is only known at run time")
}

// shell reads a shell's -c text or standard input, but no script file. Options may be joined. If
// they end in o or O, the next word is that option's value ("-euo pipefail -c").
func (f *Frame) shell(name string, argv []shellword.Word) {
	letters, rest := "", argv[1:]
	for len(rest) > 0 && len(rest[0].Text) > 1 && strings.IndexByte("-+", rest[0].Text[0]) >= 0 {
		t := rest[0].Text
		if rest = rest[1:]; t == "--" {
			break
		}
		if strings.HasPrefix(t, "--") || t[1] == 'o' && len(t) > 2 { // --norc, -opipefail
			continue
		}
		letters += t
		rest = rest[min(len(rest), shellword.Btoi(strings.ContainsAny(t[len(t)-1:], "oO"))):]
	}
	g := f.Through(name)
	g.names.words = nil // the child sees only exported variables
	switch {
	case strings.Contains(letters, "n"): // only checks the syntax
	case strings.Contains(letters, "c"):
		if len(rest) > 0 {
			g.ShellText(rest[0].Text, shellword.Join(argv))
		}
	case strings.Contains(letters, "s"), len(rest) == 0,
		shellword.Has("- /dev/stdin", rest[0].Text):
		if text := g.Stdin; text != nil {
			g.Stdin = nil
			g.ShellText(*text, "… | "+name)
		}
	default:
		g.RunsFile(name + " " + rest[0].Text)
	}
}

// ShellText reads text like Run, or records it as opaque if it is completely unknown.
func (f *Frame) ShellText(text, how string) {
	switch {
	case strings.TrimSpace(text) == "":
	case shellword.Blank(text):
		f.Opaque(how, "the text that it runs is only known at run time")
	default:
		f.Run(text)
	}
}

// Saves records that the current shell text writes a file, if the text could land something.
func (f *Frame) Saves() {
	if shellword.Lands(f.src) {
		f.M.written = f.src
	}
}

// RunsFile judges a command that runs a file. It does not open the file. It records the command as
// opaque if part of it is unknown, or if Saves recorded shell text earlier in this call.
func (f *Frame) RunsFile(how string) {
	if shellword.HasUnknown(how) {
		f.Opaque(how, "the file that it runs is only known at run time")
	}
	if f.M.written != "" {
		f.OpaqueForge(how, "the call writes text to a file and may run that file")
	}
}
