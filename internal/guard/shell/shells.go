package shell

import (
	"strings"

	"hooks/internal/guard/shellword"
)

// ShellProgram is bash and its kin: -c text, a script, or standard input.
func (f *Frame) ShellProgram(name string, argv []shellword.Word) string {
	defer f.Through(name)()
	g := f.External()
	g.Args = nil
	opts := readOptions(name, argv[1:])
	switch {
	case opts.check:
		return ""
	case opts.command:
		return g.shellC(argv, opts.rest)
	case opts.stdin || len(opts.rest) == 0:
		return g.shellStdin(name, opts.rest)
	}
	return g.shellScript(name, opts.rest)
}

// shellOpts are the options of a shell that decide which text it runs.
type shellOpts struct {
	command bool             // -c: the text is the first word of the rest
	stdin   bool             // -s
	check   bool             // -n: nothing is run
	rest    []shellword.Word // behind the options
}

// readOptions reads the options of a shell as it does: joined letters, of which o and O take a word
// each ("-euo pipefail -c"), in zsh and ksh the rest of their own word where there is one.
func readOptions(name string, args []shellword.Word) (o shellOpts) {
	joined := shellword.Has("zsh ksh ksh93 mksh", name)
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		if text, ok := strings.CutPrefix(t, "--command="); ok { // of fish
			return shellOpts{command: true, rest: shellword.Lits(text)}
		}
		switch {
		case t == "-" || t == "--":
			o.rest = args[i+1:]
			return o
		case len(t) < 2 || t[0] != '-' && t[0] != '+':
			o.rest = args[i:]
			return o
		case shellword.Has("--rcfile --init-file", t):
			i++
			continue
		case strings.HasPrefix(t, "--"):
			continue
		}
		for j := 1; j < len(t); j++ {
			switch t[j] {
			case 'c':
				o.command = true
			case 'C':
				o.command = o.command || name == "fish"
			case 's':
				o.stdin = true
			case 'n':
				o.check = o.check || t[0] == '-'
			case 'o', 'O':
				if joined && j+1 < len(t) {
					j = len(t)
				} else {
					i++
				}
			}
		}
	}
	return o
}

// shellC runs the text of -c; the words behind it are $0 and the rest.
func (f *Frame) shellC(argv, rest []shellword.Word) string {
	if len(rest) == 0 {
		return ""
	}
	if len(rest) > 1 {
		f.Name, f.Args = rest[1].Text, shellword.Texts(rest[2:])
	}
	return f.ShellText(rest[0].Text, shellword.Join(argv))
}

func (f *Frame) shellScript(name string, args []shellword.Word) string {
	f.Args, f.Name = shellword.Texts(args[1:]), args[0].Text
	text, from := f.Open(args[0].Text)
	if f.Unread(text, from) {
		return shellword.Unknown
	}
	if from == Nowhere {
		why := ""
		if shellword.Blank(args[0].Text) {
			why = "the script's name is only known when it runs"
		} else if shellword.MergeWord(shellword.ProgramName(args[0].Text)) {
			why = "a script that cannot be read and is named after a merge"
		}
		if why != "" {
			f.Opaque(name+" "+shellword.Join(args), why)
		}
		return shellword.Unknown
	}
	f.via = append(f.via, args[0].Text)
	f.Script(text, from, args[0].Text)
	return shellword.Unknown
}

// shellStdin is a shell that reads its commands.
func (f *Frame) shellStdin(name string, args []shellword.Word) string {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	f.Args = shellword.Texts(args)
	if f.Stdin == nil {
		return ""
	}
	text := f.Stdin.Text
	f.Stdin = nil
	if shellword.BlankSoft(text) { // harmless as a name or a version, not as commands
		text = shellword.Unknown
	}
	return f.ShellText(text, "… | "+name)
}

// ShellText runs text in a new shell, or calls it opaque when nothing of it is known.
func (f *Frame) ShellText(text, how string) string {
	if shellword.BlankSoft(text) || strings.TrimSpace(text) == "" {
		return ""
	}
	if shellword.Blank(text) {
		f.Opaque(how, "the text it would run is only known when it runs")
		return shellword.Unknown
	}
	return f.Run(text)
}
