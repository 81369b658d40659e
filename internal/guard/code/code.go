// Package code reads programs of other languages for what they would run, request or write. It
// knows a language by its quotes, its comments and the calls that start a process.
package code

import (
	"path"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Language gives an interpreter's language and its flags that take a program's text.
func Language(name string) (lang, flags string) {
	switch {
	case strings.HasPrefix(name, "python") || word.Has("py pypy pypy3 ipython jython xonsh", name):
		return "python", "-c"
	case word.Has("node nodejs deno bun tsx ts-node zx qjs esno", name):
		return "node", "-e --eval --print eval"
	case strings.HasPrefix(name, "perl"):
		return "perl", "-e -E"
	case strings.HasPrefix(name, "ruby") || name == "jruby":
		return "ruby", "-e"
	case strings.HasPrefix(name, "php"):
		return "php", "-r"
	case strings.HasPrefix(name, "lua") ||
		word.Has(`elixir groovy Rscript R julia scala guile emacs osascript swift jshell erl ghc
racket sbcl clojure bb.clj`, name):
		return "other", "-e --eval -E --expr"
	case word.Has("awk gawk mawk nawk", name):
		return "awk", ""
	case word.Has("pwsh powershell cmd", strings.ToLower(name)):
		return "powershell", ""
	}
	return "", ""
}

// valued are other flags of interpreters that take a value.
const valued = "-m -W -X -r --require --import --loader -C --env-file"

// Interpret reads an interpreter's command line. flags are those that take a program's text.
func Interpret(f *shell.Frame, lang, flags string, argv []word.Word) {
	rest := word.Command(argv[1:], flags+" "+valued, 0)
	fl := word.ParseFlags(argv[1:len(argv)-len(rest)], flags+" "+valued)
	for len(rest) > 1 && word.Has("run x", rest[0].Text) {
		rest = rest[1:]
	}
	if lang == "node" {
		for _, w := range fl.All("-r", "--require", "--import") {
			File(f.External(), lang, []word.Word{w})
		}
	}
	text, ok := fl.Get(strings.Fields(flags)...)
	if len(rest) > 0 && lang == "node" && (fl.On("-p") || rest[0].Text == "eval") {
		text, ok = rest[len(rest)-1], true
	}
	module, isModule := fl.Get("-m")
	switch {
	case ok:
		Text(f, lang, text.Text, word.Join(argv))
	case isModule && lang == "python":
		file := strings.ReplaceAll(module.Text, ".", "/") + ".py"
		if _, from := f.Open(file); from != shell.Nowhere {
			File(f, lang, append(word.Lits(file), rest...))
			return
		}
		f.M.World.Inner(f, "python -m", rest)
	case len(rest) > 0 && !word.Has("- /dev/stdin", rest[0].Text):
		File(f, lang, rest)
	case f.Stdin != nil:
		input := f.Stdin.Text
		f.Stdin = nil
		Text(f, lang, input, "… | "+word.Join(argv))
	}
}

// Text reads a program's text. how is the command.
func Text(f *shell.Frame, lang, text, how string) {
	switch {
	case !word.Blank(text):
		Read(f, lang, text)
	case !word.BlankSoft(text):
		f.Opaque(how, "the program it would run is only known when it runs")
	}
}

// File reads the program that the first word names.
func File(f *shell.Frame, lang string, args []word.Word) {
	name := args[0].Text
	text, from := f.Open(name)
	if from == shell.Nowhere && lang == "node" && !strings.Contains(path.Base(name), ".") {
		text, from = f.Open(name + ".js")
	}
	if from != shell.Nowhere {
		f.InFile(name, from)
		Text(f, lang, text, word.Join(args))
		return
	}
	if word.MergeWord(word.ProgramName(name)) {
		f.Opaque(word.Join(args), "a program that cannot be read and is named after a merge")
	}
	f.M.World.Inner(f, name, args[1:])
}
