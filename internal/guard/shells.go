package guard

import (
	"maps"
	"strings"
)

// shellProgram is bash and its kin: -c text, a script, or standard input.
func (f *frame) shellProgram(name string, argv []word) string {
	defer f.through(name)()
	g := f.external()
	g.args, g.left = nil, false
	g.funcs = maps.Clone(g.exported)
	if v, ok := f.lookup("BASH_ENV"); ok && len(v.alts) > 0 {
		g.runFile(v.alts[0], nil, "BASH_ENV")
	}
	args := argv[1:]
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "--":
			return g.shellScript(name, args[i+1:])
		case t == "-c" || t == "--command", shorts(t, 'c'):
			return g.shellC(argv, args[i+1:])
		case shorts(t, 'n'):
			return ""
		case shorts(t, 's'), t == "-":
			return g.shellStdin(name, args[i+1:])
		case has("-o +o -O +O --rcfile --init-file", t):
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

func (f *frame) shellC(argv, rest []word) string {
	for len(rest) > 0 && (rest[0].text == "--" || len(rest[0].text) > 1 && rest[0].text[0] == '-' && !strings.Contains(rest[0].text, " ")) {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return ""
	}
	if len(rest) > 1 {
		f.name, f.args = rest[1].text, texts(rest[2:])
	}
	return f.shellText(rest[0].text, joinWords(argv))
}

func (f *frame) shellScript(name string, args []word) string {
	if len(args) == 0 {
		return f.shellStdin(name, nil)
	}
	f.args, f.name = texts(args[1:]), args[0].text
	text, from := f.open(args[0].text)
	if from == nowhere {
		if blank(args[0].text) {
			f.opaque(name+" "+joinWords(args), "the script's name is only known when it runs")
		} else if mergeWord(programName(args[0].text)) {
			f.opaque(name+" "+joinWords(args), "a script that cannot be read and is named after a merge")
		}
		return hole
	}
	f.via = append(f.via, args[0].text)
	f.script(text, from, args[0].text+".sh")
	return hole
}

// shellStdin is a shell that reads its commands.
func (f *frame) shellStdin(name string, args []word) string {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	f.args = texts(args)
	if f.stdin == nil {
		return ""
	}
	text := f.stdin.text
	f.stdin = nil
	return f.shellText(text, "… | "+name)
}

// shellText runs text in a new shell, or calls it opaque when nothing of it is known.
func (f *frame) shellText(text, how string) string {
	if blankSoft(text) || strings.TrimSpace(text) == "" {
		return ""
	}
	if blank(text) {
		f.opaque(how, "the text it would run is only known when it runs")
		return hole
	}
	return f.run(text)
}
