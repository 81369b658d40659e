package guard

import "strings"

// languageFlags tells an interpreter's language and the flags that carry program text.
func languageFlags(name string) (lang, flags string) {
	switch {
	case strings.HasPrefix(name, "python") || has("py pypy pypy3 ipython jython xonsh", name):
		return "python", "-c"
	case has("node nodejs deno bun tsx ts-node zx qjs esno", name):
		return "node", "-e -p -pe --eval --print eval"
	case strings.HasPrefix(name, "perl"):
		return "perl", "-e -E -ne -pe -le -lne -we -nE -lE"
	case strings.HasPrefix(name, "ruby") || name == "jruby":
		return "ruby", "-e -ne -pe"
	case strings.HasPrefix(name, "php"):
		return "php", "-r"
	case strings.HasPrefix(name, "lua") || name == "luajit" || name == "elixir" || name == "groovy" || name == "Rscript" ||
		name == "R" || name == "julia" || name == "scala" || name == "guile" || name == "emacs" || name == "osascript" ||
		name == "swift" || name == "jshell" || name == "erl" || name == "ghc" || name == "racket" || name == "sbcl" ||
		name == "clojure" || name == "bb.clj":
		return "other", "-e --eval -E --expr -eval"
	case name == "tclsh" || name == "wish":
		return "tcl", ""
	case has("awk gawk mawk nawk", name):
		return "awk", ""
	case has("pwsh powershell", strings.ToLower(name)):
		return "powershell", ""
	case has("cmd", strings.ToLower(name)):
		return "powershell", "cmd"
	}
	return "", ""
}

func (f *frame) interpret(lang, names string, argv []word) {
	args := argv[1:]
	if lang == "perl" || lang == "ruby" {
		f.editsInPlace(argv)
	}
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case has(names, t):
			if i+1 < len(args) {
				f.codeText(lang, args[i+1].text, joinWords(argv), args[i+2:])
			}
			return
		case glued(names, t) != "":
			f.codeText(lang, glued(names, t), joinWords(argv), args[i+1:])
			return
		case t == "-m" && lang == "python" && i+1 < len(args):
			f.m.world.Inner(f, "python -m", args[i+2:])
			return
		case t == "-" || t == "/dev/stdin":
			f.codeStdin(lang, argv)
			return
		case t == "run" || t == "x":
		case strings.HasPrefix(t, "-"):
			if has("-r --require -W -X -I --import --loader -C", t) {
				i++
			}
		default:
			f.codeFile(lang, args[i:])
			return
		}
	}
	f.codeStdin(lang, argv)
}

// editsInPlace judges the files of perl -pi and ruby -pi.
func (f *frame) editsInPlace(argv []word) {
	inPlace := false
	for _, w := range argv[1:] {
		inPlace = inPlace || shorts(w.text, 'i') && len(w.text) < 8
	}
	if inPlace {
		for _, w := range parseFlags(argv[1:], "-e -E -I -M").pos {
			f.writes(w, clip(joinWords(argv), 300))
		}
	}
}

// glued is program text in the same word as its flag: -e'code', --eval=code.
func glued(names, t string) string {
	if name, val, ok := strings.Cut(t, "="); ok && strings.HasPrefix(t, "--") && has(names, name) {
		return val
	}
	if len(t) > 2 && t[0] == '-' && t[1] != '-' && has(names, t[:2]) {
		return t[2:]
	}
	return ""
}

func (f *frame) codeText(lang, text, how string, rest []word) {
	if blank(text) {
		if !blankSoft(text) {
			f.opaque(how, "the program it would run is only known when it runs")
		}
		return
	}
	f.code(lang, text, rest)
}

func (f *frame) codeStdin(lang string, argv []word) {
	if f.stdin != nil {
		text := f.stdin.text
		f.stdin = nil
		f.codeText(lang, text, "… | "+joinWords(argv), nil)
	}
}

func (f *frame) codeFile(lang string, args []word) {
	name := args[0].text
	text, from := f.open(name)
	switch {
	case from == nowhere:
		if mergeWord(programName(name)) {
			f.opaque(joinWords(args), "a program that cannot be read and is named after a merge")
		}
		f.m.world.Inner(f, name, args[1:])
		return
	case len(text) > maxText:
		return
	}
	f.inFile(name, from)
	f.codeText(lang, text, joinWords(args), args[1:])
}
