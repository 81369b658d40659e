// Package code reads programs of other languages for what they would run, request or write. It
// knows the languages by their quotes, comments, calls and assignments only.
package code

import (
	"path"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Language tells an interpreter's language and the flags that carry program text.
func Language(name string) (lang, flags string) {
	switch {
	case strings.HasPrefix(name, "python") || word.Has("py pypy pypy3 ipython jython xonsh", name):
		return "python", "-c"
	case word.Has("node nodejs deno bun tsx ts-node zx qjs esno", name):
		return "node", "-e -p -pe --eval --print eval"
	case strings.HasPrefix(name, "perl"):
		return "perl", "-e -E -ne -pe -le -lne -we -nE -lE"
	case strings.HasPrefix(name, "ruby") || name == "jruby":
		return "ruby", "-e -ne -pe"
	case strings.HasPrefix(name, "php"):
		return "php", "-r"
	case strings.HasPrefix(name, "lua") ||
		word.Has(`elixir groovy Rscript R julia scala guile emacs osascript swift jshell erl ghc
racket sbcl clojure bb.clj`, name):
		return "other", "-e --eval -E --expr -eval"
	case word.Has("awk gawk mawk nawk", name):
		return "awk", ""
	case word.Has("pwsh powershell", strings.ToLower(name)):
		return "powershell", ""
	case strings.EqualFold(name, "cmd"):
		return "powershell", "cmd"
	}
	return "", ""
}

// Interpret reads an interpreter's command line. names are its flags that carry program text.
func Interpret(f *shell.Frame, lang, names string, argv []word.Word) {
	args := argv[1:]
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case word.Has(names, t) || clustered(lang, t):
			if i+1 < len(args) {
				Text(f, lang, args[i+1].Text, word.Join(argv))
			}
			return
		case glued(names, t) != "":
			Text(f, lang, glued(names, t), word.Join(argv))
			return
		case t == "-m" && lang == "python" && i+1 < len(args):
			module(f, args[i+1:])
			return
		case t == "-" || t == "/dev/stdin":
			codeStdin(f, lang, argv)
			return
		case t == "run" || t == "x":
		case strings.HasPrefix(t, "-"):
			if word.Has("-r --require --import", t) && lang == "node" && i+1 < len(args) {
				File(f.External(), lang, args[i+1:i+2])
			}
			if word.Has("-r --require -W -X -I --import --loader -C --env-file", t) {
				i++
			}
		default:
			File(f, lang, args[i:])
			return
		}
	}
	codeStdin(f, lang, argv)
}

// module is python -m: a module of the project, or one that may run what stands behind it.
func module(f *shell.Frame, args []word.Word) {
	file := strings.ReplaceAll(args[0].Text, ".", "/")
	for _, p := range []string{file + ".py", file + "/__main__.py"} {
		if _, from := f.Open(p); from != shell.Nowhere {
			File(f, "python", append(word.Lits(p), args[1:]...))
			return
		}
	}
	for i, w := range args[1:] {
		switch {
		case args[0].Text == "timeit" && !strings.HasPrefix(w.Text, "-"):
			Read(f, "python", w.Text)
		case word.Has("trace pdb cProfile profile runpy coverage debugpy", args[0].Text) &&
			strings.HasSuffix(w.Text, ".py"):
			File(f, "python", args[i+1:])
			return
		}
	}
	f.M.World.Inner(f, "python -m", args[1:])
}

// clustered reports whether joined flags end in the one that takes program text: python -uc, perl
// -lane.
func clustered(lang, t string) bool {
	ends := map[string]string{"python": "c", "perl": "eE", "ruby": "e"}[lang]
	return ends != "" && len(t) > 2 && t[0] == '-' && strings.IndexByte(ends, t[len(t)-1]) >= 0 &&
		strings.Trim(t[1:], "bBdEilnpsSuvwWxIaOqRecF0") == ""
}

// glued is program text in the same word as its flag: -e'code', --eval=code.
func glued(names, t string) string {
	if name, val, ok := strings.Cut(t, "="); ok && strings.HasPrefix(t, "--") &&
		word.Has(names, name) {
		return val
	}
	if len(t) > 2 && t[0] == '-' && t[1] != '-' && word.Has(names, t[:2]) {
		return t[2:]
	}
	return ""
}

// Text reads a program that stands in a text; how is the command.
func Text(f *shell.Frame, lang, text, how string) {
	if word.Blank(text) {
		if !word.BlankSoft(text) {
			f.Opaque(how, "the program it would run is only known when it runs")
		}
		return
	}
	Read(f, lang, text)
}

func codeStdin(f *shell.Frame, lang string, argv []word.Word) {
	if f.Stdin != nil {
		text := f.Stdin.Text
		f.Stdin = nil
		Text(f, lang, text, "… | "+word.Join(argv))
	}
}

// File reads the program that the first word names.
func File(f *shell.Frame, lang string, args []word.Word) {
	name := args[0].Text
	text, from := f.Open(name)
	for _, ending := range []string{".js", ".ts", ".mjs", "/index.js"} {
		if from == shell.Nowhere && lang == "node" && !strings.Contains(path.Base(name), ".") {
			text, from = f.Open(name + ending)
		}
	}
	switch {
	case from == shell.Nowhere:
		if word.MergeWord(word.ProgramName(name)) {
			f.Opaque(word.Join(args), "a program that cannot be read and is named after a merge")
		}
		f.M.World.Inner(f, name, args[1:])
		return
	case word.Blank(text):
		Text(f, lang, text, word.Join(args))
		return
	}
	f.InFile(name, from)
	p := &program{f: f, lang: lang}
	p.read(text, path.Dir(name))
}
