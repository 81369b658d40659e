package shell

import (
	"maps"
	"strings"

	"hooks/internal/guard/word"
)

// ShellProgram is bash and its kin: -c text, a script, or standard input.
func (f *Frame) ShellProgram(name string, argv []word.Word) string {
	defer f.Through(name)()
	g := f.External()
	g.Args, g.left = nil, false
	g.funcs = maps.Clone(g.exported)
	if v, ok := f.lookup("BASH_ENV"); ok && len(v.alts) > 0 {
		g.RunFile(v.alts[0], nil, "BASH_ENV")
	}
	args := argv[1:]
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
			return g.shellScript(name, args[i+1:])
		case t == "-c" || t == "--command", word.Shorts(t, 'c'):
			return g.shellC(argv, args[i+1:])
		case word.Shorts(t, 'n'):
			return ""
		case word.Shorts(t, 's'), t == "-":
			return g.shellStdin(name, args[i+1:])
		case word.Has("-o +o -O +O --rcfile --init-file", t):
			if t == "--rcfile" || t == "--init-file" {
				g.source1(args[i+1 : min(i+2, len(args))])
			}
			i++
		case strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+"):
		default:
			return g.shellScript(name, args[i:])
		}
	}
	return g.shellStdin(name, nil)
}

func (f *Frame) shellC(argv, rest []word.Word) string {
	for len(rest) > 0 && (rest[0].Text == "--" || len(rest[0].Text) > 1 && rest[0].Text[0] == '-' && !strings.Contains(rest[0].Text, " ")) {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return ""
	}
	if len(rest) > 1 {
		f.Name, f.Args = rest[1].Text, word.Texts(rest[2:])
	}
	return f.ShellText(rest[0].Text, word.Join(argv))
}

func (f *Frame) shellScript(name string, args []word.Word) string {
	if len(args) == 0 {
		return f.shellStdin(name, nil)
	}
	f.Args, f.Name = word.Texts(args[1:]), args[0].Text
	text, from := f.Open(args[0].Text)
	if f.Unread(text, from) {
		return word.Hole
	}
	if from == Nowhere {
		if word.Blank(args[0].Text) {
			f.Opaque(name+" "+word.Join(args), "the script's name is only known when it runs")
		} else if word.MergeWord(word.ProgramName(args[0].Text)) {
			f.Opaque(name+" "+word.Join(args), "a script that cannot be read and is named after a merge")
		}
		return word.Hole
	}
	f.via = append(f.via, args[0].Text)
	f.Script(text, from, args[0].Text+".sh")
	return word.Hole
}

// shellStdin is a shell that reads its commands.
func (f *Frame) shellStdin(name string, args []word.Word) string {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	f.Args = word.Texts(args)
	if f.Stdin == nil {
		return ""
	}
	text := f.Stdin.Text
	f.Stdin = nil
	return f.ShellText(text, "… | "+name)
}

// ShellText runs text in a new shell, or calls it opaque when nothing of it is known.
func (f *Frame) ShellText(text, how string) string {
	if word.BlankSoft(text) || strings.TrimSpace(text) == "" {
		return ""
	}
	if word.Blank(text) {
		f.Opaque(how, "the text it would run is only known when it runs")
		return word.Hole
	}
	return f.Run(text)
}
